"""Sends and receives that do not wait: requests and outboxes (tests/mesh/apps/posted.cpp)."""
import pytest

from mesh_tool import IMAGES, console, mesh
from mesh_tool import run as run_with_report

PROGRAM = IMAGES / "app_posted.elf"
STORM = ("--faults", "drop:0.1,corrupt:0.05,dup:0.05,reorder:0.1")
IN_ORDER = "in order true ok ok"
OTHERS = ["moved ok 1 from left true tag 7",
          "bad 0 bad argument, all truncated: ok 2 truncated, 2 bytes",
          "sends ok ok", "none 2 ok ok", "many ok 121 true", "took all ok",
          "room bad argument bad argument bad argument true ok ok ok"]


def run(part, *more, engine="sim", where=("--dim", 2)):
    return mesh("run", "--engine", engine, *where, *more, "--app", PROGRAM, "--", part)


def all_said(outcome, nodes):
    assert outcome.status == 0, outcome
    said = console(outcome)
    assert sorted(said) == list(range(nodes)), outcome
    for node, lines in said.items():
        # node 0 is the one that sends to all in one part, and says nothing there
        assert lines == [IN_ORDER] + [line for line in OTHERS
                                      if node != 0 or line != "took all ok"], outcome


@pytest.mark.parametrize("nodes, where", [(8, ("--dim", 3)),
                                          (16, ("--topology", "uhc", "--dim", 4)),
                                          (24, ("--topology", "star", "--dim", 4))])
def test_requests_and_outboxes_do_the_same_on_every_network_with_losses_too(nodes, where):
    all_said(run(0, where=where), nodes)
    all_said(run(0, *STORM, "--seed", 3, where=where), nodes)


def test_they_do_the_same_on_real_firmware():
    all_said(run(0, *STORM, engine="qemu"), 4)


def test_an_outbox_that_goes_before_its_messages_are_taken_fails_its_program():
    outcome = run(1)
    assert outcome.status == 1, outcome
    assert "nodes 0 1 2 3 gave up an Outbox with messages in it" in outcome.err, outcome


def test_a_flush_says_once_that_a_message_could_not_arrive():
    assert console(run(2)) == {0: ["ended ok unreachable ok"]}


def test_a_deadlock_names_the_message_in_the_outbox_that_nobody_takes():
    outcome = run(3)
    assert ("node 0 waits for its message with tag 7 to be taken by node 1, which waits for a "
            "message with tag 8 from node 0: a circle") in outcome.err, outcome


def test_a_process_that_delivers_tells_of_a_failure_that_nobody_has_asked_for():
    outcome = run_with_report("sim", "--dim", 1, "--timeout", 4, "--app", PROGRAM, "--", 5)
    assert outcome.status == 1 and outcome.report["waits"] == [
        {"node": 0, "process": 0, "for": "a message with tag 8 from any node"},
        {"node": 0, "process": 1, "for": "its message with tag 7 to be taken by node 1"}], outcome


def test_a_request_that_is_overwritten_while_it_is_open_ends_its_node():
    outcome = run(4)
    assert outcome.status == 1, outcome
    assert "a request was overwritten before it was waited for: wait() first" in outcome.err
    assert "called from overwrites" in outcome.err and "posted.cpp" in outcome.err, outcome
