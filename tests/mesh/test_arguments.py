"""A bad argument: exit status 2, one line on standard error that says what is allowed."""
import os

import pytest

from mesh_tool import MESH, mesh

RUN = ["run", "--engine", "sim", "--topology", "cube", "--op", "bcast"]
TREE = ["tree", "--topology", "cube", "--root", 0]

BAD = {
    "dimension 0": ([*RUN, "--dim", 0, "--tree", "sbt"], "1"),
    "dimension too large": ([*RUN, "--dim", 99, "--tree", "sbt"], "1"),
    "dimension is a word": ([*RUN, "--dim", "four", "--tree", "sbt"], "dim"),
    "no such tree": ([*RUN, "--dim", 3, "--tree", "oak"], "sbt"),
    "no such topology": (["run", "--topology", "ring", "--dim", 3, "--op", "bcast"], "cube"),
    "no such op": (["run", "--topology", "cube", "--dim", 3, "--op", "shout"], "bcast"),
    "no such engine": (["run", "--engine", "steam", "--dim", 3, "--op", "bcast"], "sim"),
    "no such board": (["run", "--engine", "qemu", "--board", "breadboard", "--dim", 3, "--op",
                       "bcast"], "mps2-an505"),
    "no such port model": ([*RUN, "--dim", 3, "--tree", "sbt", "--ports", "some"], "duplex"),
    "root outside": ([*RUN, "--dim", 3, "--tree", "sbt", "--root", 8], "7"),
    "root negative": ([*RUN, "--dim", 3, "--tree", "sbt", "--root", -1], "root"),
    "packet too small": ([*RUN, "--dim", 3, "--tree", "sbt", "--packet", 8], "16"),
    "packet too large": ([*RUN, "--dim", 3, "--tree", "sbt", "--packet", 100000], "1024"),
    "missing input": ([*RUN, "--dim", 3, "--tree", "sbt", "--input", "no/such/file"],
                      "no/such/file"),
    "input is a folder": ([*RUN, "--dim", 3, "--tree", "sbt", "--input", "firmware"], "firmware"),
    "probability above 1": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "drop:1.5"], "drop"),
    "no such fault": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "melt:1"], "drop"),
    "cut of no port": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "cut:0/3"], "cut"),
    "cut at no node": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "cut:8/0"], "cut"),
    "kill of no node": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "kill:8"], "kill"),
    "missing fault file": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "@no/such"], "no/such"),
    "no such app": (["run", "--engine", "sim", "--dim", 2, "--app", "nosuch"], "hello"),
    "image that is none": (["run", "--engine", "qemu", "--dim", 2, "--app", "LICENSE.elf"],
                           "LICENSE.elf"),
    "unknown option": ([*RUN, "--dim", 3, "--tree", "sbt", "--frobnicate"], "frobnicate"),
    "unknown command": (["fly"], "run"),
    "tree of no dimension": ([*TREE, "--dim", 0, "--tree", "sbt"], "1"),
    "tree by no name": ([*TREE, "--dim", 3, "--tree", "oak"], "sbt"),
    "tree in no format": ([*TREE, "--dim", 3, "--tree", "sbt", "--format", "gif"], "json"),
    "bytes negative": ([*RUN, "--dim", 3, "--tree", "sbt", "--bytes", -4], "bytes"),
    "timeout negative": ([*RUN, "--dim", 3, "--tree", "sbt", "--timeout", -1], "timeout"),
}


def one_line(outcome, allowed):
    lines = outcome.err.strip().splitlines()
    assert outcome.status == 2, outcome
    assert len(lines) == 1, outcome
    assert allowed in lines[0], outcome
    assert outcome.out == "", outcome


@pytest.mark.parametrize("case", BAD)
def test_a_bad_argument_is_one_line_that_says_what_is_allowed(case):
    arguments, allowed = BAD[case]
    one_line(mesh(*arguments, timeout=10), allowed)


def test_a_missing_qemu_is_named(tmp_path):
    env = dict(os.environ, PATH=str(tmp_path))
    one_line(mesh("run", "--engine", "qemu", "--dim", 1, "--op", "bcast", env=env, timeout=10),
             "qemu-system-arm")


def test_a_qemu_that_is_too_old_is_named_with_the_version_that_would_do(tmp_path):
    fake = tmp_path / "qemu-system-arm"
    fake.write_text("#!/bin/sh\necho 'QEMU emulator version 4.2.1'\n")
    fake.chmod(0o755)
    env = dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}")
    one_line(mesh("run", "--engine", "qemu", "--dim", 1, "--op", "bcast", env=env, timeout=10),
             "4.2")


def test_help_of_every_command_exits_0_and_names_its_options():
    for command, option in (("run", "--faults"), ("tree", "--format")):
        outcome = mesh(command, "--help")
        assert outcome.status == 0 and option in outcome.out, outcome
    assert str(MESH) and mesh("--help").status == 0
