"""Registers are as they were, after switches of stacks and after frames that came in between."""
import re

import pytest

from mesh_tool import ROOT, console, mesh

PROGRAM = ROOT / "tests" / "mesh" / "mpi" / "registers.cpp"


LEAVES = 25_000  # of four stacks each

# With a register for the limit of the stack, and floating point; with the latter; with neither. A
# serial line gives few bytes to a node that computes.
MESSAGES = {"mps2-an505": 10_000, "ast1030-evb": 100, "mps2-an385": 100}


@pytest.mark.free # nodes compute while frames come
@pytest.mark.parametrize("board", MESSAGES)
def test_no_register_changes_by_a_switch_or_a_frame(board, tmp_path, exhaustive):
    if not exhaustive and board != "mps2-an505":
        pytest.skip("make test-mpi")
    outcome = mesh("build", "--engine", "qemu", "--board", board, PROGRAM, "-o",
                   tmp_path / "registers")
    assert outcome.status == 0, outcome
    outcome = mesh("run", "--board", board, "--dim", 2, "--app", tmp_path / "registers",
                   "--", LEAVES, MESSAGES[board] if exhaustive else 100, timeout=600)
    assert outcome.status == 0, outcome
    said = console(outcome)
    assert said[0] == [f"{4 * LEAVES} looks, 0 wrong"] and said[3] == ["0 looks, 0 wrong"]
    for node in (1, 2):
        looks, wrong = map(int, re.findall(r"\d+", said[node][0]))
        assert looks > 0 and wrong == 0, (node, said)
