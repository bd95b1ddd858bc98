"""`mesh embed`: every vertex of the guest has a node of its own, every edge is one link."""
import itertools
import json
import math

import pytest

from mesh_tool import mesh


def embed(*arguments):
    outcome = mesh("embed", *arguments)
    assert outcome.status == 0 and outcome.err == "", outcome
    return json.loads(outcome.out)


def holds(whole, edges, vertices):
    """Checks the map of a guest."""
    nodes = whole["map"]
    assert len(nodes) == len(set(nodes)) == vertices
    assert min(nodes) >= 0 and max(nodes) < 2 ** whole["dim"]
    assert all((nodes[a] ^ nodes[b]).bit_count() == 1 for a, b in edges)


def tree_edges(levels):
    return [((vertex - 1) // 2, vertex) for vertex in range(1, 2 ** levels - 1)]


def grid_edges(sides):
    """Neighbours of a grid, row-major, the last coordinate fastest."""
    places = {place: number
              for number, place in enumerate(itertools.product(*map(range, sides)))}
    for place, number in places.items():
        for axis in range(len(sides)):
            beyond = place[:axis] + (place[axis] + 1,) + place[axis + 1:]
            if beyond in places:
                yield number, places[beyond]


def tree_dim(levels):
    return levels if levels <= 2 else levels + 1


def grid_dim(sides):
    return max(1, sum((side - 1).bit_length() for side in sides))


@pytest.mark.parametrize("levels", range(1, 14))
def test_a_full_binary_tree_lives_in_the_cube_of_one_dimension_more(levels):
    for dim in (tree_dim(levels), tree_dim(levels) + 1):
        whole = embed("--guest", "tree", "--levels", levels, "--dim", dim)
        assert list(whole) == ["guest", "dim", "map"]
        assert (whole["guest"], whole["dim"]) == ("tree", dim)
        holds(whole, tree_edges(levels), 2 ** levels - 1)
    assert embed("--guest", "tree", "--levels", levels)["dim"] == tree_dim(levels)


SHAPES = ["1", "5", "8", "1x1", "2x2", "5x5", "3x17", "16x4", "5x5x3", "2x3x4x5", "9x1x9x2",
          "2x2x2x2x2x2x2x2", "1024x1024"]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_grid_lives_in_the_least_cube(shape):
    sides = list(map(int, shape.split("x")))
    whole = embed("--guest", "grid", "--shape", shape)
    assert (whole["guest"], whole["dim"]) == ("grid", grid_dim(sides))
    holds(whole, grid_edges(sides) if math.prod(sides) < 10000 else [], math.prod(sides))
    if whole["dim"] < 20:
        larger = embed("--guest", "grid", "--shape", shape, "--dim", whole["dim"] + 1)
        assert larger["dim"] == whole["dim"] + 1 and larger["map"] == whole["map"]


def test_an_axis_of_a_power_of_two_is_a_ring():
    nodes = embed("--guest", "grid", "--shape", "4x8")["map"]
    for row in range(4):
        assert (nodes[row * 8] ^ nodes[row * 8 + 7]).bit_count() == 1
    for column in range(8):
        assert (nodes[column] ^ nodes[3 * 8 + column]).bit_count() == 1


@pytest.mark.parametrize("levels", [1, 2, 3, 7, 19])
def test_a_tree_that_does_not_fit_is_told_the_least_dimension(levels):
    least = tree_dim(levels)
    refused(["--guest", "tree", "--levels", levels, "--dim", least - 1], f"--dim {least} ")


@pytest.mark.parametrize("shape", ["5", "5x5", "5x5x3", "1024x1024"])
def test_a_grid_that_does_not_fit_is_told_the_least_dimension(shape):
    least = grid_dim(list(map(int, shape.split("x"))))
    refused(["--guest", "grid", "--shape", shape, "--dim", least - 1], f"--dim {least} ")


def refused(arguments, allowed):
    outcome = mesh("embed", *arguments)
    assert outcome.status == 2 and outcome.out == "", outcome
    (line,) = outcome.err.strip().splitlines()
    assert allowed in line, outcome


BAD = {
    "no guest": ([], "--guest"),
    "no such guest": (["--guest", "ring"], "tree, grid"),
    "tree without levels": (["--guest", "tree"], "--levels"),
    "tree without a level": (["--guest", "tree", "--levels", 0], "1 to 19"),
    "tree of fewer": (["--guest", "tree", "--levels", -3], "1 to 19"),
    "tree above any cube": (["--guest", "tree", "--levels", 20], "--dim 21"),
    "tree far above any cube": (["--guest", "tree", "--levels", 2 ** 63 - 1], f"{2 ** 63}"),
    "tree with a shape": (["--guest", "tree", "--levels", 3, "--shape", "3x3"], "--levels"),
    "grid without shape": (["--guest", "grid"], "--shape"),
    "grid with levels": (["--guest", "grid", "--shape", "3x3", "--levels", 3], "--shape"),
    "grid above any cube": (["--guest", "grid", "--shape", "1025x1024"], "--dim 21"),
    "grid far above any cube": (["--guest", "grid", "--shape", "x".join(["4294967295"] * 8)],
                                "--dim 256"),
    "nine axes": (["--guest", "grid", "--shape", "x".join("2" * 9)], "1 to 8"),
    "cube of no dimension": (["--guest", "tree", "--levels", 1, "--dim", 0], "--dim 1"),
    "cube above any": (["--guest", "tree", "--levels", 3, "--dim", 21], "at most 20"),
    "dimension is a word": (["--guest", "tree", "--levels", 3, "--dim", "four"], "dim"),
    **{f"shape '{shape}'": (["--guest", "grid", f"--shape={shape}"], "5x5x3")
       for shape in ("x", "5x", "x5", "5xx3", "0x3", "-1x3", "5*3", "5x3.5", "5 x 3", "five",
                     "4294967296", "5x5X3")},
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_argument_is_one_line_that_says_what_is_allowed(case):
    refused(*BAD[case])


def test_help_names_the_options():
    outcome = mesh("embed", "--help")
    assert outcome.status == 0 and "--levels" in outcome.out and "--shape" in outcome.out, outcome
