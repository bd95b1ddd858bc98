"""`mesh load`: nodes boot with nothing but a loader, and get their image over the mesh."""
import json
import re

import pytest

import boards
from mesh_tool import BUILD, console, mesh, refused

ALL = boards.names(BUILD)
LOADED = [board for board in ALL if (BUILD / board / "loader" / "loader.elf").exists()]
SERIAL = [board for board in LOADED if "serial" in boards.facts(BUILD, board)["lines"]]
SAYS = re.compile(r"^loaded +(\d+) bytes into (\d+) nodes: (\d+) blocks, (\d+) steps,", re.M)


def loaded(board, dim, *more):
    """The report's figures of the load, in a run in which every node has worked."""
    outcome = mesh("load", "hello", "--board", board, "--dim", dim, "--timeout", 60, *more)
    assert outcome.status == 0 and set(console(outcome)) == set(range(2 ** dim)), outcome
    return map(int, SAYS.search(outcome.out).groups())


@pytest.mark.parametrize("board, dim", [*((board, 2) for board in LOADED), (SERIAL[0], 3)])
def test_an_image_is_everywhere_after_as_many_steps_as_it_has_blocks_and_links_to_go(
        board, dim, tmp_path):
    file = tmp_path / "report.json"
    size, nodes, blocks, steps = loaded(board, dim, "--report", file)
    assert blocks == -(-size // 1024) and nodes == 2 ** dim and steps == blocks + dim - 1
    told = json.loads(file.read_text())["load"]
    assert told.pop("wall_s") > 0
    assert told == {"bytes": size, "blocks": blocks, "steps": steps}


@pytest.mark.parametrize("board", LOADED)
@pytest.mark.parametrize("node", [0, 1])
def test_a_node_that_is_reset_while_it_is_loaded_is_loaded_again(board, node):
    loaded(board, 2, "--faults", f"restart:{node}@60")


@pytest.mark.parametrize("board", LOADED)
def test_bad_cables_cost_time_only(board):
    loaded(board, 2, "--faults", "corrupt:0.03,drop:0.03,dup:0.05,reorder:0.05")


def test_a_node_that_hears_nothing_is_named():
    outcome = mesh("load", "hello", "--dim", 1, "--timeout", 4, "--faults", "drop:1")
    assert outcome.status == 1, outcome
    assert "node 1: has not all of the image, and nothing new for 3 s" in outcome.err, outcome


@pytest.mark.parametrize("words, reason", [
    (["--engine", "sim"], "not with --engine sim"),
    (["--lockstep"], "not with --lockstep"),
    (["--topology", "star"], "the tree of the cube only"),
    (["--op", "barrier"], "--op does not go with mesh load"),
    (["--repeat", 2], "mesh load is one run"),
    (["--faults", "kill:1"], "the image comes to other nodes by that node or cable"),
    *((["--board", board], "has no loader; those that have") for board in ALL if board not in
      LOADED),
])
def test_what_cannot_be_loaded_is_refused(words, reason):
    refused(mesh("load", "hello", "--dim", 3, *words), reason)


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
