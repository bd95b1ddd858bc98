"""Nodes that do what no node should: each is named, ended and counted, in bounded time and memory.

The engine is the real one, with real sockets and processes; its nodes are scripts.
"""
import os
import re
import signal
import subprocess
import sys
import time

import pytest

import mesh_tool
from hostile_node import write_script
from mesh_tool import IMAGES, ROOT, TIMEOUT_S, descendants, end, run, start, wait_until, words_of

APP = ["--app", IMAGES / "hello.elf"]
NEVER = ["--timeout", 600] # longer than a case may take: what ends a run is no silence
SOON = ["--timeout", 10] # of a node that is to be given up, where no other one is so slow
MEMORY_MAX = 150 << 20  # of mesh with two nodes: twice the bound of a node, and itself


def hostile(folder, *options, dim=1, **bodies):
    """A run of scripted nodes, of which none is given up unless `options` say when."""
    never = [] if "--timeout" in options else NEVER
    return run("qemu", "--qemu", write_script(folder, **bodies), "--dim", dim, *APP, *never,
               *options)


def last_line(outcome):
    return outcome.err.strip().splitlines()[-1]


def blamed(outcome, node, words):
    """The run failed by this node alone, for what the words say."""
    assert outcome.status == 1, outcome
    line = last_line(outcome)
    assert re.match(rf"mesh: node {node}\b", line) and re.search(words, line), outcome
    assert not re.search(rf"nodes? (?!{node}\b)\d+[: ]", line.split("; repeat:")[0]), outcome
    return outcome


# A process is booked at least the memory of the one that starts it: this one is always small.
STARTER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(process.pid, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(usage.ru_maxrss << 10))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def memory_of(folder, *options, **bodies):
    """The most memory that mesh took for a run, in bytes, and what it said."""
    command = [sys.executable, "-c", STARTER, folder / "memory", mesh_tool.MESH, "run", "--qemu",
               write_script(folder, **bodies), "--dim", 1, *APP, *options]
    with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
        done = subprocess.run(list(map(str, command)), stdout=out, stderr=err, cwd=ROOT)
    memory = int((folder / "memory").read_text())
    return memory, done.returncode, (folder / "err").read_text()


def test_good_scripts_are_a_good_mesh(tmp_path):
    for mode in ("--free", "--lockstep"):
        outcome = hostile(tmp_path, mode, dim=2)
        assert outcome.status == 0 and outcome.report["verified_nodes"] == 4, outcome
        assert set(outcome.report["refused_by_host"].values()) == {0}, outcome


# ---- silence -------------------------------------------------------------------------------------

SILENT = {"at boot": "time.sleep(1000)",
          "before the job is prepared": "node.play(until='job'); time.sleep(1000)",
          "at work": "node.play(until='start'); time.sleep(1000)",
          "when it is asked": "node.play(until='poll'); time.sleep(1000)"}


@pytest.mark.free
@pytest.mark.parametrize("mode", ["--free", "--lockstep"])
@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_a_silent_node_is_named_though_its_neighbours_talk(body, mode, tmp_path):
    outcome = hostile(tmp_path, mode, *SOON, dim=2, node2=body)
    blamed(outcome, 2, "silent|does not answer")


@pytest.mark.free
def test_junk_is_no_sign_of_life(tmp_path):
    junk = "while True: node.send(os.urandom(60)); time.sleep(0.2)"
    blamed(hostile(tmp_path, *SOON, node1=junk), 1, "silent")


@pytest.mark.free
def test_a_node_that_talks_and_comes_no_further_is_named(tmp_path):
    talk = "while True: node.hello(); time.sleep(0.2)"
    blamed(hostile(tmp_path, *SOON, node1=talk), 1, "not ready, though")


@pytest.mark.free
def test_a_node_that_talks_and_never_rests_does_not_hold_up_a_lockstep_for_ever(tmp_path):
    chatter = """
        node.play(until='start')
        while True:
            node.say('console', b'still here\\n')
            time.sleep(0.1)
    """
    blamed(hostile(tmp_path, "--lockstep", *SOON, node1=chatter), 1, "does not answer")


@pytest.mark.free
@pytest.mark.parametrize("mode", ["--free", "--lockstep"])
def test_a_limit_ends_a_run_whose_nodes_go_on_and_on(mode, tmp_path):
    chatter = """
        node.play(until='start')
        while True:
            node.say('console', b'still here\\n')
            time.sleep(0.1)
    """
    blamed(hostile(tmp_path, mode, "--limit", 10, node1=chatter), 1,
           "not done within --limit 10 s")


def test_a_frame_of_a_node_that_said_it_had_nothing_to_do_holds_nobody_up(tmp_path):
    """In lockstep frames go out when nodes come to rest: this one comes when all have done so."""
    late = """
        node.play(until='start')
        time.sleep(0.5)
        node.say('report', report())
        node.send(head(KIND['idle'], HOST_PORT, model_time=NEVER, refused=node.frames),
                  head(KIND['hello'], 0))
        node.play()
    """
    outcome = hostile(tmp_path, "--lockstep", node0="node.play(timeout=1000)", node1=late)
    assert outcome.status == 0 and outcome.report["verified_nodes"] == 2, outcome


# ---- floods --------------------------------------------------------------------------------------

def test_a_flood_to_a_node_that_is_not_up_ends_the_one_that_floods(tmp_path):
    flood = """
        node.say('ready', bytes(20))
        for number in range(200_000):
            node.send(head(KIND['data'], 0, 900, model_time=number) + bytes(900))
        time.sleep(1000)
    """
    memory, status, err = memory_of(tmp_path, *NEVER, node0=flood, node1="time.sleep(1000)")
    assert status == 1 and "node 0: ended" in err and "nodes that are not up" in err, err
    assert memory < MEMORY_MAX, memory


@pytest.mark.free
def test_a_flood_to_a_node_that_does_not_read_ends_the_one_that_floods(tmp_path):
    flood = """
        node.play(until='start')
        for number in range(100_000):
            node.send(head(KIND['data'], 0, 900, model_time=1) + bytes(900))
        time.sleep(1000)
    """
    deaf = "node.play(until='start'); time.sleep(1000)"
    memory, status, err = memory_of(tmp_path, "--free", *SOON, node0=flood, node1=deaf)
    assert status == 1 and "node 0 floods node 1" in err, err
    assert memory < MEMORY_MAX, memory


def test_lockstep_holds_a_bounded_part_of_what_a_node_sends(tmp_path):
    flood = """
        node.play(until='start')
        for number in range(100_000):
            node.send(head(KIND['data'], 0, 900, model_time=number + 1) + bytes(900))
        time.sleep(1000)
    """
    memory, status, err = memory_of(tmp_path, "--lockstep", *NEVER, node0=flood)
    assert status == 1 and "node 0 sends on and on" in err, err
    assert memory < MEMORY_MAX, memory


def test_a_line_without_end_is_printed_in_parts(tmp_path):
    flood = """
        node.play(until='start')
        for _ in range(20_000):
            node.say('console', b'x' * 1000)
        node.say('report', report())
        node.play()
    """
    memory, status, err = memory_of(tmp_path, node0=flood)
    assert status == 0 and memory < MEMORY_MAX, (err, memory)
    lines = (tmp_path / "out").read_text().splitlines()
    assert sum(line.count("x") for line in lines) == 20_000_000
    assert max(map(len, lines)) <= 4096 + len("[0] ")
    assert all(line.startswith("[0] ") for line in lines)


PUSH = """
    node.play(until='start')
    node.say('push', (2 ** 30 - 1).to_bytes(4, 'little') + (1).to_bytes(4, 'little') + b'!')
    node.say('report', report())
    node.play()
"""


def test_a_push_far_out_takes_no_memory(tmp_path):
    for output in ([], ["--output", tmp_path / "output"]):
        memory, status, err = memory_of(tmp_path, *output, node0=PUSH)
        assert status == 0, err
        assert memory < MEMORY_MAX, memory
    assert (tmp_path / "output").stat().st_size == 2 ** 30


def test_a_push_beyond_what_the_op_gives_is_refused_and_counted(tmp_path):
    outcome = run("qemu", "--qemu", write_script(tmp_path, node0=PUSH), "--dim", 1, "--op",
                  "barrier", "--free")
    assert outcome.report["refused_by_host"]["pushes"] == 1, outcome


# ---- nonsense ------------------------------------------------------------------------------------


def test_a_timer_that_is_set_to_the_past_again_and_again_ends_its_node(tmp_path):
    outcome = hostile(tmp_path, "--lockstep", node1="node.play(timer=1)")
    blamed(outcome, 1, "model time that has passed")
    assert outcome.report["refused_by_host"]["nodes"] == 1, outcome


def test_a_timer_beyond_all_time_ends_its_node(tmp_path):
    outcome = hostile(tmp_path, "--lockstep", node1=f"node.play(timer={2 ** 63})")
    blamed(outcome, 1, "model time that cannot be")


@pytest.mark.free
@pytest.mark.parametrize("timer, words", [(2 ** 64 - 2, "comes to no rest"),
                                          (2 ** 64 - 3, "livelock: node 1 gives way")])
def test_a_node_that_never_rests_does_not_hold_up_a_run_for_ever(timer, words, tmp_path):
    outcome = hostile(tmp_path, "--lockstep", *SOON, node1=f"node.play(timer={timer})")
    assert outcome.status == 1 and words in last_line(outcome), outcome


@pytest.mark.parametrize("what", ["finish_time=2 ** 63", "status=256", "done=7"])
def test_a_report_that_cannot_be_ends_its_node(what, tmp_path):
    blamed(hostile(tmp_path, node1=f"node.play({what})"), 1, "cannot be|there is not")


def test_a_stream_that_is_none_of_frames_is_named_as_that(tmp_path):
    body = "node.socket.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n'); time.sleep(1000)"
    outcome = blamed(hostile(tmp_path, node1=body), 1, "no stream of frames")
    assert "signal" not in outcome.err, outcome


def test_an_end_in_the_middle_of_a_frame_is_named(tmp_path):
    body = "node.play(until='start'); node.socket.sendall(b'\\0\\0\\0\\x40' + bytes(20))"
    blamed(hostile(tmp_path, node1=body), 1, "in the middle of a frame")


def test_the_last_line_of_an_emulator_is_that_of_the_node_that_ended(tmp_path):
    outcome = hostile(
        tmp_path, node0="print('node 0 complains', file=sys.stderr, flush=True); node.play()",
        node1="node.play(until='start'); time.sleep(1); os.write(2, b'old\\nmy own'); os._exit(5)")
    blamed(outcome, 1, "exit 5, my own")
    assert "complains" not in outcome.err and "old" not in outcome.err, outcome


def test_nodes_that_close_their_sockets_and_live_on_hold_up_nobody(tmp_path):
    outcome = hostile(tmp_path, dim=3,
                      others="node.play(until='start'); node.socket.close(); time.sleep(1000)")
    assert outcome.status == 1 and "did not end" in outcome.err, outcome


# ---- words ---------------------------------------------------------------------------------------

ESCAPES = rb"\x1b]0;title\x07\x1b[31mred\r[0] forged\x7f\xc2\x9b1m \xff \xe2\x80\xae caf\xc3\xa9"
SHOWN = (r"\x1b]0;title\x07\x1b[31mred\x0d[0] forged\x7f\u{9b}1m \xff \u{202e} café")
SPEAK = f"""
    node.play(until='start')
    node.say('console', b'{ESCAPES.decode()}\\n')
    node.say('report', report())
    node.play()
"""


def test_what_a_node_prints_moves_no_cursor_and_bears_its_name(tmp_path):
    outcome = hostile(tmp_path, node1=SPEAK)
    assert outcome.out.splitlines() == ["[1] " + SHOWN], outcome
    assert hostile(tmp_path, "--raw", node1=SPEAK).out.startswith("[1] \x1b]0;title"), outcome


def test_what_an_emulator_says_is_clean_too(tmp_path):
    outcome = hostile(tmp_path, node1=f"os.write(2, b'{ESCAPES.decode()}\\n'); os._exit(1)")
    assert SHOWN in blamed(outcome, 1, "exit 1").err, outcome


def test_a_log_has_a_file_for_what_each_node_says(tmp_path):
    folder = tmp_path / "log"
    outcome = hostile(tmp_path, "--log", folder, node1=SPEAK,
                      node0="print('a warning', file=sys.stderr, flush=True); node.play()")
    assert outcome.status == 0, outcome
    content = {file.name: file.read_text() for file in folder.iterdir()}
    assert content["node-1.console"] == SHOWN + "\n" and content["node-0.stderr"] == "a warning\n"
    assert sorted(content) == ["boot", "command", "node-0.stderr", "node-1.console", "report.json"]
    assert re.search("mesh'? run", content["command"])
    assert '"verified_nodes":2' in content["report.json"]
    again = hostile(tmp_path, "--log", folder)
    assert again.status == 2 and "not empty" in again.err, again


def test_a_log_does_not_grow_without_end(tmp_path):
    flood = """
        node.play(until='start')
        for _ in range(20_000):
            node.say('console', b'x' * 1000)
        node.say('report', report())
        node.play()
    """
    outcome = hostile(tmp_path, "--log", tmp_path / "log", node0=flood)
    assert outcome.status == 0, outcome
    text = (tmp_path / "log" / "node-0.console").read_text()
    assert len(text) <= 16 << 20 and "cut" in text.splitlines()[-1]


@pytest.mark.free
def test_a_node_that_goes_on_after_its_fault_is_not_verified(tmp_path):
    script = """
        node.play(until='start')
        for _ in range(1000):
            node.say('fault', bytes(20))
        node.say('report', report())
        node.play()
    """
    outcome = blamed(hostile(tmp_path, *SOON, node1=script), 1, "firmware stopped")
    assert len(re.findall("^node 1: firmware stopped", outcome.err, re.M)) == 1, outcome
    assert outcome.report["failed_nodes"] == [1], outcome


def test_what_is_expected_bounds_what_is_kept_of_a_console(tmp_path):
    (tmp_path / "expected").write_text("[1] x\\n")
    script = """
        node.play(until='start')
        for _ in range(40000):
            node.say('console', b'x' * 999 + b'\\n')
        node.play()
    """
    memory, status, err = memory_of(tmp_path, "--expect", tmp_path / "expected", node1=script)
    assert status == 1 and "node 1 says 'xxx" in err, err
    assert memory < 40 << 20, f"{memory >> 20} MB"


# ---- signals -------------------------------------------------------------------------------------

SLOW = """
    node.play(until='start')
    while not os.path.exists({!r}):
        time.sleep(0.05)
    node.say('report', report())
    node.play()
"""


def slow_run(folder, *options, ignored=None):
    """A run whose node 1 has done its work when `folder`/go is there."""
    script = write_script(folder, node1=SLOW.format(str(folder / "go")))
    under = [] if ignored is None else ["env", f"--ignore-signal={ignored.name[3:]}"]
    return start("run", "--qemu", script, "--dim", 1, *APP, *(options or NEVER), under=under)


def nodes_of(rig):
    return wait_until(lambda: (lambda c: len(c) >= 2 and c)(mesh_tool.descendants(rig.pid)), 60,
                      "2 nodes")


def test_an_interrupt_ends_a_run_with_its_status_and_one_line(tmp_path):
    rig = slow_run(tmp_path)
    nodes_of(rig)
    rig.send_signal(signal.SIGINT)
    _, err = rig.communicate(timeout=TIMEOUT_S)
    assert rig.returncode == 130 and len(err.splitlines()) == 1, err
    assert re.match(r"mesh: ended by signal 2; nodes? [01].*: not \w+; \d+ packets have gone; "
                    "repeat: ", err), err


@pytest.mark.parametrize("ignored", [signal.SIGHUP, signal.SIGINT])
def test_a_signal_that_mesh_was_started_to_ignore_is_ignored(ignored, tmp_path):
    rig = slow_run(tmp_path, ignored=ignored)
    nodes_of(rig)
    rig.send_signal(ignored)
    (tmp_path / "go").touch()
    _, err = rig.communicate(timeout=TIMEOUT_S)
    assert rig.returncode == 0, err


@pytest.mark.free
def test_a_run_that_was_stopped_gives_up_no_live_node(tmp_path):
    rig = slow_run(tmp_path, "--timeout", 4, "--limit", 60)
    try:
        nodes_of(rig)
        time.sleep(1)
        rig.send_signal(signal.SIGSTOP)
        time.sleep(6)
        rig.send_signal(signal.SIGCONT)
        (tmp_path / "go").touch()
        _, err = rig.communicate(timeout=TIMEOUT_S)
        assert rig.returncode == 0, err
    finally:
        end(rig)


# ---- real emulators ------------------------------------------------------------------------------


SLEEPS = """#include "meshputer.hpp"
mesh::Process app_main(mesh::Kernel& node) {
    mesh::print("up\\n");
    for (;;)
        co_await node.sleep(1'000'000);
}
"""


@pytest.mark.free
def test_emulators_that_are_stopped_hold_up_the_end_of_a_run_no_longer_than_one(tmp_path):
    """Their monitors are asked who waits, and do not answer: two seconds for all, not for each."""
    (tmp_path / "sleeps.cpp").write_text(SLEEPS)
    rig = start("run", "--dim", 4, "--limit", 15, "--timeout", 600, "--app",
                tmp_path / "sleeps.cpp")
    try:
        for _ in range(16):
            assert "up" in rig.stdout.readline()
        for pid in descendants(rig.pid):
            if b"qemu-system-arm" in b" ".join(words_of(pid)):
                os.kill(pid, signal.SIGSTOP)
        _, err = rig.communicate(timeout=15 + 20)
        assert rig.returncode == 1 and "within --limit 15 s" in err, err
    finally:
        end(rig)


UNGUARDED = """#!/bin/bash
exec qemu-system-arm "${@/target=gdb/target=native}"
"""


@pytest.mark.toolchain
def test_an_image_writes_no_file_and_runs_no_command_on_the_host(tmp_path):
    made, unguarded = tmp_path / "made", tmp_path / "emulator"
    made.mkdir()
    unguarded.write_text(UNGUARDED)
    unguarded.chmod(0o755)
    arguments = ["run", "--lockstep", "--app", IMAGES / "app_semihosting.elf", "--dim", 1]
    words = ["--", made / "written", f"touch {made}/touched"]
    outcome = mesh_tool.mesh(*arguments, *words)
    assert outcome.status == 0 and list(made.iterdir()) == [], outcome
    outcome = mesh_tool.mesh(*arguments, "--qemu", unguarded, *words) # the image does try
    assert sorted(file.name for file in made.iterdir()) == ["touched", "written"], outcome


@pytest.mark.toolchain
def test_each_of_several_nodes_has_a_debugger_of_its_own(tmp_path):
    rig = start("run", "--qemu", write_script(tmp_path), "--dim", 2, *APP, "--gdb", "1,2", "--gdb",
                3)
    try:
        _, err = rig.communicate(timeout=TIMEOUT_S)
        assert rig.returncode == 0, err
        places = re.findall(r"node (\d) waits at reset; attach with: .*target remote (\S+)'", err)
        assert [node for node, _ in places] == ["1", "2", "3"], err
        assert len({place for _, place in places}) == 3
        assert not any(os.path.exists(place) for _, place in places)
    finally:
        end(rig)
