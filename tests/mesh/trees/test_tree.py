"""`mesh tree` prints the very rules of the firmware; here they are checked from outside."""
import json
import re

import pytest

from formulas import TREES
from mesh_tool import mesh, run, tree, verified


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("dim", [1, 2, 3, 4, 6])
def test_every_non_root_node_has_exactly_one_parent_and_it_is_a_neighbour(name, dim):
    for root in {0, 1, 2 ** dim - 1}:
        subtree, whole = tree(dim, name, root)
        parent, children = subtree["parent"], subtree["children"]
        assert (whole["topology"], whole["dim"], whole["tree"]) == ("cube", dim, name)
        assert (whole["root"], whole["nodes"]) == (root, 2 ** dim)
        assert len(parent) == len(children) == 2 ** dim
        assert [node for node in range(2 ** dim) if parent[node] == -1] == [root]
        listed = sorted((child, node) for node in range(2 ** dim) for child in children[node])
        assert listed == sorted((n, p) for n, p in enumerate(parent) if p != -1)
        assert all((child ^ node).bit_count() == 1 for child, node in listed)


@pytest.mark.parametrize("name,height",
                         [("sbt", 4), ("bs", 4), ("hp", 15), ("tcbt", 4), ("msbt", 5)])
def test_the_height_is_that_of_the_longest_way_from_the_root(name, height):
    subtree, whole = tree(4, name, 5)

    def depth(node):
        steps = 0
        while subtree["parent"][node] != -1:
            node, steps = subtree["parent"][node], steps + 1
            assert steps <= 16, "a circle"
        return steps

    assert max(map(depth, range(16))) == whole["height"] == height


def test_sbt_and_bs_are_the_same_tree():
    assert tree(5, "sbt", 11)[0] == tree(5, "bs", 11)[0]


def test_binomial_parent_is_the_relative_address_without_its_highest_bit():
    subtree, _ = tree(5, "sbt", 9)
    for node in range(32):
        relative = node ^ 9
        if relative:
            assert subtree["parent"][node] == node ^ (1 << (relative.bit_length() - 1))


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 6])
def test_bst_is_the_balanced_tree_of_least_rotation(dim):
    subtree, whole = tree(dim, "bst", 1)
    assert whole["tree"] == "sbnt-minr"
    for node in range(2 ** dim):
        if node != 1:
            assert subtree["parent"][node] == node ^ (1 << balanced_parent_port(node ^ 1, dim))
    assert subtree == tree(dim, "sbnt-minr", 1)[0]
    report = verified(run("sim", "--dim", dim, "--op", "bcast", "--tree", "bst"))
    assert report["tree"] == "sbnt-minr"


def rotated(address, count, dim):
    """`address` turned right."""
    return (address >> count | address << (dim - count)) & (2 ** dim - 1)


def balanced_parent_port(address, dim):
    """The first one to the right of the bit at which the address begins, turned to its least."""
    base = min(range(dim), key=lambda count: (rotated(address, count, dim), count))
    return max((bit for bit in range(dim) if address >> bit & 1),
               key=lambda bit: (bit - base) % dim)


@pytest.mark.parametrize("dim,root", [(1, 0), (2, 3), (4, 0), (4, 5), (6, 9)])
def test_a_cyclic_node_of_the_balanced_graph_has_a_parent_in_each_of_its_periods(dim, root):
    graph, _ = tree(dim, "sbg", root)
    assert "parent" not in graph
    for node in range(2 ** dim):
        address = node ^ root
        periods = [count for count in range(dim) if rotated(address, count, dim) == address]
        ports = {(balanced_parent_port(address, dim) - count) % dim for count in periods
                 } if address else set()
        assert graph["parents"][node] == sorted(node ^ (1 << port) for port in ports), node


@pytest.mark.parametrize("form,node", [("dot", r"(?m)(?:^  |-> )(\d+)"),
                                       ("svg", r'(?s)<g id="node\d+".*?<title>(\d+)</title>'),
                                       ("text", r"(?m)^ *(\d+)$")])
def test_other_formats_show_every_node_and_nothing_else(form, node):
    outcome = mesh("tree", "--topology", "cube", "--dim", 3, "--tree", "sbt", "--root", 0,
                   "--format", form)
    assert outcome.status == 0, outcome
    assert set(map(int, re.findall(node, outcome.out))) == set(range(8)), outcome


@pytest.mark.parametrize("words, panels", [
    (["--topology", "cube", "--dim", 3, "--tree", "msbt"], 3),
    (["--topology", "uhc", "--dim", 4], 1),
    (["--topology", "star", "--dim", 4, "--tree", "edt"], 3)])
def test_a_drawing_has_each_subtree_apart_with_its_edges_and_levels(words, panels):
    drawing = mesh("tree", *words, "--format", "svg", env={"PATH": "/nowhere"}).out
    whole = json.loads(mesh("tree", *words).out)
    assert drawing.count('<text class="title"') == panels == len(whole["subtrees"])
    edges = sum(len(below) for subtree in whole["subtrees"] for below in subtree["children"])
    assert drawing.count('<path class="edge"') == edges >= panels * (whole["nodes"] - 1)
    fills = set(re.findall(r'fill="(#[0-9a-f]{6})"/><', drawing))
    assert len(fills) >= min(whole["height"], 4), "levels differ by colour"


def test_nodes_of_a_drawing_do_not_cover_each_other():
    for topology, dim in (("cube", 6), ("uhc", 6), ("star", 5)):
        drawing = mesh("tree", "--topology", topology, "--dim", dim, "--format", "svg").out
        places = [(float(x), float(y)) for x, y in
                  re.findall(r'</title><circle cx="([-\d.]+)" cy="([-\d.]+)"', drawing)]
        nearest = min((x - u) ** 2 + (y - v) ** 2 for at, (x, y) in enumerate(places)
                      for u, v in places[:at])
        assert nearest > (0.5 * 56) ** 2, (topology, dim)


def test_an_embedding_can_be_drawn():
    drawing = mesh("embed", "--guest", "grid", "--shape", "3x3", "--format", "svg").out
    assert drawing.count('<path class="edge"') == 12
    assert set(re.findall(r">v(\d+)<", drawing)) == set(map(str, range(9)))
    shift = float(re.search(r"translate\([-\d.]+ ([-\d.]+)\)", drawing)[1])
    tops = [shift + float(y) for y in re.findall(r'<circle cx="[-\d.]+" cy="([-\d.]+)"', drawing)]
    high = float(re.search(r'viewBox="0 0 \d+ (\d+)"', drawing)[1])
    assert min(tops) == pytest.approx(high - max(tops), abs=1), "no band for a title"


def told(words, node):
    """What `mesh tree --why` says, by subtree: parents, and children in their order."""
    said = {}
    subtree = None
    outcome = mesh("tree", *words, "--why", node)
    assert outcome.status == 0, outcome
    for line in outcome.out.splitlines()[1:]:
        if line.startswith("subtree "):
            subtree = int(line.split()[1])
        kind = re.match("  (Parent|Children)", line)
        if kind:
            said.setdefault(subtree, {})[kind[1]] = [
                int(number) for number in re.findall(r"\(node (\d+)\)", line)]
    return said


@pytest.mark.parametrize("topology,dim", [("cube", 4), ("uhc", 4), ("star", 4)])
def test_the_arithmetic_of_each_tree_ends_with_the_parents_and_children_of_the_tree(topology, dim):
    trees = re.findall(rf"(?m)^(\S+) +{topology}: ", mesh("list", "trees").out)
    assert len(trees) >= 3
    for name in trees:
        words = ["--topology", topology, "--dim", dim, "--tree", name, "--root", 3]
        subtrees = json.loads(mesh("tree", *words).out)["subtrees"]
        for node in (0, 3, 11):
            said = told(words, node)
            for subtree in subtrees:
                one = said[subtree["index"] if len(subtrees) > 1 else None]
                above = subtree["parents"][node] if "parents" in subtree else \
                    [parent for parent in [subtree["parent"][node]] if parent >= 0]
                assert sorted(one["Parent"]) == above, (name, node)
                assert one["Children"] == subtree["children"][node], (name, node)


def test_what_a_node_keeps_in_sorting_is_said_with_its_bits():
    said = mesh("tree", "--dim", 3, "--op", "sort", "--why", 2).out.splitlines()
    assert said[0] == "sort at 010 (node 2)" and len(said) == 1 + 6
    assert said[2] == ("  Stage 1, dimension 1: exchange with 000 across 1; bits 1 and 2 of 010 "
                       "are 1 and 0, not alike: it keeps the larger values.")
    for words in (["--op", "bcast", "--why", 2], ["--op", "sort"],
                  ["--topology", "star", "--op", "sort", "--why", 2]):
        assert mesh("tree", "--dim", 3, *words).status == 2, words
    assert mesh("tree", "--dim", 3, "--why", 8).status == 2


@pytest.mark.parametrize("dim", [4, 8])
def test_levels_have_the_root_on_top_and_an_address_in_each_node(dim):
    words = ["--dim", dim, "--tree", "sbnt-minr", "--root", 5]
    drawing = mesh("tree", *words, "--format", "svg", "--layout", "levels").out
    places = {int(node): (float(x), float(y)) for node, x, y in re.findall(
        r'<title>(\d+)</title>.*?<text[^>]* x="([-\d.]+)" y="([-\d.]+)">', drawing)}
    labels = set(re.findall(r'<text[^>]*>([01]+)</text></g>', drawing))
    assert labels == {f"{node:0{dim}b}" for node in range(2 ** dim)}
    parents = json.loads(mesh("tree", *words).out)["subtrees"][0]["parent"]
    assert all(places[node][1] > places[parent][1] + 40
               for node, parent in enumerate(parents) if parent >= 0)
    rows = {}
    for x, y in places.values():
        rows.setdefault(y, []).append(x)
    assert all(b - a > 0.7 * 56 for row in rows.values()
               for a, b in zip(sorted(row), sorted(row)[1:])), "no two nodes overlap"
    assert max(map(len, rows.values())) <= 35, "a full level has two rows"
    assert drawing.count('<path class="edge"') == 2 ** dim - 1
    assert '<path class="link"' not in drawing
    for form in ("json", "text"):
        assert mesh("tree", *words, "--format", form, "--layout", "levels").status == 2
    dot = mesh("tree", *words, "--format", "dot", "--layout", "levels").out
    assert f'  5 [label="{5:0{dim}b}"];' in dot


def test_letters_of_a_drawing_have_the_size_of_letters():
    """Programs that take an svg apart garble fonts of less than a pixel."""
    drawing = mesh("tree", "--dim", 4, "--tree", "sbt", "--format", "svg").out
    sizes = [float(size) for size in re.findall(r"(?:font-size|font):([\d.]+)px", drawing)]
    assert len(sizes) >= 4 and min(sizes) >= 7


def test_a_drawing_in_a_page_changes_no_other_one():
    drawing = mesh("tree", "--dim", 3, "--tree", "sbt", "--format", "svg").out
    style = re.search("<style>(.*?)</style>", drawing)[1]
    selectors = ",".join(re.findall(r"([^{}]+)\{", style)).split(",")
    assert len(selectors) >= 7 and all(one.startswith(".mesh ") for one in selectors), selectors
    assert re.match(r'<svg [^>]*class="mesh"', drawing)
