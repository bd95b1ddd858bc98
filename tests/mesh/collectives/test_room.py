"""What an op keeps at a node fits the board's memory, or is refused before anything boots."""
import re

import pytest

from mesh_tool import BUILD, boards, mesh, refused, run, verified

BOARDS = set(boards.names(BUILD)) - boards.with_few_images() - boards.with_no_images()
SMALL = min(BOARDS, key=lambda board: boards.facts(BUILD, board).get("buffers", 1 << 16))
BLOCKS = ("scatter", "gather", "allgather", "alltoall")
PASSES = ("ascend", "sort", "fft")
NETWORKS = {"cube": (*BLOCKS, "reduce", *PASSES), "uhc": (*BLOCKS, *PASSES), "star": BLOCKS}


def on(board, topology, op, *more):
    return ("--board", board, "--topology", topology, "--dim", 3, "--op", op, *more)


@pytest.mark.parametrize("topology, op", [(topology, op) for topology in NETWORKS
                                          for op in NETWORKS[topology]])
def test_a_size_that_nobody_chose_fits_the_smallest_board(topology, op):
    verified(run("qemu", "--lockstep", *on(SMALL, topology, op)))


@pytest.mark.parametrize("topology, op", [(topology, op) for topology in NETWORKS
                                          for op in NETWORKS[topology]])
def test_the_largest_size_that_a_refusal_names_would_do(topology, op):
    too_large = mesh("run", *on(SMALL, topology, op, "--bytes", 4 << 20))
    refused(too_large, "at most" if op not in PASSES else "multiples of")
    most = int(re.search(r"(?:at most|from \d+ to) (\d+)", too_large.err)[1])
    verified(run("qemu", "--lockstep", *on(SMALL, topology, op, "--bytes", most)))
    unit = int((re.search(r"multiples of (\d+)", too_large.err) or "11")[1])
    one_more = mesh("run", *on(SMALL, topology, op, "--bytes", most + unit))
    assert one_more.status == 2 and "booted" not in one_more.out, one_more


@pytest.mark.parametrize("more, words", [
    (("--op", "bcast", "--copies", 2, "--bytes", 100_000), "a message of at most"),
    (("--op", "send", "--target", 1, "--input", "PAYLOAD"), "at most 18432 of a file"),
    (("--op", "allreduce", "--bytes", 100_000), "at most 18432")])
def test_what_else_a_node_must_keep_is_refused_by_the_board_that_has_no_room(more, words,
                                                                             tmp_path):
    payload = tmp_path / "payload"
    payload.write_bytes(bytes(100_000))
    more = [payload if word == "PAYLOAD" else word for word in more]
    refused(mesh("run", "--board", "netduinoplus2", "--dim", 3, *more), words)
    assert mesh("run", "--engine", "sim", "--dim", 3, *more).status == 0


def test_a_mesh_of_more_nodes_than_a_node_can_know_is_refused():
    most = boards.facts(BUILD, "netduinoplus2")["nodes"]
    star = ["--board", "netduinoplus2", "--topology", "star", "--op", "barrier"]
    refused(mesh("run", *star, "--dim", 6), f"has memory to know {most}: --dim up to 5")
    assert mesh("run", "--engine", "sim", *star, "--dim", 6).status == 0


def test_a_simulation_has_the_star_of_7():
    star = ["--topology", "star", "--dim", 7, "--op", "bcast", "--tree", "edt", "--bytes", 25600]
    outcome = mesh("run", "--engine", "sim", *star)
    assert outcome.status == 0 and "verified  5040 of 5040 live nodes" in outcome.out, outcome


def test_an_op_whose_tables_alone_fill_a_node_is_refused():
    refused(mesh("run", "--engine", "sim", "--dim", 16, "--op", "allgather"),
            "for its tables")
