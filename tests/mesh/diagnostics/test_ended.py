"""A node whose program has ended says so, and soon, to nodes that send to it or wait for it."""
import pytest

from mesh_tool import IMAGES, console, run

SOON = 5 # units of model time: a question and its answer
PROGRAM = IMAGES / "app_ended.elf"
EIGHT = ["--dim", 3]
TWO = ["--engine", "qemu", "--lockstep", "--dim", 1]
NETWORKS = [EIGHT, ["--topology", "uhc", "--dim", 4], ["--topology", "star", "--dim", 4]]
WAITS = ("send", "long", "receive", "any", "look", "barrier")
TOLD = {"long": "send", "any": "receive", "begun": "send"}
TAKES = 20 # a process of `lives` takes its message then
AFTER, BEFORE = (5, 20), (50, 0) # node 1's program ends, node 0 begins, in units of model time


def said(where, *words):
    """The output of the nodes in a run in which all programs ended, soon."""
    engine, *where = where[1:] if "qemu" in where else ["sim", *where]
    outcome = run(engine, *where, "--app", PROGRAM, "--", *words)
    assert "did not end" not in outcome.err, outcome
    latest = max((number for number in words if isinstance(number, int)), default=0)
    assert outcome.report["model_time"] <= max(latest, TAKES) + SOON, outcome
    return console(outcome)


@pytest.mark.parametrize("what, times", [*((what, AFTER) for what in WAITS),
                                         *((what, BEFORE) for what in WAITS if what != "look")])
@pytest.mark.parametrize("where", NETWORKS, ids=["cube", "uhc", "star"])
def test_whoever_waits_for_an_ended_program_is_told_so(where, what, times):
    told = said(where, what, *times)
    assert told == {0: [f"{TOLD.get(what, what)}: unreachable"]}


@pytest.mark.parametrize("what, times", [
    ("send", AFTER), ("long", BEFORE), ("receive", AFTER), ("receive", BEFORE), ("any", AFTER),
    ("barrier", AFTER)])
def test_whoever_waits_for_an_ended_program_on_the_board_is_told_so(what, times):
    told = said(TWO, what, *times)
    assert told == {0: [f"{TOLD.get(what, what)}: unreachable"]}


@pytest.mark.parametrize("where", [*NETWORKS, ["--board", "netduinoplus2", "--dim", 4], TWO],
                         ids=["cube", "uhc", "star", "small pool", "board"])
def test_offers_that_wait_when_a_program_ends_are_given_back(where):
    """In its mailbox and, where that is full, at home."""
    told = said(where, "offers", 50)
    assert told.pop(0) == 2 * ["send: unreachable"] and 1 not in told
    assert all(lines == 2 * ["send: unreachable"] for lines in told.values())
    assert where == TWO or len(told) >= 6


@pytest.mark.parametrize("where", [EIGHT, TWO], ids=["sim", "board"])
def test_a_receiver_that_ends_before_its_message_says_so(where):
    assert said(where, "begun") == {0: ["send: unreachable"]}


@pytest.mark.parametrize("where", [EIGHT, TWO], ids=["sim", "board"])
def test_what_an_ended_program_has_taken_stays_taken(where):
    assert said(where, "pair") == {0: ["send: ok", "send: unreachable"]}


@pytest.mark.parametrize("where", [EIGHT, TWO], ids=["sim", "board"])
def test_a_program_has_not_ended_while_a_process_of_it_is_left(where):
    assert said(where, "lives", 5) == {0: ["send: ok"]}
