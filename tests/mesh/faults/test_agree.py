"""Programs that lose nodes and end right without them: survivors, on both engines."""
import pytest

from mesh_tool import console, mesh

PARTS, NUMBERS = 12, 240
SUM = sum(number * number for number in range(PARTS * NUMBERS))


@pytest.mark.parametrize("how", [["sim"], ["qemu", "--lockstep"]])
@pytest.mark.parametrize("faults", ["kill:3@40,kill:6@200", "kill:0@60,kill:1@60",
                                    "kill:7,kill:5@150"])
def test_the_nodes_that_are_left_end_with_the_right_sum(how, faults):
    outcome = mesh("run", "--engine", *how, "--dim", 3, "--app", "survivors", "--faults", faults)
    dead = [int(fault.partition(":")[2].partition("@")[0]) for fault in faults.split(",")]
    lines = console(outcome)
    first = min(set(range(8)) - set(dead))
    assert lines[first][-1] == f"the sum is {SUM}", outcome
    assert sum(f"the sum is {SUM}" in lines[node] for node in lines) == 1, outcome
    assert any(" are left in part " in line for line in lines[first]), outcome
    assert "ended with" not in outcome.err, outcome


def test_without_a_fault_all_are_left():
    outcome = mesh("run", "--engine", "sim", "--dim", 4, "--app", "survivors")
    assert outcome.status == 0, outcome
    assert console(outcome) == {0: [f"the sum is {SUM}"]}, outcome
