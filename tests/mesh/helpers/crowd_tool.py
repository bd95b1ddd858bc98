"""Helpers of the tests with many messages at once: runs of a program that must end well."""
from mesh_tool import run

# Ports of each board; --engine sim has the board's pool of buffers as well.
PORTS = {"netduinoplus2": 5, "mps2-an385": 4, "ast1030-evb": 11, "mps2-an505": 8}


def app(engine, program, where, words, **more):
    """A run of a program; `where`: board, network and all that is no word of the program's."""
    return run(engine, *where, "--app", program, "--", *words, **more)


def ends_well(outcome):
    """All nodes have ended with ok, and nothing was left in a mailbox; the report."""
    assert outcome.status == 0, outcome
    assert outcome.report["failed_nodes"] == [] and outcome.report["untaken"] == 0, outcome
    return outcome.report
