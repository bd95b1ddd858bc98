"""The library of programs: calls for values in one order, and the mistakes that it sees itself."""
import pytest

from mesh_tool import ROOT, mesh, program, run

GOOD = ["any", "beside", "values", "former", "channels", "groups", "processes"]
NETWORKS = {"cube": ("--dim", 3), "uhc": ("--topology", "uhc", "--dim", 4),
            "star": ("--topology", "star", "--dim", 4)}
ON_QEMU = ["any", "beside", "values", "groups", "processes"] # others are alike
STORM = ("--faults", "drop:0.1,corrupt:0.05,dup:0.05,reorder:0.1")

OF_CALL = ("bad argument (of a call: a node, tag, size or tree that there is not, a tag of the "
           "library's (above 31743), or types, operators or sizes that differ from those of other "
           "nodes)")
# The words of bad_manners.cpp, and the messages of their runs.
STATUSES = {
    "reserved send": f"node 1 ended with: {OF_CALL}",
    "reserved receive": f"node 1 ended with: {OF_CALL}",
    "other size": f"node 1 ended with: {OF_CALL}",
    "other type": f"node 1 ended with: {OF_CALL}",
    "shorter": f"node 1 ended with: {OF_CALL}",
    "untyped size": f"node 1 ended with: {OF_CALL}",
    "other operator": f"nodes 0 1 ended with: {OF_CALL}",
    "other operator of a scan": f"nodes 0 1 ended with: {OF_CALL}",
    "other counts": f"node 0 ended with: {OF_CALL}",
    "value of nobody": "a channel was read that nobody writes to any more: `read(value)` says so",
}
# Of these the message names the line, too: the one that ends with this comment.
CHECKS = {
    "reserved": "it waits for a tag that is the library's: a program has 0 to 31743",
    "nothing": "it joins a process that never was, or that has been joined",
    "twice": "it joins a process that never was, or that has been joined",
    "awaited": "a Task was awaited that had ended: it runs once",
    "spawned": "a Process was spawned that had been moved from, or spawned before: it runs once",
    "guards": "no guard of this alt can become ready: the condition of each when() is false",
    "value of another type": "a channel is read as another type than it is written as",
}
WAITS = {
    "alt": "node 1 waits for the first of these: a message with tag 7 from node 0; somebody to "
           "write to a channel of its node; a message on channel 3 from node 0",
    "fair alt": "node 1 waits for the first of these: somebody to write to a channel of its node; "
                "a message from any node",
    "row": "node 1 waits for the first of these: a message with tag 0 from any node; a message "
           "with tag 1 from any node; a message with tag 2 from any node; 2 more",
    "requests": "node 1's process 1 waits for a message with tag 7 from any node",
    "collective": "node 0 waits for a message with tag 1 from node 1, which waits for node 0 to "
                  "begin the same collective with tag 0: a circle",
    "two roots": "node 0 waits for a message with tag 32000, of a gather, a scatter or the like "
                 "from node 1, which waits for a message with tag 32000, of a gather, a scatter or "
                 "the like from node 0: a circle",
}


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("word", GOOD)
def test_each_call_does_what_it_says_on_every_network(word, network):
    outcome = mesh("run", "--engine", "sim", *NETWORKS[network], "--app",
                   program("manners"), *STORM, "--", word)
    assert outcome.status == 0, outcome


@pytest.mark.parametrize("word", ON_QEMU)
def test_each_call_does_so_on_a_board(word):
    outcome = mesh("run", "--engine", "qemu", "--dim", 2, "--app", program("manners"),
                   "--", word)
    assert outcome.status == 0, outcome


def test_a_process_that_nobody_joins_fails_the_program_with_it():
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program("manners"), "--",
                   "alone")
    assert outcome.status == 1 and "nodes 0 1 ended with: truncated" in outcome.err, outcome


@pytest.mark.parametrize("word", STATUSES)
def test_a_call_that_cannot_be_meant_is_told(engine, word):
    outcome = mesh("run", "--engine", engine, "--dim", 1, "--app",
                   program("bad_manners"), "--", word)
    assert outcome.status == 1 and STATUSES[word] in outcome.err.splitlines()[-1], outcome


@pytest.mark.toolchain
@pytest.mark.parametrize("word", CHECKS)
def test_a_check_of_the_library_names_the_program_s_line(engine, word):
    lines = (ROOT / "tests/mesh/programs/bad_manners.cpp").read_text().splitlines()
    at = [at for at, text in enumerate(lines, 1) if text.endswith(f"// {word}")]
    outcome = mesh("run", "--engine", engine, "--dim", 1, "--app",
                   program("bad_manners"), "--", word)
    last = outcome.err.splitlines()[-1]
    assert outcome.status == 1 and f"node 1 firmware stopped: {CHECKS[word]}" in last, outcome
    assert not at or f"bad_manners.cpp:{at[0]}" in last, outcome


@pytest.mark.parametrize("word", WAITS)
def test_what_a_program_waits_for_has_words(engine, word):
    outcome = run(engine, "--dim", 1, *(["--lockstep"] * (engine == "qemu")), "--app",
                  program("bad_manners"), "--", word)
    assert outcome.status == 1 and WAITS[word] in outcome.err.splitlines()[-1], outcome
    words = [wait["for"] for wait in outcome.report["waits"]]
    assert "a condition of its own" not in words, outcome
    assert "the end of one of its requests" in words or word != "requests", outcome
