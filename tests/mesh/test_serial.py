"""Whole runs on boards whose links are serial lines, and what every board.json promises."""
import pytest

import boards
from mesh_tool import BUILD, console, mesh, refused, run, verified

ALL = boards.names(BUILD)
SERIAL = [board for board in ALL if "serial" in boards.facts(BUILD, board)["lines"]]
OPS = {
    "bcast": ["--dim", 3, "--op", "bcast", "--tree", "msbt", "--bytes", 5000],
    "uhc": ["--topology", "uhc", "--dim", 3, "--op", "bcast", "--bytes", 1000],
    "star": ["--topology", "star", "--dim", 3, "--op", "scatter", "--bytes", 300],
    "allreduce": ["--dim", 2, "--op", "allreduce", "--bytes", 400],
    "sort": ["--dim", 2, "--op", "sort"],
    "one node's neighbour": ["--dim", 1, "--op", "bcast", "--bytes", 3000],
}
CONTENDING = {
    "send": ["--dim", 3, "--op", "send", "--faults", "drop:0.1"],
    "alltoall": ["--dim", 2, "--op", "alltoall", "--bytes", 100],
    "all faults": ["--dim", 2, "--op", "bcast", "--bytes", 3000, "--lockstep", "--faults",
                   "drop:0.2,corrupt:0.1,dup:0.1,reorder:0.1"],
}


def test_there_are_boards_with_serial_lines():
    assert SERIAL and len(ALL) > len(SERIAL)


@pytest.mark.parametrize("board", SERIAL)
@pytest.mark.parametrize("op", OPS)
def test_every_node_has_everything_in_the_steps_of_the_formula(board, op):
    report = verified(run("qemu", "--board", board, *OPS[op]))
    assert report["board"] == board
    if report["formula_steps"] is not None:
        assert report["steps"] == report["formula_steps"]


@pytest.mark.parametrize("board", SERIAL)
@pytest.mark.parametrize("op", CONTENDING)
def test_lockstep_is_the_same_as_simulated_to_the_byte(board, op):
    real, simulated = (verified(run(engine, "--board", board, *CONTENDING[op]))
                       for engine in ("qemu", "sim"))
    for what in ("steps", "hops", "retransmissions", "delivery_hash", "link_packets", "faults"):
        assert real[what] == simulated[what], what


@pytest.mark.parametrize("board", ALL)
def test_a_node_has_the_window_that_its_board_json_says(board):
    windows = boards.facts(BUILD, board)["windows"]
    outcome = mesh("run", "--board", board, "--dim", 2, "--app",
                   BUILD / board / "app_windows.elf")
    assert set(sum(console(outcome).values(), [])) == {f"window {windows[1]}"}, outcome


@pytest.mark.parametrize("board", SERIAL)
def test_a_crash_is_told_over_the_line_of_the_host(board):
    outcome = mesh("run", "--board", board, "--dim", 1, "--app", BUILD / board / "app_crash.elf",
                   "--", "divide")
    assert outcome.status == 1 and "divi" in outcome.err.splitlines()[-1], outcome


@pytest.mark.parametrize("board", SERIAL)
def test_a_full_stack_is_told_as_one(board):
    outcome = mesh("run", "--board", board, "--dim", 1, "--app", BUILD / board / "app_crash.elf",
                   "--", "recurse")
    assert outcome.status == 1 and "stopped: stack overflow" in outcome.err, outcome


@pytest.mark.parametrize("board", SERIAL)
def test_more_dimensions_than_lines_are_refused(board):
    lines = len(boards.facts(BUILD, board)["lines"]["serial"])
    refused(mesh("run", "--board", board, "--dim", lines, "--op", "barrier"), "--dim up to")
