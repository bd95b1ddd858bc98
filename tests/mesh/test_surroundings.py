"""The machine around it: full folders, tools that are missing, names with blanks, no /proc."""
import os
import shutil
import subprocess

import pytest

from mesh_tool import MESH, mesh, refused

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


def test_a_machine_without_proc_is_told_what_is_missing():
    done = alone([MESH, "list", "boards"], "mount -t tmpfs none /proc && exec \"$@\"")
    assert done.returncode == 2 and "/proc to be mounted" in done.stderr, done


def test_a_missing_compiler_is_named_with_its_package(source, tmp_path):
    env = dict(os.environ, PATH=str(tmp_path))
    refused(mesh("build", source, "-o", tmp_path / "x", env=env),
            "not found: install gcc-arm-none-eabi and")
    refused(mesh("build", "--engine", "sim", source, "-o", tmp_path / "x", env=env),
            "g++ not found: install g++")


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
                 tmp_path / "expected"), "expected:2: is not `[node] text`")


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
