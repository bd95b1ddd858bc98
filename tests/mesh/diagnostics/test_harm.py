"""A program of the simulation harms its own node only: it is named, and all others go on."""
import re
import signal
import subprocess

import pytest

from mesh_tool import MESH, ROOT, console, mesh, program, run, ticks_of, wait_until

SOURCE = ROOT / "tests" / "mesh" / "programs" / "harm.c"
BEYOND = "something wrote beyond the end of a block of malloc(), or before its begin"
OF_STACK = "it reads or writes beyond the end of its stack: of an array or a variable there"
OF_GLOBALS = "it reads or writes beyond the last of its globals"
AT_END = "it wrote beyond the end of an array or a variable on its stack"
TWICE = "free() or realloc() is given a block that has been given back"
NO_BLOCK = "free() or realloc() is given a pointer that does not come from malloc()"

# What the words of harm.c make node 1 say, and the line that has this comment.
HARMS = {
    "heap 1": (BEYOND, "taken"), "heap 16": (BEYOND, "taken"), "heap 100": (BEYOND, "taken"),
    "heap 10000": (BEYOND, "taken"), "heap 100000": (BEYOND, "taken"),
    "stack 16": (AT_END, "stack"), "stack 100": (AT_END, "stack"),
    "stack 10000": (OF_STACK, "fill"), "stack 100000": (OF_STACK, "fill"),
    "global 10000": (OF_GLOBALS, "fill"), "global 100000": (OF_GLOBALS, "fill"),
    "loop 10000": (OF_GLOBALS, "loop"),
    "twice": (TWICE, "twice"), "joined": (TWICE, "joined"),
    "inside": (NO_BLOCK, "inside"), "odd": (NO_BLOCK, "odd"), "array": (NO_BLOCK, "array"),
    "before": (BEYOND, "two"), "end": (BEYOND, "two"),
}
# Where the board's allocator has no room to keep where a block was taken, or who wrote behind it
# to the next multiple of 8.
ON_BOARDS = {"heap 16": (BEYOND, "given back"), "heap 100": (BEYOND, "given back"),
             "twice": HARMS["twice"], "joined": HARMS["joined"], "inside": HARMS["inside"],
             "odd": HARMS["odd"], "array": HARMS["array"], "before": (BEYOND, "before")}


def line_of(mark):
    return next(number for number, text in enumerate(SOURCE.read_text().splitlines(), 1)
                if text.endswith(f"/* {mark} */"))


@pytest.mark.parametrize("engine, words", [*(("sim", words) for words in HARMS),
                                           *(("qemu", words) for words in ON_BOARDS)])
def test_who_writes_beyond_its_own_memory_is_named_and_the_others_go_on(engine, words):
    outcome = run(engine, "--dim", 2, "--app", program("harm"), "--", *words.split())
    cause, mark = HARMS[words] if engine == "sim" else ON_BOARDS[words]
    assert outcome.status == 1, outcome
    last = outcome.err.splitlines()[-1]
    assert last.startswith(f"mesh: node 1 firmware stopped: {cause}, in "), outcome
    assert re.search(rf"\bharm\.c:{line_of(mark)}\b", last), outcome
    assert console(outcome).keys() >= {0, 2, 3}, outcome
    assert cause in outcome.report["reason"], outcome.report["reason"]


BEYOND_CPP = SOURCE.with_name("beyond.cpp")
OF_COROUTINE = ("it reads or writes beyond the end of an array or a variable of a coroutine, or of "
                "what Kernel::make() gave")


@pytest.mark.parametrize("words, cause, mark", [
    ("0 10000", OF_GLOBALS, "fill"), ("0 100000", OF_GLOBALS, "fill"),
    ("1 100000", OF_COROUTINE, "fill"), ("2 10000000", OF_COROUTINE, "fill"),
    ("3 16", AT_END, "function"), ("3 100", AT_END, "function"), ("3 10000", OF_STACK, "fill"),
    ("3 100000", OF_STACK, "fill"), ("3 10000000", OF_STACK, "fill")])
def test_coroutines_too_harm_their_own_node_only(words, cause, mark):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", program("beyond"), "--",
                   *words.split())
    assert outcome.status == 1, outcome
    last = outcome.err.splitlines()[-1]
    line = next(number for number, text in enumerate(BEYOND_CPP.read_text().splitlines(), 1)
                if text.endswith(f"// {mark}"))
    assert last.startswith(f"mesh: node 1 firmware stopped: {cause}, in "), outcome
    assert f"beyond.cpp:{line}" in last, outcome
    assert "nodes 0 2 3 ended with: unreachable" in last, outcome


@pytest.mark.parametrize("words", ["global 16", "global 100"])
def test_what_a_program_overwrites_of_its_own_globals_is_its_own_affair(words):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", program("harm"), "--",
                   *words.split())
    assert outcome.status == 0, outcome


def test_nothing_is_said_of_a_program_that_harms_nobody(engine):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--app", program("harm"), "--", "nothing")
    assert outcome.status == 0, outcome
    assert console(outcome) == {rank: [f"rank {rank} is there"] for rank in range(4)}, outcome


def test_a_program_that_overwrites_the_c_library_ends_the_tool_with_one_line():
    """No page can be put around what the C library of this machine keeps."""
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program("harm"), "--", "stdout")
    assert outcome.status in (1, 128 + signal.SIGSEGV, -signal.SIGSEGV), outcome
    assert re.search(r"^mesh: node \d (ran before a fault of the host tool|firmware stopped)",
                     outcome.err, re.M), outcome


@pytest.mark.parametrize("what", ["memset", "sprintf", "time"])
def test_a_signal_ends_a_run_whatever_its_program_calls_without_end(what):
    command = [MESH, "run", "--engine", "sim", "--dim", 1, "--app", program("harm"), "--", what]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    wait_until(lambda: ticks_of(process.pid) > 100, 60, "more work than there is before the loop")
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 128 + signal.SIGTERM, said
    assert said.splitlines()[-1].startswith("mesh: ended by signal 15; "), said
    assert "; repeat: " in said.splitlines()[-1], said


@pytest.mark.parametrize("what", ["memset", "sprintf"])
def test_a_loop_of_calls_of_a_library_is_one_without_end(what):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--timeout", 0.3, "--app",
                   program("harm"), "--", what)
    assert outcome.status == 1, outcome
    last = outcome.err.splitlines()[-1]
    assert "node 1 firmware stopped: it computes without end" in last, outcome
    line = int(re.search(r"\bharm\.c:(\d+)\b", last)[1])
    assert line_of("for ever") <= line <= line_of(what), outcome # of the call, or of its loop


def test_a_rank_has_a_heap_of_its_own_size():
    def room(wanted, *options):
        outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program("own"), *options,
                       "--", wanted)
        assert outcome.status == 0, outcome
        return {line for lines in console(outcome).values() for line in lines
                if line.startswith("room")}
    assert room(11 << 20) == {"room 1"} and room(13 << 20) == {"room 0"}
    assert room(13 << 20, "--heap", "16M") == {"room 1"}
    assert room(1 << 20, "--heap", "64k") == {"room 0"}


def posix_48(seed):
    """The states of drand48() after srand48(seed), as POSIX says."""
    state = seed << 16 | 0x330E
    while True:
        state = (0x5DEECE66D * state + 0xB) % (1 << 48)
        yield state


def test_chance_and_the_end_of_a_program_are_a_node_s_own(engine):
    outcomes = [mesh("run", "--engine", engine, "--dim", 1, "--app", program("own"), "--seed", seed)
                for seed in (1, 1, 2)]
    lines = [console(outcome) for outcome in outcomes]
    assert outcomes[0].status == 0 and lines[0] == lines[1], outcomes[0]
    zero, one = lines[0][0], lines[0][1]
    assert zero[-3:] == one[-3:] == ["kin 42 4 0", "first", "last"], outcomes[0]
    states = posix_48(5)
    unit, whole = next(states) / 2**48, next(states) >> 17
    assert one[1] == zero[0] and f" {unit:.9f} {whole} " in zero[0], outcomes[0]
    drawn = [[text for text in lines[run][node] if text.startswith("drawn")]
             for run in (0, 2) for node in (0, 1)]
    assert drawn[0] == drawn[2] and drawn[0] != drawn[1] != drawn[3], drawn


def test_chance_is_the_same_on_both_engines():
    sim, qemu = (mesh("run", "--engine", engine, "--dim", 1, "--app", program("own"))
                 for engine in ("sim", "qemu"))
    assert console(sim) == console(qemu), (sim, qemu)
