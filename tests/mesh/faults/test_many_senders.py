"""A message arrives as long as faults are fewer than paths, however many nodes send to one."""
import pytest

from crowd_tool import app, ends_well
from mesh_tool import console, program
from seeds import draw_of

STAR = ["--topology", "star", "--dim"]
UHC = ["--topology", "uhc", "--dim"]


def all_come(where, faults, messages=2):
    """The report of a run in which every node gets so many messages to node 0."""
    outcome = app("sim", program("toone"), [*where, "--faults", faults], [messages])
    report = ends_well(outcome)
    assert console(outcome) == {0: ["all came"]}, outcome
    return report


@pytest.mark.parametrize("where, faults", [
    (["--dim", 8], "cut:0/3"), (["--dim", 9], "cut:0/3"), (["--dim", 9], "cut:0/2,cut:8/4"),
    (["--dim", 10], "cut:0/3"), ([*STAR, 6], "cut:0/2"),
    ([*STAR, 6], "cut:0/1,cut:0/2,cut:0/3,cut:0/4"), ([*UHC, 8], "cut:0/2"),
    ([*UHC, 9], "cut:0/1"), ([*UHC, 9], "cut:0/2"), ([*UHC, 10], "cut:0/2")])
def test_beside_faults_the_messages_of_all_nodes_get_to_one(where, faults):
    """Of those that the faults cut off from their way each asks by the paths that are left."""
    report = all_come(where, faults)
    # A link that only carries answers is gone round by the node that answers.
    assert report["disjoint_retries"] > 0 or where[1] == "uhc" and report["counters"]["links_dead"]


def test_beside_faults_the_messages_of_thousands_of_nodes_get_to_one(exhaustive):
    for where in [["--dim", 11], *([["--dim", 12], [*STAR, 7]] if exhaustive else [])]:
        assert all_come(where, "cut:0/3")["disjoint_retries"] > 0


@pytest.mark.parametrize("number", range(9))
def test_with_fewer_cuts_than_paths_the_messages_of_all_nodes_get_to_one(number, drawn_by):
    where, paths = [(["--dim", 6], 6), ([*STAR, 5], 4), ([*UHC, 6], 3)][number % 3]
    draw = draw_of(drawn_by, "many senders", number)
    all_come([*where, "--seed", draw.randrange(1 << 32)],
             f"cut:random@random x{draw.randint(1, paths - 1)}", 3)
