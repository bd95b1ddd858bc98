"""A high process has its turn between any two waits of low ones, on both engines."""
import pytest

from mesh_tool import console, mesh, program


@pytest.mark.parametrize("how", [["sim"], ["sim", "--lockstep"], ["qemu", "--lockstep"]])
def test_a_high_process_that_can_run_goes_before_the_next_low_one(how):
    outcome = mesh("run", "--engine", *how, "--dim", 1, "--app", program("urgent"))
    assert outcome.status == 0, outcome
    assert console(outcome) == {0: [f"{does} {turn}" for turn in range(3)
                                    for does in ("rings", "answers", "works")]}, outcome
