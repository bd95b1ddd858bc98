"""The machine around it: full folders, tools that are missing, names with blanks, no /proc."""
import os
import pathlib
import shlex
import shutil
import subprocess

import pytest

from mesh_tool import IMAGES, MESH, end, mesh, refused, start

HELLO = """#include "meshputer.hpp"
mesh::Process app_main(mesh::Kernel& node) {
    mesh::print("a\\n\\nnode {}\\n", node.id());
    co_return mesh::Status::ok;
}
"""
FOLDER = "mount -t tmpfs -o size={size} none '{folder}' && "


def alone(words, script):
    """Runs a shell that may mount what only it sees."""
    own = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if subprocess.run([*own, "true"], capture_output=True).returncode != 0:
        pytest.skip("nobody may mount anything here")
    return subprocess.run([*own, "sh", "-c", script, "sh", *map(str, words)], capture_output=True,
                          text=True, timeout=120)


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "hello.cpp"
    file.write_text(HELLO)
    return file


def test_a_full_folder_for_temporary_files_is_no_silent_end(source, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    done = alone([MESH, "build", "--engine", "sim", source, "-o", tmp_path / "hello"],
                 FOLDER.format(size="8k", folder=full) + f"TMPDIR='{full}' exec \"$@\"")
    assert done.returncode == 2 and done.stderr.strip(), done
    assert not (tmp_path / "hello").exists()


def test_a_full_folder_of_the_program_is_left_as_it_was(source, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    done = alone([MESH, "build", "--engine", "sim", source, "-o", full / "hello"],
                 FOLDER.format(size="8k", folder=full) + f"\"$@\"; status=$?; ls '{full}'; "
                 "exit $status")
    assert done.returncode == 1 and done.stdout == "", done
    assert "No space left on device" in done.stderr and len(done.stderr.splitlines()) == 1, done


def test_a_folder_for_temporary_files_that_is_none_is_named(source, tmp_path):
    env = dict(os.environ, TMPDIR=str(tmp_path / "gone"))
    refused(mesh("build", "--engine", "sim", source, "-o", tmp_path / "hello", env=env),
            "gone: No such file or directory")


def test_a_home_that_is_none_is_not_made(source, tmp_path):
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", source, env=env)
    assert outcome.status == 0 and not (tmp_path / "home").exists(), outcome


@pytest.mark.parametrize("session", ["gone", "x" * 100], ids=["gone", "long"])
def test_a_debugger_finds_its_node_without_the_folder_of_a_session(tmp_path, session):
    """Gone, as after `su`, or with a path too long for a socket."""
    (tmp_path / ("x" * 100)).mkdir()
    rig = start("run", "--engine", "qemu", "--dim", 1, "--op", "bcast", "--gdb", 0,
                under=["env", f"XDG_RUNTIME_DIR={tmp_path / session}"])
    try:
        told = next(line for line in rig.stderr if "attach with" in line)
        words = shlex.split(told.split("attach with: ")[1])
        assert words[1] == str(IMAGES / "job.elf")
        assert pathlib.Path(words[3].removeprefix("target remote ")).is_socket()
    finally:
        end(rig)


def test_a_machine_without_proc_is_told_what_is_missing():
    done = alone([MESH, "list", "boards"], "mount -t tmpfs none /proc && exec \"$@\"")
    assert done.returncode == 2 and "/proc to be mounted" in done.stderr, done


def test_a_missing_compiler_is_named_with_its_package(source, tmp_path):
    env = dict(os.environ, PATH=str(tmp_path))
    refused(mesh("build", source, "-o", tmp_path / "x", env=env),
            "not found: install gcc-arm-none-eabi and")
    refused(mesh("build", "--engine", "sim", source, "-o", tmp_path / "x", env=env),
            "g++ not found: install g++")


def test_compilers_speak_english_whatever_their_user_does(source, tmp_path):
    compiler = tmp_path / "g++"
    compiler.write_text('#!/bin/sh\necho "all: $LC_ALL, language: $LANGUAGE."\nexit 1\n')
    compiler.chmod(0o755)
    env = dict(os.environ, PATH=str(tmp_path), LC_ALL="de_DE.UTF-8", LANGUAGE="de:fr")
    outcome = mesh("build", "--engine", "sim", source, "-o", tmp_path / "x", env=env)
    assert "all: C.UTF-8, language: .\n" in outcome.err, outcome


def test_a_source_in_a_folder_with_a_blank_is_built_once(source, tmp_path):
    folder = tmp_path / "a b"
    folder.mkdir()
    env = dict(os.environ, XDG_CACHE_HOME=str(tmp_path / "cache"))
    times = set()
    for _ in range(2):
        outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                       shutil.copy2(source, folder), env=env)
        assert outcome.status == 0, outcome
        program, = (path for path in (tmp_path / "cache" / "meshputer").iterdir()
                    if path.is_file() and path.suffix != ".files")
        times.add(program.stat().st_mtime_ns)
    assert len(times) == 1


def test_an_expected_file_may_be_as_editors_leave_it(source, tmp_path):
    for text in ("[0] a\r\n[0] \r\n[0] node 0\r\n[1] a\r\n[1] \r\n[1] node 1\r\n",
                 "[0] a\n[0]\n[0] node 0\n[1] a\n[1]\n[1] node 1\n\n"):
        (tmp_path / "expected").write_text(text, newline="")
        outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", source, "--expect",
                       tmp_path / "expected")
        assert outcome.status == 0, outcome
    (tmp_path / "expected").write_text("[0] a\n\n[0] node 0\n")
    refused(mesh("run", "--engine", "sim", "--dim", 1, "--app", source, "--expect",
                 tmp_path / "expected"), "expected:2: '' is not `[node] text`")


def test_the_logs_of_a_large_mesh_are_whole(source, tmp_path):
    """More files than are open at a time."""
    outcome = mesh("run", "--engine", "sim", "--dim", 7, "--app", source, "--log", tmp_path / "log")
    assert outcome.status == 0, outcome
    for node in range(128):
        assert (tmp_path / "log" / f"node-{node}.console").read_text() == f"a\n\nnode {node}\n"


def test_a_run_of_standard_input_is_repeated_with_it(tmp_path):
    with open("/dev/null") as nothing:
        outcome = mesh("run", "--engine", "sim", "--dim", 2, "--op", "bcast", "--miswire", "0/0",
                       "1/1", "--input", "-", stdin=nothing)
    assert outcome.status == 1, outcome
    assert "; repeat, with the same standard input: " in outcome.err, outcome
