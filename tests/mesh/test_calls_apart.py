"""Which node does not make the calls of collectives that the others make is told by a simulation,
which sees all of them."""
import re

import pytest

from mesh_tool import mesh
from told_tool import HEAD, built, line_of, told

# Nodes that do not make the same calls; the comments are marks of lines.
CALLS = HEAD + """
Process app_main(Kernel& node) {
    const unsigned me = index(node.id());
    const int which = word<int>(node, 0, 0);
    unsigned value = me;
    std::array<unsigned, 4> all{};
    Status status = Status::ok;
    if (which == 1 && me != 3)
        status = co_await allreduce_value(node, value); // 1
    if (which == 2 && me != 3)
        status = co_await broadcast_value(node, value); // 2
    if (which == 3 && me != 0)
        status = co_await broadcast_value(node, value); // 3
    if (which == 4 && me != 2)
        status = co_await gather_value(node, value, all); // 4
    if (which == 5)
        status = co_await broadcast_value(node, value, node_at(me & 1)); // 5
    if (which == 6)
        status = co_await reduce_value(node, value, node_at(me & 1)); // 6
    if (which == 7 && me != 1)
        status = co_await broadcast_value(node, value); // 7
    if (which == 7 && me == 1)
        status = co_await reduce_value(node, value); // other
    for (unsigned round = 0; which == 8 && round < 70; ++round)
        if (const Status more = co_await broadcast_value(node, value, node_at(round % 4));
            more != Status::ok)
            status = more;
    if (which == 9) // no mistake: the nodes of a group, each under the tag of the group
        status = co_await allreduce_value(node, value);
    co_return status;
}
"""
MISSED = r"{} did not begin the {} that node {} began in app_main, \S*calls\.cpp:{}"
DIFFER = (r"node 1 began a {} in app_main, \S*calls\.cpp:{}, where node 0 began a {} in app_main, "
          r"\S*calls\.cpp:{}")


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    return built(tmp_path_factory.mktemp("calls"), "calls", CALLS)


@pytest.mark.parametrize("which, name, first, missing", [
    (1, "allreduce", 0, "node 3"), (2, "broadcast from node 0", 0, "node 3"),
    (3, "broadcast from node 0", 1, "node 0"), (4, "gather to node 0", 0, "node 2")])
def test_the_node_that_misses_a_collective_is_named(calls, which, name, first, missing):
    words = MISSED.format(missing, name, first, line_of(CALLS, which))
    assert re.search(words, told(calls, which, "--dim", 2)), told(calls, which, "--dim", 2)


@pytest.mark.parametrize("which, one, other", [
    (5, "broadcast from node 1", "broadcast from node 0"),
    (6, "reduction to node 1", "reduction to node 0"),
    (7, "reduction to node 0", "broadcast from node 0")])
def test_two_roots_and_two_collectives_at_one_place_are_told(calls, which, one, other):
    """Also where each node has got something, so that every status is ok."""
    lines = line_of(CALLS, "other" if which == 7 else which), line_of(CALLS, which)
    words = DIFFER.format(one, lines[0], other, lines[1])
    assert re.search(words, told(calls, which, "--dim", 2)), told(calls, which, "--dim", 2)


@pytest.mark.parametrize("which", [8, 9])
def test_nodes_that_call_alike_hear_nothing_of_it(calls, which):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", calls, "--", which)
    assert (outcome.status, outcome.err) == (0, ""), outcome


def test_a_node_that_was_killed_is_not_said_to_miss_a_collective(calls):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--faults", "kill:3", "--app", calls, "--",
                   9)
    assert "did not begin" not in outcome.err, outcome
