"""C programs over MPI that lose nodes: calls with the dead end with an error, and those that are
left go on and end right, on both engines."""
import pytest

from mesh_tool import console, mesh, program

PARTS, NUMBERS = 12, 240
SUM = sum(number * number for number in range(PARTS * NUMBERS))
ENGINES = [["sim"], ["qemu", "--lockstep"]]


def lines_of(name, how, *more):
    outcome = mesh("run", "--engine", *how, "--app", program(name), *more)
    assert "ended the run" not in outcome.err and "ended with" not in outcome.err, outcome
    return console(outcome)


@pytest.mark.parametrize("how", ENGINES)
@pytest.mark.parametrize("faults", ["kill:3@40,kill:6@200", "kill:0@60,kill:1@60",
                                    "kill:7,kill:5@150"])
def test_the_ranks_that_are_left_end_with_the_right_sum(how, faults):
    lines = lines_of("survives", how, "--dim", 3, "--faults", faults)
    dead = [int(fault.partition(":")[2].partition("@")[0]) for fault in faults.split(",")]
    first = min(set(range(8)) - set(dead))
    assert lines[first][-1] == f"the sum is {SUM}", lines
    assert any(" are left in part " in line for line in lines[first]), lines


@pytest.mark.parametrize("where", [["--topology", "star"], ["--topology", "uhc"],
                                   ["--ranks", 7], ["--faults", "drop:0.1,corrupt:0.05,kill:2@30"]])
def test_they_do_on_other_networks_with_losses_and_among_some_ranks(where):
    faults = [] if "--faults" in where else ["--faults", "kill:2@30"]
    lines = lines_of("survives", ["sim"], "--dim", 3, *where, *faults)
    assert lines[0][-1] == f"the sum is {SUM}", lines


def test_without_a_fault_all_are_left():
    assert lines_of("survives", ["sim"], "--dim", 4) == {0: [f"the sum is {SUM}"]}


@pytest.mark.parametrize("how", ENGINES)
def test_who_waits_on_a_revoked_communicator_learns_of_it(how):
    lines = lines_of("revokes", how, "--dim", 3, "--faults", "kill:2@20")
    assert lines[0][-1] == "7 left, 1 failed, sum 7, agreed on 4: nothing", lines
    said = {rank: its[0] for rank, its in lines.items()}
    assert said.pop(1) in ("receive: failed, send: failed, then: revoked, revoked",
                           "receive: failed, send: revoked, then: revoked, revoked"), lines
    assert set(said) == {0, 3, 4, 5, 6, 7}
    assert set(said.values()) == {"receive: revoked, send: revoked, then: revoked, revoked"}, lines
    assert not any("MPI_Finalize()" in line for its in lines.values() for line in its), lines


@pytest.mark.parametrize("how, where", [(how, ["--dim", 3]) for how in ENGINES] + [
    (["sim"], ["--dim", 4]), (["sim"], ["--topology", "star", "--dim", 3]),
    (["sim"], ["--dim", 3, "--ranks", 5])])
def test_each_call_that_needs_the_dead_ends_with_an_error(how, where):
    last = 5 if "star" in where else where[-1] - 1 if "--ranks" in where else 2**where[-1] - 1
    assert lines_of("mourns", how, *where, "--faults", f"kill:{last}@10") == {0: ["0 wrong"]}


def test_a_program_that_asks_for_no_errors_is_ended():
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", program("revokes"), "--faults",
                   "kill:2")
    assert "MPI_Comm_dup: a member has failed" in outcome.err, outcome
