"""A bad argument: exit status 2, one line on standard error that says what is allowed."""
import os
import re
import shutil
import signal

import pytest

from mesh_tool import (BOARD, TIMEOUT_S, end, mesh, refused, run, start, ticks_of, wait_until)

RUN = ["run", "--engine", "sim", "--topology", "cube", "--op", "bcast"]
TREE = ["tree", "--topology", "cube", "--root", 0]

BAD = {
    "dimension 0": ([*RUN, "--dim", 0, "--tree", "sbt"], "1 to 16"),
    "dimension too large": ([*RUN, "--dim", 99, "--tree", "sbt"], "1 to 16"),
    "neither dimension nor ranks": (["run", "--op", "bcast"], "--dim is required, or --ranks"),
    "a program without --app": (["run", "--engine", "sim", "--dim", 2, "./hello.c"],
                                "--app ./hello.c"),
    "dimension is a word": ([*RUN, "--dim", "four", "--tree", "sbt"], "mesh run --help"),
    "no such tree": ([*RUN, "--dim", 3, "--tree", "oak"], "sbt"),
    "no such topology": (["run", "--topology", "ring", "--dim", 3, "--op", "bcast"], "cube"),
    "no such op": (["run", "--topology", "cube", "--dim", 3, "--op", "shout"], "bcast"),
    "no such engine": (["run", "--engine", "steam", "--dim", 3, "--op", "bcast"], "sim"),
    "no such board": (["run", "--engine", "qemu", "--board", "breadboard", "--dim", 3, "--op",
                       "bcast"], BOARD),
    "no such port model": ([*RUN, "--dim", 3, "--tree", "sbt", "--ports", "some"], "duplex"),
    "root outside": ([*RUN, "--dim", 3, "--tree", "sbt", "--root", 8], "0 to 7"),
    "root negative": ([*RUN, "--dim", 3, "--tree", "sbt", "--root", -1], "0 to 7"),
    "packet too small": ([*RUN, "--dim", 3, "--tree", "sbt", "--packet", 8], "16 to 65536"),
    "packet too large": ([*RUN, "--dim", 3, "--tree", "sbt", "--packet", 100000], "16 to 65536"),
    "packet is a word": ([*RUN, "--dim", 3, "--packet", "huge"], "auto"),
    "packet of another kind": ([*RUN, "--dim", 3, "--packet", 0], "16 to 65536"),
    "missing input": ([*RUN, "--dim", 3, "--tree", "sbt", "--input", "no/such/file"],
                      "no such file"),
    "input is a folder": ([*RUN, "--dim", 3, "--tree", "sbt", "--input", "firmware"], "regular"),
    "probability above 1": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "drop:1.5"],
                            "probability from 0 to 1"),
    "no such fault": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "melt:1"], "drop:P"),
    "cut of no port": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "cut:0/3"],
                       "ports are 0 to 2"),
    "cut at no node": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "cut:8/0"],
                       "nodes are 0 to 7"),
    "kill of no node": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "kill:8"],
                        "nodes are 0 to 7"),
    "missing fault file": ([*RUN, "--dim", 3, "--tree", "sbt", "--faults", "@no/such"],
                           "one fault a line"),
    "app that is not made": (["run", "--board", "ast1030-evb", "--dim", 2, "--app", "ring"],
                             "`make build/ast1030-evb/ring.elf` makes it"),
    "no such app": (["run", "--engine", "sim", "--dim", 2, "--app", "nosuch"], "hello"),
    "image that is none": (["run", "--engine", "qemu", "--dim", 2, "--app", "LICENSE.elf"],
                           "no such program"),
    "unknown option": ([*RUN, "--dim", 3, "--tree", "sbt", "--frobnicate"], "not expected"),
    "unknown option, and one missing": (["run", "--dm", 3, "--op", "bcast"], "not expected: --dm;"),
    "unknown command": (["fly"], "'fly': no such command; commands: run, load"),
    "number with another unit": ([*RUN, "--dim", 3, "--bytes", "4q"], "mesh run --help"),
    "emulator that is a folder": (["run", "--engine", "qemu", "--qemu", "tests", "--dim", 1, "--op",
                                   "bcast"], "is a folder; give the emulator in it"),
    "quiet and a picture": ([*RUN, "--dim", 3, "--quiet", "--live"], "excludes"),
    "tree of no dimension": ([*TREE, "--dim", 0, "--tree", "sbt"], "1 to 20"),
    "tree by no name": ([*TREE, "--dim", 3, "--tree", "oak"], "sbt"),
    "tree in no format": ([*TREE, "--dim", 3, "--tree", "sbt", "--format", "gif"], "json"),
    "bytes negative": ([*RUN, "--dim", 3, "--tree", "sbt", "--bytes", -4], "0 to 1073741824"),
    "timeout negative": ([*RUN, "--dim", 3, "--tree", "sbt", "--timeout", -1], "seconds above 0"),
}

SIM = ["run", "--engine", "sim", "--topology", "cube", "--dim", 3]
LONG_TICKS = 300 # of processor time, 3 s: longer than until the first line of progress


def collective(op, *more):
    return [*SIM, "--op", op, *more]


BAD |= {
    "graph for a broadcast": (collective("bcast", "--tree", "sbg"), "scatter, gather"),
    "tree for no scatter": (collective("scatter", "--tree", "hp"), "sbt, tcbt, sbnt-minr"),
    "tree for no gather": (collective("gather", "--tree", "msbt"), "sbt, tcbt, sbnt-minr"),
    "tcbt exchange over one port": (collective("alltoall", "--tree", "tcbt", "--ports", "half"),
                                    "all ports only"),
    "no such schedule": (collective("scatter", "--schedule", "lazy"),
                         "gray, port, postorder, rbf, roundrobin, level, subtree"),
    "gray on a balanced tree": (collective("scatter", "--tree", "sbnt-minr", "--schedule", "gray"),
                                "postorder, rbf, roundrobin, level, subtree"),
    "lists on the graph": (collective("scatter", "--tree", "sbg", "--schedule", "rbf"),
                           "level, subtree"),
    "levels over one port": (collective("gather", "--schedule", "level", "--ports", "duplex"),
                             "roundrobin, subtree"),
    "lists all to all": (collective("alltoall", "--schedule", "postorder"), "level, subtree"),
    "schedule of a broadcast": (collective("bcast", "--schedule", "gray"), "scatter, gather"),
    "schedule of a reduction": (collective("reduce", "--schedule", "level"), "scatter, gather"),
    "bundles in huge packets": (collective("scatter", "--schedule", "subtree", "--packet", 2 << 20),
                                "or 0 for unbounded"),
    "auto for a scatter": (collective("scatter", "--packet", "auto"), "16 to 65536"),
    "gather in huge packets": (collective("gather", "--packet", 2000), "16 to 1024"),
    "reduction in huge packets": (collective("reduce", "--packet", 2000), "16 to 1024"),
    "blocks too large": (collective("alltoall", "--bytes", 1 << 20), "at most 131072 for each"),
    "reduction too large": (collective("scan", "--bytes", (1 << 20) + 4), "at most 1048576"),
    "half an element": (collective("reduce", "--bytes", 10), "multiple of an element's 4 bytes"),
    "bits of a float": (collective("reduce", "--type", "f32", "--operator", "bxor"),
                        "sum, min, max"),
    "no such type": (collective("scan", "--type", "i64"), "i32, u32, f32"),
    "no such operator": (collective("reduce", "--operator", "mean"), "band, bor, bxor"),
    "no such route": (collective("send", "--route", "scenic"), "ecube, sbt, sbnt"),
    "file that does not divide": (collective("scatter", "--input", "Makefile", "--bytes", 1 << 15),
                                  "8 blocks need 262144"),
}

# An option that an op does not read, and the words of the error about the ops that do.
BAD |= {
    "messages of a broadcast": (collective("bcast", "--messages", 5),
                                "--messages: means nothing to bcast; goes with send"),
    "bytes of a barrier": (collective("barrier", "--bytes", 99, "--tree", "hp"), "to barrier"),
    "tree of a message": (collective("send", "--tree", "hp"), "goes with bcast, scatter"),
    "target of a reduction": (collective("reduce", "--to", 3), "--target: means nothing to reduce"),
    "exclusive sum of all": (collective("allreduce", "--exclusive"), "goes with scan"),
    "operator of a sort": (collective("sort", "--operator", "max"), "reduce, allreduce, scan"),
    "copies of a reduction": (collective("reduce", "--copies", 2), "bcast, scatter, gather"),
    "route of an app": ([*SIM, "--app", "hello", "--route", "sbt"], "--route: means nothing to "
                                                                    "--app; goes with send"),
    "tree of a program without main()": ([*SIM, "--app", "hello", "--tree", "hp"], "no main()"),
    "ranks without a main()": ([*SIM, "--app", "hello", "--ranks", 3], "'hello' has no main()"),
    "ranks of an op": (collective("bcast", "--ranks", 3), "to bcast; goes with --app"),
    "more ranks than nodes": ([*SIM, "--app", "hello", "--ranks", 9], "1 to 8"),
    "no ranks": ([*SIM, "--app", "hello", "--ranks", 0], "1 to 8"),
    "heap without a main()": ([*SIM, "--app", "hello", "--heap", "1M"], "'hello' has no main()"),
    "secrets of an op": (collective("bcast", "--secret", 1), "to bcast; goes with --app"),
    "too many secrets": ([*SIM, "--app", "hello", "--secret", 17], "17 words for the app"),
    "heap of an op": (collective("bcast", "--heap", "1M"), "to bcast; goes with --app"),
    "heap of nothing": ([*SIM, "--app", "hello", "--heap", 1], "65536 to 2147483647"),
    "heap of a board": (["run", "--dim", 3, "--app", "hello", "--heap", "1M"],
                        "--heap: goes with --engine sim"),
    "tree of some ranks": ([*SIM, "--app", "hello", "--ranks", 3, "--tree", "hp"],
                           "goes without --ranks"),
    "graph for a program": ([*SIM, "--app", "hello", "--tree", "sbg"], "no tree"),
    "rule of a file for a program": ([*SIM, "--app", "hello", "--tree", "./no.hpp"],
                                     "--tree './no.hpp'"),
    "words for an op": (collective("bcast", "--", "word"), "words after --: means nothing to"),
    "output of a barrier": (collective("barrier", "--output", "no/such"), "means nothing to"),
}


def test_a_file_that_does_not_divide_into_blocks_is_refused(tmp_path):
    file = tmp_path / "in"
    file.write_bytes(bytes(63))
    for op, blocks in (("scatter", 8), ("allgather", 8), ("reduce", 8), ("alltoall", 64)):
        refused(mesh(*collective(op, "--input", file)), f"into {blocks} blocks")


def test_a_sum_of_a_file_of_floats_is_refused_for_its_order(tmp_path):
    file = tmp_path / "in"
    file.write_bytes(bytes(64))
    refused(mesh(*collective("reduce", "--type", "f32", "--input", file)), "min, max")


@pytest.mark.parametrize("case", BAD)
def test_a_bad_argument_is_one_line_that_says_what_is_allowed(case):
    arguments, allowed = BAD[case]
    refused(mesh(*arguments), allowed)


def test_a_number_with_too_large_a_unit_is_refused():
    """By CLI11; where that is older than 2.4 and takes the largest number, by what is allowed."""
    outcome = mesh(*RUN, "--dim", 3, "--bytes", "9999999999G")
    assert outcome.status == 2 and outcome.out == "", outcome
    assert re.search("mesh run|allowed: 0 to 1073741824", outcome.err), outcome


def test_a_missing_qemu_is_named(tmp_path):
    env = dict(os.environ, PATH=str(tmp_path))
    refused(mesh("run", "--engine", "qemu", "--dim", 1, "--op", "bcast", env=env),
             "qemu-system-arm")


def test_a_qemu_that_is_too_old_is_named_with_the_version_that_would_do(tmp_path):
    fake = tmp_path / "qemu-system-arm"
    fake.write_text("#!/bin/sh\necho 'QEMU emulator version 4.2.1'\n")
    fake.chmod(0o755)
    env = dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}")
    refused(mesh("run", "--engine", "qemu", "--dim", 1, "--op", "bcast", env=env),
            "7.2 or newer")


def qemu_that_says(version, folder):
    """The emulator that is there, which says another version; the environment that has it."""
    fake = folder / "qemu-system-arm"
    fake.write_text(f"#!/bin/sh\n[ \"$1\" != --version ] || exec echo 'QEMU emulator version "
                    f"{version}'\nexec {shutil.which('qemu-system-arm')} \"$@\"\n")
    fake.chmod(0o755)
    return dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")


def test_a_version_of_qemu_that_no_test_has_seen_is_told_once_and_used(tmp_path):
    outcome = mesh("run", "--dim", 1, "--op", "barrier", "--repeat", 2, "--lockstep",
                   env=qemu_that_says("9.1.3", tmp_path))
    assert outcome.status == 0, outcome
    assert outcome.err.count("warning: ") == outcome.err.count("QEMU 9.1 is not") == 1, outcome


@pytest.mark.parametrize("version", ["7.2.22", "10.0.13"])
def test_the_versions_of_qemu_that_tests_have_seen_are_not_told(tmp_path, version):
    outcome = mesh("run", "--dim", 1, "--op", "barrier", "--lockstep",
                   env=qemu_that_says(version, tmp_path))
    assert outcome.status == 0 and "QEMU" not in outcome.err, outcome


def test_help_names_the_versions_of_qemu_that_tests_have_seen():
    assert "tested with 7.2, 10.0" in " ".join(mesh("run", "--help").out.split())


def test_help_of_every_command_exits_0_and_names_its_options():
    for command, option in (("run", "--faults"), ("tree", "--format")):
        outcome = mesh(command, "--help")
        assert outcome.status == 0 and option in outcome.out, outcome
    outcome = mesh("--help")
    assert outcome.status == 0 and {"run", "tree", "embed"} <= set(outcome.out.split()), outcome


@pytest.mark.parametrize("text, number", [("0100", 100), ("08", 8), ("0", 0), ("00", 0),
                                          ("4k", 4096), ("1M", 1 << 20), ("+12", 12)])
def test_numbers_are_decimal_and_may_have_a_unit(text, number):
    report = run("sim", "--dim", "02", "--op", "bcast", "--bytes", text).report
    assert report["bytes"] == number and report["nodes"] == 4 and report["verdict"] == "ok"


@pytest.mark.parametrize("command", [[], ["run"], ["load"], ["matrix"], ["merge"], ["build"],
                                     ["new"], ["tree"], ["embed"], ["list"], ["view"]],
                         ids="-".join)
def test_help_fits_a_terminal_of_eighty_columns(command):
    outcome = mesh(*command, "--help")
    assert outcome.status == 0 and "\n  -h,--help" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80, outcome.out


def test_a_quiet_run_says_nothing_of_how_far_it_has_come():
    words = [*SIM[:-1], 8, "--op", "send", "--messages", 100_000, "--bytes", 16]
    loud, quiet = start(*words), start(*words, "--quiet")
    try:
        assert next(line for line in loud.stderr if line.startswith("running: "))
        end(loud)
        wait_until(lambda: ticks_of(quiet.pid) >= LONG_TICKS, 300, "it has worked as long")
        quiet.send_signal(signal.SIGINT)
        err = quiet.communicate(timeout=TIMEOUT_S)[1]
        assert quiet.returncode == 130 and len(err.splitlines()) == 1, err
    finally:
        end(loud)
        end(quiet)
