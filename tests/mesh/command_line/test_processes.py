"""Processes: none is left behind however mesh ends, and rigs never get in each other's way."""
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys

import pytest

from mesh_tool import (BOARD, IMAGES, MESH, ROOT, TIMEOUT_S, alive, descendants, end, mesh, refused,
                       start, wait_until)

# Nodes 1 and 4 have children in the tree, which wait.
STUCK = ["run", "--engine", "qemu", "--dim", 3, "--op", "bcast", "--tree", "sbt", "--bytes", 4000,
         "--faults", "hang:1,hang:4", "--timeout", 600]
STUCK_IN_LOCKSTEP = [*STUCK, "--lockstep"] # says nothing of how far it has come


def nodes_of(rig):
    """The processes of STUCK, when all run."""
    return wait_until(lambda: (lambda c: len(c) >= 8 and c)(descendants(rig.pid)), 60, "8 nodes")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_child_outlives_mesh(how):
    rig = start(*STUCK_IN_LOCKSTEP)
    try:
        children = nodes_of(rig)
        os.kill(rig.pid, how)
        wait_until(lambda: rig.poll() is not None, 60, "mesh has ended")
        wait_until(lambda: not alive(children), 60, "every child has ended")
        assert rig.returncode == (-how if how == signal.SIGKILL else 128 + how)
    finally:
        end(rig)


def threads_of(pids):
    return {int(thread.name) for pid in pids
            for thread in pathlib.Path(f"/proc/{pid}/task").iterdir()}


def test_no_node_that_wakes_takes_the_core_of_one_that_works():
    if subprocess.run(["chrt", "--batch", "0", "true"], check=False).returncode != 0:
        pytest.skip("the system lets nobody choose how cores are shared")
    rig = start(*STUCK_IN_LOCKSTEP)
    try:
        nodes = nodes_of(rig)
        # An emulator has a thread for the processor, and two of its own.
        threads = wait_until(lambda: (lambda t: len(t) >= 3 * len(nodes) and t)(threads_of(nodes)),
                             60, "every node has its processor")
        assert {os.sched_getscheduler(thread) for thread in threads | {rig.pid}} == {
            os.SCHED_BATCH}
    finally:
        end(rig)


def test_two_rigs_at_once_do_not_clash():
    rigs = [start("run", "--engine", "qemu", "--dim", 3, "--op", "bcast", "--tree", "sbt",
                  "--input", "LICENSE", "--packet", 64, "--lockstep", "--seed", seed)
            for seed in (1, 2)]
    try:
        for rig in rigs:
            out, err = rig.communicate(timeout=TIMEOUT_S)
            assert rig.returncode == 0, out + err
    finally:
        for rig in rigs:
            end(rig)


def test_a_cube_of_more_dimensions_than_a_board_has_ports_is_refused():
    refused(mesh("run", "--engine", "qemu", "--dim", 16, "--op", "bcast", "--tree", "sbt"),
            f"{BOARD} has 8")


def test_a_suite_that_is_killed_leaves_no_process_behind():
    """Not even one that says nothing, which no closed pipe ends."""
    text = """
import mesh_tool
mesh_tool.MESH = "sleep"
rig = mesh_tool.start(1000)
print(rig.pid, flush=True)
rig.wait()
"""
    suite = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True,
                             cwd=ROOT / "tests/mesh/helpers")
    rig = int(suite.stdout.readline())
    comm = pathlib.Path(f"/proc/{rig}/comm")
    wait_until(lambda: comm.read_text() == "sleep\n", 60, "it runs, and its parent is known")
    suite.kill()
    suite.communicate()
    wait_until(lambda: not alive({rig}), 60, "it has ended")


def packet(text):
    """A packet of GDB's remote protocol."""
    return f"${text}#{sum(text.encode()) % 256:02x}".encode()


def connect(words):
    """The GDB stub that the printed command names: HOST:PORT or a socket's path."""
    place = re.search(r"target (?:extended-)?remote ([^\s'\"]+)", words).group(1)
    if ":" in place:
        host, port = place.rsplit(":", 1)
        return socket.create_connection((host or "localhost", int(port)), timeout=TIMEOUT_S)
    wait_until(lambda: os.path.exists(place), 60, "the stub's socket")
    stub = socket.socket(socket.AF_UNIX)
    stub.settimeout(TIMEOUT_S)
    stub.connect(place)
    return stub


def told_to_attach(rig):
    """What mesh says up to the command that attaches a debugger."""
    seen = ""
    while "remote" not in seen:
        line = rig.stderr.readline()
        assert line, f"mesh ended without a command to attach: {seen}"
        seen += line
    return seen


@pytest.mark.toolchain
@pytest.mark.free
def test_gdb_holds_one_node_at_reset_until_it_is_let_go():
    rig = start("run", "--engine", "qemu", "--dim", 2, "--op", "bcast", "--tree", "sbt", "--bytes",
                1000, "--gdb", 2)
    try:
        seen = told_to_attach(rig)
        with connect(seen) as stub:
            stub.sendall(packet("?"))
            answer = stub.recv(200)
            while b"#" not in answer:
                answer += stub.recv(200)
            assert b"$T" in answer or b"$S" in answer
            assert rig.poll() is None
            stub.sendall(b"+" + packet("D"))
            stub.recv(100)
        out, err = rig.communicate(timeout=TIMEOUT_S)
        assert rig.returncode == 0, out + err
    finally:
        end(rig)


@pytest.mark.toolchain
@pytest.mark.free(gate=True)
def test_gdb_says_of_a_held_node_what_its_processes_wait_for():
    image = IMAGES / "app_waits.elf"
    rig = start("run", "--engine", "qemu", "--dim", 1, "--app", image, "--gdb", 0, "--", "circle")
    try:
        seen = told_to_attach(rig)
        commands = ["target remote " + re.search(r"target remote ([^\s']+)", seen)[1],
                    f"source {ROOT}/host-tools/mesh/engines/waits.py",
                    "break mesh::Receiving::ask", "ignore 1 1", "continue", "mesh-waits", "kill"]
        words = [word for command in commands for word in ("-ex", command)]
        done = subprocess.run(["gdb-multiarch", "-nx", "-batch", image, *words], timeout=TIMEOUT_S,
                              capture_output=True, text=True)
        assert re.search("^process 0 waits for the end of its process 1\n"
                         "process 1 waits for a message with tag 3 from node 1$", done.stdout,
                         re.M), done.stdout + done.stderr
    finally:
        end(rig)


def test_a_run_leaves_nothing_in_the_folder_it_ran_in(tmp_path):
    outcome = mesh("run", "--dim", 1, "--op", "bcast", "--tree", "sbt", "--bytes", 100,
                   "--lockstep", cwd=tmp_path, env=dict(os.environ, TMPDIR=str(tmp_path)))
    assert outcome.status == 0 and os.listdir(tmp_path) == [], outcome


@pytest.mark.toolchain
@pytest.mark.free(gate=True)
def test_one_debugger_holds_several_nodes():
    source = (ROOT / "firmware" / "apps" / "pingpong.cpp").read_text().splitlines()
    of_node_0 = next(number for number, line in enumerate(source, 1) if "ping.write" in line)
    commands = [f"tbreak pingpong.cpp:{of_node_0}", "inferior 2", "continue &", "inferior 1",
                "continue", "info inferiors", "mesh-waits", "continue"]
    words = [word for command in commands for word in ("--ex", command)]
    done = subprocess.run([MESH, "debug", "0", "1", *words, "--", "--dim", "1", "--app",
                           "pingpong"], text=True, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=TIMEOUT_S)
    assert re.search(r"Temporary breakpoint 1[.0-9]*, ", done.stdout), done
    assert re.findall(r"^[* ] (\d) +process 1 ", done.stdout, re.M) == ["1", "2"], done
    assert "process 0 can run\n" in done.stdout and "[0] node 1 and back: " in done.stdout, done
    assert done.returncode == 0, done


def test_a_debugger_needs_a_run_and_a_node_of_it():
    refused(mesh("debug", 0), "mesh debug NODE ... -- OPTIONS OF RUN")
    refused(mesh("debug", "--", "--dim", 1, "--op", "bcast"), "nodes is required")
    outcome = mesh("debug", 4, "--", "--dim", 1, "--op", "bcast")
    assert outcome.status == 2 and "--gdb 4: allowed: 0 to 1" in outcome.err, outcome
    outcome = mesh("debug", 0, "--gdb", "no-such-gdb", "--", "--dim", 1, "--op", "bcast")
    assert outcome.status == 2 and "no-such-gdb not found: install gdb-multiarch" in outcome.err
