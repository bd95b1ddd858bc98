"""Helpers of the tests with many messages at once: programs of tests/mesh/apps that are built here,
for any board or for simulations with its memory, and runs of them that must end well."""
from mesh_tool import ROOT, mesh, run

# Ports of each board; --engine sim has the board's pool of buffers as well.
PORTS = {"netduinoplus2": 5, "mps2-an385": 4, "ast1030-evb": 11, "mps2-an505": 8}


def built(tmp_path_factory, name, *options):
    """tests/mesh/apps/NAME.cpp as a program; `options` say for what."""
    program = tmp_path_factory.mktemp(name) / name
    outcome = mesh("build", *options, ROOT / "tests" / "mesh" / "apps" / f"{name}.cpp", "-o",
                   program)
    assert (outcome.status, outcome.err) == (0, ""), outcome
    return program


def app(engine, program, where, words, **more):
    """A run of a program; `where`: board, network and all that is no word of the program's."""
    return run(engine, *where, "--app", program, "--", *words, **more)


def ends_well(outcome):
    """All nodes have ended with ok, and nothing was left in a mailbox; the report."""
    assert outcome.status == 0, outcome
    assert outcome.report["failed_nodes"] == [] and outcome.report["untaken"] == 0, outcome
    return outcome.report
