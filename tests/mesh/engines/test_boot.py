"""Nodes that one emulator forks are those that are started each by itself, and as hard to harm."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

import mesh_tool
from mesh_tool import (alive, children, console, end, mesh, run, start, verified, wait_until,
                       wait_until_full, words_of)

QEMU = shutil.which("qemu-system-arm")
# Also of one way to boot twice: seconds, and what depends on how often a node was awake.
OTHER = ("boot", "boot_s", "wall_s", "clock", "command", "counters", "dma_transfers", "cable_bytes",
         "stack_used")
# One run each; with lockstep each is the same to the byte whenever it is run.
CASES = ["--dim 3 --op bcast --tree msbt --bytes 5000",
         "--dim 4 --op bcast --copies 2 --faults kill:2",
         "--dim 3 --op alltoall --bytes 300 --faults drop:0.1,corrupt:0.05",
         "--dim 3 --op allgather --bytes 100 --faults dup:0.1,reorder:0.1",
         "--dim 3 --op send --target random --messages 5 --bytes 1500",
         "--dim 3 --op send --messages 5 --faults restart:5@10",
         "--dim 3 --op allreduce --bytes 256",
         "--dim 2 --op barrier",
         "--topology star --dim 3 --op bcast --tree edt --bytes 3000",
         "--topology uhc --dim 3 --op scatter --bytes 64",
         "--board ast1030-evb --dim 3 --op bcast --bytes 3000",
         "--board netduinoplus2 --dim 2 --op reduce --bytes 256",
         "--board mps2-an385 --dim 2 --op scan --bytes 256"]
ENDLESS = ["--dim", 3, "--op", "send", "--messages", 100000, "--bytes", 5000]


def lockstep(how, case, folder):
    """The report and the capture of a run."""
    folder.mkdir()
    capture = folder / "capture"
    outcome = run("qemu", "--lockstep", "--seed", 7, "--boot", how, "--capture", capture,
                  *case.split())
    assert outcome.report["boot"] == how, outcome
    command = rb"mesh'? run .*?--capture (?:'.*?'|\S+)"
    return ({key: value for key, value in outcome.report.items() if key not in OTHER},
            re.sub(rb'"--boot".*?|' + command, b"", capture.read_bytes()))


@pytest.mark.parametrize("case", CASES)
def test_a_forked_mesh_does_what_one_of_emulators_started_by_themselves_does(case, tmp_path):
    fork, by_itself = (lockstep(how, case, tmp_path / how) for how in ("fork", "exec"))
    assert fork[0] == by_itself[0]
    assert fork[1] == by_itself[1]


@pytest.mark.free # and measured
def test_twice_as_many_nodes_with_serial_lines_boot_in_nothing_like_ten_times_the_time():
    """From 65 nodes on two cores each is stopped when it has said a whole frame, till all are up.
    Stopped before, it would not count as started, and the next would wait for it in vain."""
    few, many, again = (verified(run("qemu", "--board", "ast1030-evb", "--dim", dim, "--op",
                                     "barrier"))["boot_s"] for dim in (6, 7, 6))
    assert many < 10 * max(few, again), (few, many, again)


@pytest.mark.toolchain
@pytest.mark.free(gate=True)
@pytest.mark.parametrize("asked, boot", [([], "fork"), (["--boot", "exec"], "exec")])
def test_nodes_are_forked_unless_they_are_to_be_started_each_by_itself(asked, boot, tmp_path):
    outcome = run("qemu", "--dim", 2, "--op", "bcast", "--timeout", 60, "--log",
                  tmp_path / "log", *asked)
    assert verified(outcome)["boot"] == boot, outcome
    assert not (tmp_path / "log" / "boot").exists()


@pytest.mark.free
def test_a_forked_mesh_may_have_one_host_cable():
    outcome = run("qemu", "--dim", 2, "--op", "bcast", "--host-at", 0, "--boot", "fork")
    assert outcome.status == 0 and outcome.report["boot"] == "fork", outcome


QUIET_LOOKS = 30 # at nodes that have not run meanwhile


def forked(*words):
    """A mesh of forked nodes at work: the process, those of its nodes, that of the template."""
    process = start("run", "--boot", "fork", *words)
    for line in process.stderr:
        if line.startswith("running:"):
            break
    return process, *emulators_of(process)


def emulators_of(mesh_of_eight):
    """The processes of its nodes, that of the template."""
    def nodes():
        found = children(mesh_of_eight.pid)
        return found if len(found) == 9 else None
    template, *all_nodes = wait_until(nodes, 60, "eight nodes and a template",
                                      lambda: mesh_of_eight.poll() is not None and "the mesh ended")
    return all_nodes, template


def confined(pid):
    """The modes of all threads: 2 has a filter of system calls."""
    return {re.search(r"^Seccomp:\t(\d)", status.read_text(), re.M)[1]
            for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status")}


@pytest.mark.toolchain
def test_all_threads_of_a_forked_node_are_in_the_sandbox():
    if b"libseccomp.so" not in pathlib.Path(QEMU).read_bytes():
        pytest.skip("the emulator has no sandbox")
    process, nodes, _ = forked(*ENDLESS)
    try:
        for node in nodes:
            wait_until(lambda node=node: confined(node) == {"2"}, 60, "a filter for all threads")
            assert len(list(pathlib.Path(f"/proc/{node}/task").iterdir())) == 3
    finally:
        end(process)


def test_forked_nodes_and_their_template_end_with_a_killed_tool():
    process, nodes, template = forked(*ENDLESS)
    os.kill(process.pid, signal.SIGKILL)
    end(process)
    wait_until(lambda: not alive([*nodes, template]), 60, "all emulators are gone")


def test_a_killed_node_takes_no_other_along(tmp_path):
    report = tmp_path / "report.json"
    process, nodes, template = forked("--report", report, *ENDLESS)
    try:
        os.kill(nodes[3], signal.SIGKILL)
        wait_until(lambda: not pathlib.Path(f"/proc/{nodes[3]}").exists(), 60,
                   "the template knows that the node is gone")
        assert alive([*nodes, template]) == {*nodes, template} - {nodes[3]}
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
        ended = [one for one in json.loads(report.read_text())["fates"] if one["fate"] == "ended"]
        assert len(ended) == 1 and "signal 9" in ended[0]["note"], ended
    finally:
        end(process)


def test_without_its_template_a_mesh_works_on_and_starts_a_node_anew_by_itself(tmp_path):
    """The restart comes after more packets than a capture holds that nobody reads, so the run waits
    for us before it."""
    process = start("run", "--boot", "fork", "--log", tmp_path / "log", "--faults",
                    "restart:5@20000", "--capture", "-", *ENDLESS)
    try:
        wait_until_full(process.stdout)
        nodes, template = emulators_of(process)
        os.kill(template, signal.SIGKILL)
        wait_until(lambda: not alive([template]), 60, "the template has ended")
        with subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL):
            wait_until(lambda: {*children(process.pid)} - {*nodes}, 60, "another node 5")
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
        words = (tmp_path / "log" / "boot").read_text()
        assert words == "exec, not fork: the template has ended\n", words
    finally:
        end(process)


def turns_of(pid):
    """How often each thread of a process has had a core."""
    return [file.read_text().split()[2]
            for file in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")]


# More than 32 nodes for each core are many: the same everywhere on one core.
MANY = 6
ON_ONE_CORE = ("taskset", "--cpu-list", min(os.sched_getaffinity(0)))


@pytest.mark.free # nodes that are not held would say hello by wall time
def test_of_many_nodes_those_that_are_up_wait_for_the_others():
    """A node that is up and not held says hello to its neighbours four times a second."""
    process = start("run", "--quiet", "--boot", "fork", "--dim", MANY, "--op", "barrier",
                    under=ON_ONE_CORE)

    def some_nodes():
        found = children(process.pid)
        return found if len(found) > 20 else None
    try:
        template, *nodes = wait_until(some_nodes, 60, "twenty nodes",
                                      lambda: process.poll() is not None and "the mesh ended")
        os.kill(template, signal.SIGSTOP)

        looks = []

        def are_quiet():
            looks.append(list(map(turns_of, nodes[:10])))
            return looks.count(looks[-1]) == QUIET_LOOKS
        wait_until(are_quiet, 60, "the nodes wait")
        assert len(some_nodes()) < 2 ** MANY
        os.kill(template, signal.SIGCONT)
        out, _ = process.communicate(timeout=100)
        assert process.returncode == 0 and f"{2 ** MANY} of {2 ** MANY} live" in out, out
    finally:
        end(process)


def nice_values(pid):
    """Of the threads of a process that are still there when they are asked."""
    found = set()
    for thread in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(ProcessLookupError):
            found.add(os.getpriority(os.PRIO_PROCESS, int(thread)))
    return found


def test_of_many_nodes_none_goes_before_the_host_tool():
    """Also if that is nice itself; a template does nothing once nodes are up."""
    process = start("run", "--boot", "fork", "--dim", MANY, "--op", "send", "--messages", 10000,
                    "--bytes", 5000, under=(*ON_ONE_CORE, "nice", "-n", 3))
    try:
        assert any(line.startswith("running:") for line in process.stderr)
        own = os.getpriority(os.PRIO_PROCESS, process.pid)
        nice = list(map(nice_values, children(process.pid)))
        assert own == os.getpriority(os.PRIO_PROCESS, 0) + 3
        assert nice.count({own + 5}) == 2 ** MANY and len(nice) == 2 ** MANY + 1, nice
    finally:
        end(process)


def template_count(process):
    """How many command lines with a template's address the children of a mesh have."""
    return len({tuple(words_of(pid)) for pid in children(process.pid)
                if b"macaddr=02:5a" in b" ".join(words_of(pid))})


@pytest.mark.toolchain
def test_each_image_has_a_template_of_its_own_and_a_debugged_node_none(tmp_path):
    copy = shutil.copy2(mesh_tool.IMAGES / "hello.elf", tmp_path / "copy.elf")
    process = start("run", "--boot", "fork", "--dim", 3, "--gdb", 5, "--limit", 600, "--app",
                    "hello", "--app", f"{copy}@0-2")
    try:
        wait_until(lambda: template_count(process) == 2, 60, "two templates")
        held = wait_until(lambda: [pid for pid in children(process.pid)
                                   if b"-gdb" in words_of(pid)],
                          60, "the held node")
        assert len(held) == 1 and b"macaddr=02:00:03:00:00:05" in b" ".join(words_of(held[0]))
    finally:
        end(process)


def test_two_images_in_one_forked_mesh_are_both_run(tmp_path):
    copy = shutil.copy2(mesh_tool.IMAGES / "hello.elf", tmp_path / "copy.elf")
    outcome = run("qemu", "--boot", "fork", "--dim", 2, "--app", "hello", "--app", f"{copy}@0-1")
    assert outcome.status == 0 and outcome.report["boot"] == "fork", outcome
    assert {line for lines in console(outcome).values() for line in lines} == {
        "hello, neighbours are 1 2", "hello, neighbours are 0 3", "hello, neighbours are 3 0",
        "hello, neighbours are 2 1"}


@pytest.mark.free
@pytest.mark.toolchain
def test_a_loader_is_forked_and_starts_the_program_that_it_gets(tmp_path):
    report = tmp_path / "report.json"
    outcome = mesh("load", "hello", "--boot", "fork", "--dim", 2, "--report", report)
    assert outcome.status == 0 and len(console(outcome)) == 4, outcome
    assert json.loads(report.read_text())["boot"] == "fork"


def test_a_series_forks_in_each_of_its_runs():
    outcome = mesh("run", "--boot", "fork", "--dim", 2, "--op", "bcast", "--repeat", 2)
    assert outcome.status == 0 and "2 runs: 2 verified, 0 failed" in outcome.out, outcome


def emulator(folder, script):
    """A program in the emulator's place. As a template it does what `script` says."""
    file = folder / "emulator"
    file.write_text(f"""#!/usr/bin/python3
# The tool takes what names libseccomp.so for one with a sandbox.
import os, socket, struct, subprocess, sys, time
def answer(kind, value, words=b""):
    control.send(struct.pack("=ii96s", kind, value, words))
words = ["{QEMU}", *sys.argv[1:]]
if "MESH_TEMPLATE" in os.environ:
    control = socket.socket(fileno=int(os.environ["MESH_TEMPLATE"].split(",")[0]))
    {script}
    sys.exit()
os.execv(words[0], words)
""")
    file.chmod(0o755)
    return file


READY = "answer(0, 1); control.recv(100); "


@pytest.mark.parametrize("script, why", [
    ("subprocess.run(words, pass_fds=[control.fileno(), 3, 4])",
     "another program started the emulator"),
    ("pass", "the template has ended"),
    ("control.send(b'?')", "the template has ended"),
    ("answer(1, 0, b'no threads')", "no threads"),
    ("answer(7, 0)", "has no sense"),
    ("answer(0, 0); control.recv(100)", "sandbox"),
    (READY + "answer(2, -12); control.recv(100)", "cannot fork: Cannot allocate memory"),
    (READY + "answer(3, 11); control.recv(100)", "cannot start a node: Resource temporarily"),
    (READY, "the template has ended"),
    ("os.environ.pop('LD_PRELOAD'); os.execv(words[0], words)", "no template in 10 s"),
])
def test_an_emulator_that_is_no_template_is_started_for_each_node(script, why, tmp_path):
    outcome = run("qemu", "--boot", "fork", "--qemu", emulator(tmp_path, script), "--dim", 2,
                  "--op", "bcast", "--log", tmp_path / "log")
    assert verified(outcome)["boot"] == "exec", outcome
    assert outcome.err.replace("warning", "") == outcome.err, outcome
    words = (tmp_path / "log" / "boot").read_text()
    assert words.startswith("exec, not fork: ") and why in words, words


def test_a_wrapper_that_becomes_the_emulator_forks(tmp_path):
    outcome = run("qemu", "--boot", "fork", "--qemu",
                  emulator(tmp_path, "os.execv(words[0], words)"), "--dim", 2, "--op", "bcast",
                  "--log", tmp_path / "log")
    assert verified(outcome)["boot"] == "fork", outcome
    assert not (tmp_path / "log" / "boot").exists()


@pytest.mark.toolchain
@pytest.mark.parametrize("kind, why", [
    ("script", "the emulator is a script, or no dynamically linked program for x86-64"),
    ("static", "the emulator is a script, or no dynamically linked program for x86-64"),
    ("version", "the tests have not seen QEMU 9.1")])
def test_an_emulator_that_is_not_known_to_fork_is_started_for_each_node(kind, why, tmp_path):
    if kind == "script":
        file = emulator(tmp_path, "")
    else:
        file = tmp_path / "emulator"
        source = tmp_path / "emulator.c"
        source.write_text(f"""#include <stdio.h>
#include <unistd.h>
const char *uses = "libseccomp.so";
int main(int count, char **words) {{
    if (count > 2)
        return execv("{QEMU}", words);
    puts("QEMU emulator version {'9.1.0' if kind == 'version' else '10.0.0'}");
    return uses == 0;
}}
""")
        subprocess.run(["gcc", *(["-static"] if kind == "static" else []), source, "-o", file],
                       check=True)
    outcome = run("qemu", "--qemu", file, "--dim", 2, "--op", "bcast", "--log", tmp_path / "log")
    assert verified(outcome)["boot"] == "exec", outcome
    assert (tmp_path / "log" / "boot").read_text() == f"exec, not fork: {why}\n"


def test_a_way_to_boot_that_there_is_not_is_refused():
    mesh_tool.refused(mesh("run", "--dim", 1, "--op", "bcast", "--boot", "spawn"),
                      "allowed: fork, exec")


def test_a_simulation_starts_no_emulators():
    mesh_tool.refused(mesh("run", "--engine", "sim", "--dim", 1, "--op", "bcast", "--boot", "fork"),
                      "--engine qemu only")


PLAN = ["run", "--op", "bcast", "--dry-run"]


def test_forked_nodes_need_the_memory_that_forked_nodes_take():
    sixteen = ["--dim", 4, "--memory", 200]
    mesh_tool.refused(mesh(*PLAN, *sixteen, "--boot", "exec"), "16 nodes need 224 MB")
    outcome = mesh(*PLAN, *sixteen, "--boot", "fork")
    assert outcome.status == 0 and "200 MB available" in outcome.out, outcome
    mesh_tool.refused(mesh(*PLAN, "--dim", 8, "--memory", 200, "--boot", "fork"), "--dim up to 5")


def test_an_emulator_that_is_not_known_to_fork_needs_the_memory_that_it_takes_by_itself(tmp_path):
    sixteen = ["--dim", 4, "--memory", 200]
    assert mesh(*PLAN, *sixteen).status == 0
    mesh_tool.refused(mesh(*PLAN, *sixteen, "--qemu", emulator(tmp_path, "")),
                      "16 nodes need 224 MB")


def test_nodes_that_cannot_be_forked_and_have_no_memory_otherwise_are_not_started(tmp_path):
    outcome = mesh("run", "--boot", "fork", "--memory", 200, "--dim", 4, "--op", "bcast", "--qemu",
                   emulator(tmp_path, "answer(1, 0, b'no threads')"))
    assert outcome.status == 1, outcome
    assert "no memory to start each of them by itself: no threads" in outcome.err, outcome


def test_the_star_of_7_fits_where_its_nodes_are_forked():
    star = ["--topology", "star", "--dim", 7, "--memory", 18_000]
    needed = 5040 * 3 + 128
    outcome = with_files(64, needed, *PLAN, *star, "--boot", "fork")
    if "operation not permitted" in outcome.err.lower():
        pytest.skip(f"this user may not open {needed} files")
    assert outcome.status == 0 and "5040 mps2-an505 nodes" in outcome.out, outcome
    mesh_tool.refused(with_files(64, needed, *PLAN, *star, "--boot", "exec"),
                      "5040 nodes need 70560 MB")


def with_files(soft, hard, *arguments):
    """`mesh` that may open so many files, and raise the limit so far."""
    command = ["prlimit", f"--nofile={soft}:{hard}", *map(str, [mesh_tool.MESH, *arguments])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=mesh_tool.ROOT)
    return mesh_tool.Outcome(command, done.returncode, done.stdout, done.stderr, {})


@pytest.mark.parametrize("words, needed, largest", [
    (["--dim", 7], "128 nodes need 512 open files, 400 are allowed (ulimit -Hn)", "--dim up to 6"),
    (["--board", "ast1030-evb", "--dim", 6], "64 nodes need 704 open files", "--dim up to 5")])
def test_too_small_a_limit_of_open_files_is_told_before_anything_boots(words, needed, largest):
    outcome = with_files(64, 400, *PLAN, *words)
    mesh_tool.refused(outcome, needed)
    mesh_tool.refused(outcome, largest)


@pytest.mark.parametrize("how", ["fork", "exec"])
def test_a_limit_of_open_files_is_raised_as_far_as_nodes_need(how):
    outcome = with_files(40, 400, "run", "--dim", 3, "--op", "barrier", "--boot", how)
    assert outcome.status == 0, outcome


def test_a_node_costs_the_tool_three_open_files():
    def files(dim):
        process = start("run", "--dim", dim, *ENDLESS[2:])
        for line in process.stderr:
            if line.startswith("running:"):
                break
        try:
            return len(os.listdir(f"/proc/{process.pid}/fd"))
        finally:
            end(process)
    assert files(3) - files(2) == 3 * 4
