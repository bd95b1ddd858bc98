"""Nothing is left behind: processes and folders of what was ended, files of others."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time

import pytest

from mesh_tool import MESH, alive, all_that_run, descendants, end, mesh, refused, start, wait_until

SLOW = '#include "meshputer.hpp"\nmesh::Process app_main(mesh::Kernel&) ' \
       '{ co_return mesh::Status::ok; }\n'
SIM = ["run", "--engine", "sim", "--dim", 2, "--op", "bcast"]
OLD = time.time() - 3600


def environment_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    except OSError: # it has ended
        return b""


def at_work_in(folder):
    """Processes whose temporary files lie there: a compiler of a killed driver ends by itself."""
    named = f"TMPDIR={folder}/".encode() # a compiler has the folder of its build
    return [pid for pid in all_that_run() if named in environment_of(pid)]


def building(folder):
    """A build whose compilers are at work, and these."""
    (folder / "slow.cpp").write_text(SLOW)
    env = dict(os.environ, TMPDIR=str(folder / "tmp"), XDG_CACHE_HOME=str(folder / "cache"))
    (folder / "tmp").mkdir(exist_ok=True)
    process = subprocess.Popen([MESH, "build", "slow.cpp", "-o", "slow"], cwd=folder, env=env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    return process, wait_until(lambda: descendants(process.pid), 60, "a compiler")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_ended_build_leaves_no_compiler_and_no_folder(number, tmp_path):
    process, compilers = building(tmp_path)
    try:
        process.send_signal(number)
        err = process.communicate(timeout=60)[1]
        assert process.returncode == 128 + number and err == f"mesh: ended by signal {number}\n"
        assert not alive(compilers), "they end with it"
        assert list((tmp_path / "tmp").iterdir()) == []
    finally:
        end(process)


def test_the_folder_of_a_killed_build_goes_with_the_next_build(tmp_path):
    process, _ = building(tmp_path)
    process.kill()
    process.wait(timeout=60)
    wait_until(lambda: not at_work_in(tmp_path / "tmp"), 60, "the end of its compilers")
    [left] = (tmp_path / "tmp").iterdir()
    (tmp_path / "tmp" / "mesh-build-theirs").mkdir() # has no lock: it is somebody's own
    for folder in (tmp_path / "tmp").iterdir():
        os.utime(folder, (OLD, OLD))
    env = dict(os.environ, TMPDIR=str(tmp_path / "tmp"))
    assert mesh("build", "slow.cpp", "-o", "slow", cwd=tmp_path, env=env).status == 0
    assert [one.name for one in (tmp_path / "tmp").iterdir()] == ["mesh-build-theirs"], left


def test_the_folder_of_a_build_that_goes_on_stays(tmp_path):
    process, _ = building(tmp_path)
    try:
        [mine] = (tmp_path / "tmp").iterdir()
        os.utime(mine, (OLD, OLD))
        process.send_signal(signal.SIGSTOP)
        env = dict(os.environ, TMPDIR=str(tmp_path / "tmp"))
        assert mesh("build", "slow.cpp", "-o", "other", "--engine", "sim", cwd=tmp_path,
                    env=env).status == 0
        assert mine.exists()
        process.send_signal(signal.SIGCONT)
        assert process.wait(timeout=300) == 0
    finally:
        end(process)


def test_two_runs_do_not_write_one_capture(tmp_path):
    capture = tmp_path / "x.pcapng"
    first = start("run", "--engine", "sim", "--dim", 6, "--op", "send", "--messages", 100000,
                  "--bytes", 16, "--capture", capture, "--capture-bytes", 80)
    try:
        wait_until(lambda: capture.exists() and capture.stat().st_size, 60, "its first frames")
        refused(mesh(*SIM, "--capture", capture), "another run is writing it")
    finally:
        end(first)
    assert mesh(*SIM, "--capture", capture).status == 0
    assert mesh("view", capture, "--format", "text").status == 0


@pytest.mark.parametrize("option", ["--output", "--report", "--capture", "--junit"])
def test_a_link_to_nothing_is_told(option, tmp_path):
    (tmp_path / "link").symlink_to("gone")
    refused(mesh(*SIM, option, tmp_path / "link"), "is a link to 'gone', which is not there")
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize("place", ["/no/such/folder", ""])
def test_debuggers_find_nodes_wherever_the_session_is(place):
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, XDG_RUNTIME_DIR=place, TMPDIR=folder)
        process = subprocess.Popen([MESH, "run", "--dim", "1", "--app", "pingpong", "--gdb", "1"],
                                   env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   text=True, start_new_session=True)
        try:
            assert any(f"{folder}/mesh-gdb-" in line for line in process.stderr)
        finally:
            end(process)
