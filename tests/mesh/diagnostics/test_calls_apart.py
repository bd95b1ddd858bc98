"""Which node does not make the calls of collectives that the others make is told by a simulation,
which sees all of them."""
import re

import pytest

from mesh_tool import ROOT, mesh, program
from told_tool import line_of, told

CALLS = (ROOT / "tests/mesh/programs/calls.cpp").read_text()
MISSED = r"{} did not begin the {} that node {} began in app_main, \S*calls\.cpp:{}"
DIFFER = (r"node 1 began a {} in app_main, \S*calls\.cpp:{}, where node 0 began a {} in app_main, "
          r"\S*calls\.cpp:{}")


@pytest.mark.parametrize("which, name, first, missing", [
    (1, "allreduce", 0, "node 3"), (2, "broadcast from node 0", 0, "node 3"),
    (3, "broadcast from node 0", 1, "node 0"), (4, "gather to node 0", 0, "node 2")])
def test_the_node_that_misses_a_collective_is_named(which, name, first, missing):
    words = MISSED.format(missing, name, first, line_of(CALLS, which))
    said = told(program("calls"), which, "--dim", 2)
    assert re.search(words, said), said


@pytest.mark.parametrize("which, one, other", [
    (5, "broadcast from node 1", "broadcast from node 0"),
    (6, "reduction to node 1", "reduction to node 0"),
    (7, "reduction to node 0", "broadcast from node 0")])
def test_two_roots_and_two_collectives_at_one_place_are_told(which, one, other):
    """Also where each node has got something, so that every status is ok."""
    lines = line_of(CALLS, "other" if which == 7 else which), line_of(CALLS, which)
    words = DIFFER.format(one, lines[0], other, lines[1])
    said = told(program("calls"), which, "--dim", 2)
    assert re.search(words, said), said


@pytest.mark.parametrize("which", [8, 9])
def test_nodes_that_call_alike_hear_nothing_of_it(which):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", program("calls"), "--", which)
    assert (outcome.status, outcome.err) == (0, ""), outcome


def test_a_node_that_was_killed_is_not_said_to_miss_a_collective():
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--faults", "kill:3", "--app",
                   program("calls"), "--", 9)
    assert "did not begin" not in outcome.err, outcome
