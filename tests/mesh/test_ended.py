"""A node whose program has ended says so, and soon, to nodes that send to it or wait for it."""
import pytest

from crowd_tool import built
from mesh_tool import console, mesh

SOON_S = 12 # a question and its answer on a board, and the run around it
EIGHT = ["--dim", 3]
TWO = ["--engine", "qemu", "--dim", 1]
NETWORKS = [EIGHT, ["--topology", "uhc", "--dim", 4], ["--topology", "star", "--dim", 4]]
WAITS = ("send", "long", "receive", "any", "look", "barrier")
TOLD = {"long": "send", "any": "receive", "begun": "send"}
AFTER, BEFORE = (5, 20), (50, 0) # node 1's program ends, node 0 begins, in units of model time


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return built(tmp_path_factory, "ended")


def said(program, where, *words):
    """The output of the nodes in a run in which all programs ended, soon."""
    where = where if "qemu" in where else ["--engine", "sim", *where]
    outcome = mesh("run", *where, "--timeout", 20, "--limit", 40, "--app", program, "--", *words)
    assert "did not end" not in outcome.err and "--limit" not in outcome.err.split("repeat")[0], \
        outcome
    assert outcome.seconds < SOON_S, outcome
    return console(outcome)


@pytest.mark.parametrize("what, times", [*((what, AFTER) for what in WAITS),
                                         *((what, BEFORE) for what in WAITS if what != "look")])
@pytest.mark.parametrize("where", NETWORKS, ids=["cube", "uhc", "star"])
def test_whoever_waits_for_an_ended_program_is_told_so(program, where, what, times):
    told = said(program, where, what, *times)
    assert told == {0: [f"{TOLD.get(what, what)}: unreachable"]}


@pytest.mark.parametrize("what, times", [
    ("send", AFTER), ("long", BEFORE), ("receive", AFTER), ("receive", BEFORE), ("any", AFTER),
    ("barrier", AFTER)])
def test_whoever_waits_for_an_ended_program_on_the_board_is_told_so(program, what, times):
    told = said(program, TWO, what, *(10 * time for time in times)) # a unit is a millisecond
    assert told == {0: [f"{TOLD.get(what, what)}: unreachable"]}


@pytest.mark.parametrize("where", [*NETWORKS, ["--board", "netduinoplus2", "--dim", 4], TWO],
                         ids=["cube", "uhc", "star", "small pool", "board"])
def test_offers_that_wait_when_a_program_ends_are_given_back(program, where):
    """In its mailbox and, where that is full, at home."""
    told = said(program, where, "offers", 500 if where == TWO else 50)
    assert told.pop(0) == 2 * ["send: unreachable"] and 1 not in told
    assert all(lines == 2 * ["send: unreachable"] for lines in told.values())
    assert where == TWO or len(told) >= 6


@pytest.mark.parametrize("where", [EIGHT, TWO], ids=["sim", "board"])
def test_a_receiver_that_ends_before_its_message_says_so(program, where):
    assert said(program, where, "begun") == {0: ["send: unreachable"]}


@pytest.mark.parametrize("where", [EIGHT, TWO], ids=["sim", "board"])
def test_what_an_ended_program_has_taken_stays_taken(program, where):
    assert said(program, where, "pair") == {0: ["send: ok", "send: unreachable"]}


@pytest.mark.parametrize("where", [EIGHT, TWO], ids=["sim", "board"])
def test_a_program_has_not_ended_while_a_process_of_it_is_left(program, where):
    assert said(program, where, "lives", 5) == {0: ["send: ok"]}
