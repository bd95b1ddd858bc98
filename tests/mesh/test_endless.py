"""What never ends is ended on both engines: loops, livelocks, waits for ever; with their place."""
import re

import pytest

from mesh_tool import mesh

SOURCE = """#include "meshputer.hpp"
namespace {
volatile unsigned turns = 0;
mesh::Process gives_way(mesh::Kernel& node) { // livelock
    for (;;)
        co_await node.yield();
}
mesh::Process sleeps(mesh::Kernel& node) {
    co_await node.sleep(mesh::wire::kNever);
    co_return mesh::Status::ok;
}
}
mesh::Process app_main(mesh::Kernel& node) {
    const int what = mesh::word<int>(node, 0, 0);
    if (mesh::index(node.id()) < mesh::word<unsigned>(node, 1, 0))
        co_return mesh::Status::ok;
    if (what == 1)
        co_return co_await gives_way(node);
    if (what == 2)
        co_return co_await sleeps(node);
    while (what == 3)
        turns = turns + 1; // loop
    co_return mesh::Status::ok;
}
"""
MODES = [("sim",), ("qemu",), ("qemu", "--lockstep")]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("endless")
    (folder / "endless.cpp").write_text(SOURCE)
    outcome = mesh("build", "endless.cpp", "-o", "endless", cwd=folder)
    assert outcome.status == 0, outcome
    return folder / "endless"


def line_of(what):
    [number] = [number for number, line in enumerate(SOURCE.splitlines(), 1)
                if line.endswith(f"// {what}")]
    return number


def ends(program, mode, what, *words):
    """The last line of a run that has no end by itself."""
    timeout = 1 if mode == ["sim"] else 4 # an emulator takes a part of it to come up
    outcome = mesh("run", "--engine", *mode, "--dim", 1, "--timeout", timeout, "--app", program,
                   "--", what, *words, timeout=120)
    assert outcome.status == 1, outcome
    return outcome


@pytest.mark.parametrize("mode", MODES, ids=" ".join)
def test_processes_that_only_give_way_are_a_livelock_and_named_by_function(program, mode):
    outcome = ends(program, mode, 1, 1)
    first = line_of("livelock") # of the function; compilers differ in what its first line is
    lines = "|".join(map(str, range(first, first + 4)))
    assert re.search(r"livelock: node 1 gives way turn after turn, and nothing else moves, in "
                     rf"gives_way, .*endless\.cpp:({lines});",
                     outcome.err.splitlines()[-1]), outcome


@pytest.mark.parametrize("mode", MODES, ids=" ".join)
def test_a_sleep_for_ever_is_a_wait_for_a_time_that_never_comes(program, mode):
    outcome = ends(program, mode, 2, 1)
    assert "node 1 did not end; node 1 waits for a time that never comes" in (
        outcome.err.splitlines()[-1]), outcome


@pytest.mark.parametrize("mode", MODES, ids=" ".join)
def test_a_loop_without_end_is_named_by_its_line(program, mode):
    outcome = ends(program, mode, 3, 1)
    assert re.search(rf"in app_main, .*endless\.cpp:({line_of('loop') - 1}|{line_of('loop')})\b",
                     outcome.err), outcome
    assert re.search("comput|does not answer", outcome.err.splitlines()[-1]), outcome


def test_a_loop_on_all_nodes_costs_the_time_of_one(program):
    outcome = mesh("run", "--engine", "sim", "--dim", 4, "--timeout", 1, "--app", program, "--", 3)
    assert outcome.status == 1 and outcome.seconds < 16 * 3 * 1 / 2, outcome
    assert len(re.findall(r"^node \d+: firmware stopped: it computes without end", outcome.err,
                          re.M)) == 16, outcome
