"""The mode of a run's page that asks to whom each node sends."""
import json
import subprocess

import pytest

from mesh_tool import ROOT, mesh
from page_tool import WITH_LIBRARIES


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The page of a run over a tree."""
    made = {}

    def page_of(tree, *words):
        if tree not in made:
            made[tree] = tmp_path_factory.mktemp("ask") / f"{tree}.html"
            outcome = mesh("run", "--engine", "sim", *(words or ("--dim", 3)), "--tree", tree,
                           *(() if "--op" in words else ("--op", "bcast")), "--bytes", 64,
                           "--report", made[tree])
            assert outcome.status == 0, outcome.err
        return made[tree]
    return page_of


def asked(page, *acts, place="#ask=1"):
    done = subprocess.run(["node", ROOT / "tests/mesh/reports/ask.js", page, place,
                           json.dumps(acts)],
                          capture_output=True, text=True, timeout=60, env=WITH_LIBRARIES)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["states"]


def children_of(tree, *words):
    outcome = mesh("tree", *(words or ("--dim", 3)), "--tree", tree, "--format", "json")
    return json.loads(outcome.out)["subtrees"][0]["children"]


def right_answers(children):
    """Clicks that find a whole tree: all children of a node, then the node itself."""
    order = [0]
    for node in order:
        order += children[node]
        yield from children[node]
        yield node


@pytest.mark.parametrize("tree,words", [("sbt", ()), ("bts", ("--topology", "uhc", "--dim", 4)),
                                        ("spt", ("--topology", "star", "--dim", 3))])
def test_whoever_clicks_all_children_has_found_the_tree_without_a_mistake(pages, tree, words):
    children = children_of(tree, *words)
    acts = list(right_answers(children))
    states = asked(pages(tree, *words), *acts)
    nodes = len(children)
    assert states[0]["edges"] == 0 and states[0]["asked"] == [0] and states[0]["full"] == 1
    assert [state["edges"] for state in states[-1:]] == [nodes - 1]
    assert states[-1]["full"] == nodes and states[-1]["asked"] == []
    assert f"That was the last of {nodes} nodes: right {2 * nodes - 1}, wrong 0." in \
        states[-1]["lines"]


def test_a_wrong_click_is_counted_and_shows_nothing(pages):
    # Of the binomial tree of 8 nodes: 0 has no link to 3, and 1 sends to 3 and 5 and no other.
    states = asked(pages("sbt"), 3, 0, 1, 2, 4, 0, 0, 5, 1)
    said = ["\n".join(state["lines"]) for state in states]
    assert "No: no link leads from node 0 (000) to node 3 (011)." in said[1]
    assert states[1]["edges"] == 0 and "right 0, wrong 1." in said[1]
    assert "No: node 0 (000) sends to more than these." in said[2] and states[2]["asked"] == [0]
    assert states[6]["asked"] == [1] and "right 4, wrong 2." in said[6]
    assert "is the one that it has it from" in said[7] and states[7]["edges"] == 3
    assert states[8]["edges"] == 4 and "sends to more than these" in said[9]


def test_what_is_hidden_is_not_told_before_it_is_found(pages):
    """Neither the arithmetic nor a packet under way says it; of a node that is done it is shown."""
    first, *_, last = asked(pages("sbt"), 1, 2, 4, "rest")
    assert not any("children" in line.lower() for line in first["lines"])
    assert any("001 (node 1) by port 0" in line for line in last["lines"])
    assert not any("011 (node 3)" in line for line in last["lines"])


def test_who_asks_for_the_tree_of_an_exchange_is_told_of_the_tree(pages):
    first, *_, last = asked(pages("sbnt-minr", "--dim", 3, "--op", "allgather"),
                            *right_answers(children_of("sbnt-minr")))
    assert not any("Cycle" in line for line in first["lines"] + last["lines"])
    assert any(line.startswith("Parent: ") for line in last["lines"])


def test_the_mode_is_in_the_address_and_by_keys_and_ends(pages):
    states = asked(pages("sbt"), "ask", "Enter 1", "ask", place="")
    assert [state["asks"] for state in states] == [False, True, True, False]
    assert "ask=1" in states[1]["hash"] and "ask" not in states[3]["hash"]
    assert states[0]["edges"] == 7 == states[3]["edges"] and states[2]["edges"] == 1
