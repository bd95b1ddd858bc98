"""`mesh load`: nodes boot with nothing but a loader, and get their image over the mesh."""
import json
import math
import re

import pytest

import boards
from mesh_tool import BUILD, console, mesh, refused

ALL = boards.names(BUILD)
LOADED = [board for board in ALL if (BUILD / board / "loader" / "loader.elf").exists()]
SERIAL = [board for board in LOADED if "serial" in boards.facts(BUILD, board)["lines"]]
ETHERNET = [board for board in LOADED if board not in SERIAL]
NODES = {"cube": lambda dim: 2 ** dim, "star": math.factorial}
BAD = "corrupt:0.03,drop:0.03,dup:0.05,reorder:0.05"
SAYS = re.compile(r"^loaded +(\d+) bytes into (\d+) nodes: (\d+) blocks, (\d+) steps,", re.M)


def loaded(board, topology, dim, *more):
    """The report's figures of the load, in a run in which every node has worked."""
    outcome = mesh("load", "hello", "--board", board, "--topology", topology, "--dim", dim,
                   "--timeout", 60, *more)
    assert outcome.status == 0, outcome
    assert set(console(outcome)) == set(range(NODES[topology](dim))), outcome
    return map(int, SAYS.search(outcome.out).groups())


@pytest.mark.parametrize("board, topology, dim, deep", [
    pytest.param(LOADED[0], "cube", 2, 2, marks=pytest.mark.free(gate=True)),
    *(pytest.param(*case, marks=pytest.mark.free) for case in (
        *((board, "cube", 2, 2) for board in LOADED[1:]), (SERIAL[0], "cube", 3, 3),
        (ETHERNET[0], "star", 4, 4)))])
def test_an_image_is_everywhere_after_as_many_steps_as_it_has_blocks_and_links_to_go(
        board, topology, dim, deep, tmp_path):
    """The first block is the tree by which they go."""
    file = tmp_path / "report.json"
    size, nodes, blocks, steps = loaded(board, topology, dim, "--report", file)
    assert blocks == 1 + -(-size // 1024) and steps == blocks + deep - 1
    assert nodes == NODES[topology](dim)
    told = json.loads(file.read_text())["load"]
    assert isinstance(told.pop("wall_s"), float)
    assert told == {"bytes": size, "blocks": blocks, "steps": steps}


@pytest.mark.free
@pytest.mark.parametrize("board", LOADED)
@pytest.mark.parametrize("node", [0, 1])
def test_a_node_that_is_reset_while_it_is_loaded_is_loaded_again(board, node):
    loaded(board, "cube", 2, "--faults", f"restart:{node}@60")


@pytest.mark.free
@pytest.mark.parametrize("board", LOADED)
def test_bad_cables_cost_time_only(board):
    loaded(board, "cube", 2, "--faults", BAD)


@pytest.mark.free
def test_a_star_is_loaded_over_bad_cables_though_a_node_is_reset():
    """Node 6 is a child of node 0, and others are loaded by it."""
    loaded(ETHERNET[0], "star", 4, "--faults", f"{BAD},restart:6@300")


@pytest.mark.free
def test_a_node_that_hears_nothing_is_named():
    outcome = mesh("load", "hello", "--dim", 1, "--timeout", 10, "--faults", "drop:1")
    assert outcome.status == 1, outcome
    assert "node 1: has not all of the image, and nothing new for 8 s" in outcome.err, outcome


@pytest.mark.parametrize("words, reason", [
    (["--engine", "sim"], "not with --engine sim"),
    (["--lockstep"], "not with --lockstep"),
    (["--topology", "uhc"], "its cables carry one way only, and a loader answers by the cable"),
    (["--op", "barrier"], "--op does not go with mesh load"),
    (["--repeat", 2], "mesh load is one run"),
    (["--faults", "kill:1"], "the image comes to other nodes by that node or cable"),
    *((["--board", board], "has no loader; those that have") for board in ALL if board not in
      LOADED),
])
def test_what_cannot_be_loaded_is_refused(words, reason):
    refused(mesh("load", "hello", "--dim", 3, *words), reason)


def test_a_tree_that_loaders_have_no_room_for_is_refused():
    refused(mesh("load", "hello", "--topology", "star", "--dim", 8),
            "40320 nodes; loaders have room for a tree of 5040")


def test_an_image_for_another_board_is_refused():
    other = BUILD / LOADED[1] / "loaded" / "hello.elf"
    refused(mesh("load", other, "--board", LOADED[0], "--dim", 1), "was built for board")


@pytest.mark.parametrize("board", LOADED)
def test_an_image_for_another_place_is_refused(board, tmp_path):
    """One that was linked by hand, and so has no stamp."""
    image = (BUILD / board / "relay" / "hello.elf").read_bytes()
    (tmp_path / "own.elf").write_bytes(image.replace(b".mesh.stamp", b".mesh.other"))
    refused(mesh("load", tmp_path / "own.elf", "--board", board, "--dim", 1),
            "the loader has room from")


@pytest.mark.parametrize("board", LOADED)
def test_a_loader_fits_four_kilobytes_or_six_if_it_writes_flash(board):
    memory = (BUILD / board / "loader" / "loader.elf.memory").read_text()
    room = 6144 if "flash" in boards.facts(BUILD, board) else 4096
    assert int(re.search(r"FLASH: +(\d+) B", memory)[1]) <= room
