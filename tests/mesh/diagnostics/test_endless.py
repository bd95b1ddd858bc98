"""What never ends is ended on both engines: loops, livelocks, waits for ever; with their place."""
import re
import resource

import pytest

from mesh_tool import ROOT, mesh, program

SOURCE = ROOT / "tests" / "mesh" / "programs" / "endless.cpp"
# Emulators answer in real time, in lockstep too.
MODES = ["sim", *(pytest.param(mode, marks=pytest.mark.free) for mode in
                  ("qemu --free", "qemu --lockstep"))]


def line_of(what):
    [number] = [number for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
                if line.endswith(f"// {what}")]
    return number


def ends(mode, what, *words):
    """The last line of a run that has no end by itself."""
    timeout = 1 if mode == "sim" else 10
    outcome = mesh("run", "--engine", *mode.split(), "--dim", 1, "--timeout", timeout, "--app",
                   program("endless"), "--", what, *words)
    assert outcome.status == 1, outcome
    return outcome


@pytest.mark.parametrize("mode", MODES)
def test_processes_that_only_give_way_are_a_livelock_and_named_by_function(mode):
    outcome = ends(mode, 1, 1)
    first = line_of("livelock") # of the function; compilers differ in what its first line is
    lines = "|".join(map(str, range(first, first + 4)))
    assert re.search(r"livelock: node 1 gives way turn after turn, and nothing else moves, in "
                     rf"gives_way, .*endless\.cpp:({lines});",
                     outcome.err.splitlines()[-1]), outcome


@pytest.mark.parametrize("mode", MODES)
def test_a_sleep_for_ever_is_a_wait_for_a_time_that_never_comes(mode):
    outcome = ends(mode, 2, 1)
    assert "node 1 did not end; node 1 waits for a time that never comes" in (
        outcome.err.splitlines()[-1]), outcome


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_without_end_is_named_by_its_line(mode):
    outcome = ends(mode, 3, 1)
    assert re.search(rf"in app_main, .*endless\.cpp:({line_of('loop') - 1}|{line_of('loop')})\b",
                     outcome.err), outcome
    assert re.search("comput|does not answer", outcome.err.splitlines()[-1]), outcome


def test_a_loop_on_all_nodes_costs_the_time_of_one():
    """Processor time, which other work does not lengthen: each node alone would take 3 s."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    outcome = mesh("run", "--engine", "sim", "--dim", 4, "--timeout", 1, "--app",
                   program("endless"), "--", 3)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert outcome.status == 1 and used < 16 * 3 * 1 / 2, outcome
    assert len(re.findall(r"^node \d+: firmware stopped: it computes without end", outcome.err,
                          re.M)) == 16, outcome
