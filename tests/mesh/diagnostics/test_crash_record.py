"""A program that breaks: the run names its node, the fault, and the line; on both engines."""
import pathlib
import re

import pytest

from mesh_tool import ROOT, probe

SOURCE = pathlib.Path("tests/mesh/apps/crash.cpp")
BOTH = {
    "read-null": "no access to address 0x00000000, by a null pointer",
    "write-null": "no access to address 0x00000000, by a null pointer",
    "call-null": "jump to an address that holds no code, by a null pointer to a function",
    "wild": "no access to address 0x60000000",
    "divide": "division by zero",
    "long-divide": "division by zero",
    "undefined": "undefined instruction",
    "assert": "an assertion does not hold",
    "abort": "the program called abort()",
    "exit": "the program called exit(), which ends the node; its status was 5",
    "two-writers": "two processes write to one channel at a time",
    "two-readers": "two processes read from one channel at a time",
}


def line_of(word):
    """The line of the program that a word stands behind."""
    lines = (ROOT / SOURCE).read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if text.endswith(f"// {word}"))


def stopped(outcome):
    """The words of node 1, which must be all that stopped, and in the last line again."""
    assert outcome.status == 1, outcome
    told = re.findall(r"^node (\d+): firmware stopped: (.*) \(pc 0x", outcome.err, re.M)
    assert [node for node, _ in told] == ["1"], outcome
    last = outcome.err.splitlines()[-1]
    assert last.startswith("mesh: node 1 firmware stopped: ") and told[0][1] in last, outcome
    return told[0][1]


@pytest.mark.toolchain
@pytest.mark.parametrize("word", BOTH)
def test_a_crash_names_node_cause_and_line(engine, word):
    outcome = probe(engine, "crash", word, options=["--dim", 2])
    words = stopped(outcome)
    assert words.startswith(BOTH[word]), outcome
    assert f"{SOURCE}:{line_of(word)}" in words, outcome


@pytest.mark.toolchain
def test_a_stack_that_is_full_names_the_function(engine):
    outcome = probe(engine, "crash", "recurse", options=["--dim", 2])
    words = stopped(outcome)
    assert re.match(rf"stack overflow, (in|called from) recurse, {SOURCE}:", words), outcome


@pytest.mark.toolchain
@pytest.mark.parametrize("word, cause", [
    ("write-code", "where code and constants are, which cannot be written"),
    ("unaligned", "unaligned access"),
])
def test_what_the_target_alone_forbids_is_named_there(word, cause):
    words = stopped(probe("qemu", "crash", word, options=["--dim", 1]))
    assert cause in words and f"{SOURCE}:{line_of(word)}" in words


def test_memory_given_back_twice_is_named(engine):
    words = stopped(probe(engine, "crash", "bad-free", options=["--dim", 1]))
    assert words.startswith("memory of a coroutine was released twice"), words
    assert "Arena::release" in words


def test_a_port_that_is_none_is_named(engine):
    words = stopped(probe(engine, "crash", "no-port", options=["--dim", 1]))
    assert words.startswith("a port was named that this network does not have"), words
    assert "Kernel::neighbor" in words


def test_an_assertion_shows_what_it_asserts(engine):
    outcome = probe(engine, "crash", "assert", options=["--dim", 1])
    place = f"{SOURCE}:{line_of('assert')}"
    assert re.search(rf"^\[1\] {place}: .*assertion `word.empty\(\)' does not hold$", outcome.out,
                     re.M), outcome


def test_exit_prints_what_has_no_end_yet(engine):
    outcome = probe(engine, "crash", "exit", options=["--dim", 1])
    assert "[1] exit prints what is left\n" in outcome.out, outcome


def test_without_the_tools_the_cause_is_told_and_what_is_missing(tmp_path):
    (tmp_path / "qemu-system-arm").symlink_to("/usr/bin/qemu-system-arm")
    outcome = probe("qemu", "crash", "divide", options=["--dim", 1], env={"PATH": str(tmp_path)})
    assert stopped(outcome) == ("division by zero, arm-none-eabi-addr2line is not installed, so "
                                "that nobody says in which line")


def test_the_other_nodes_end_well_beside_one_that_breaks(engine):
    outcome = probe(engine, "crash", "divide", options=["--dim", 3])
    assert "did not" not in outcome.err and "wrong" not in outcome.err, outcome
