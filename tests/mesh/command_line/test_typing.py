"""What is said of words that are nearly right, and where help is found."""
import json

import pytest

from mesh_tool import mesh, refused

RUN = ["run", "--engine", "sim", "--dim", 3, "--op", "bcast"]

# Words, and what their writer has meant.
MISTYPED = [
    (["rum", "--dim", 3, "--op", "bcast"], "run"), (["Run", "--dim", 3], "run"),
    (["matrx", "f"], "matrix"), (["version"], "--version"), (["help", "rnu"], "run"),
    (["run", "--dm", 3, "--op", "bcast"], "--dim"), ([*RUN, "--reprot", "r"], "--report"),
    ([*RUN, "--reprot=r"], "--report"), ([*RUN, "--json", "r"], "--report"),
    (["run", "--nodes", 8, "--op", "bcast"], "--dim"), ([*RUN, "-q"], "--qemu, --quiet"),
    (["run", "-d", 3, "--op", "bcast"], "--dim"), (["tree", "--dims", 3], "--dim"),
    (["build", "x.cpp", "--ouptut", "x"], "--output"),
    (["run", "--dim", 3, "--op", "broadcast"], "bcast"), ([*RUN[:-1], "BCAST"], "bcast"),
    ([*RUN[:-1], "bcst"], "bcast"), ([*RUN, "--tree", "SBT"], "sbt"),
    ([*RUN, "--tree", "sbtt"], "sbt"), ([*RUN, "--topology", "hypercube"], "cube"),
    ([*RUN, "--faults", "dorp:0.1"], "drop"), ([*RUN, "--faults", "drop=0.1"], "drop"),
    (["run", "--dim", 3, "--op", "bcast", "--engine", "qmeu"], "qemu"),
    (["run", "--dim", 3, "--op", "bcast", "--board", "mps2-an50"], "mps2-an505"),
    (["list", "tree"], "trees"), (["tree", "--dim", 3, "--format", "jsno"], "json"),
    (["embed", "--guest", "gird", "--shape", "2x2"], "grid"), (["lab", "strat", "1", "x"], "start"),
    (["lab", "start", "ring", "x"], "02-ring"), ([*RUN[:-2], "--app", "helo"], "hello"),
    (["view", "x", "--format", "txt"], "text")]


@pytest.mark.parametrize("words, meant", MISTYPED, ids=lambda one: str(one)[:40])
def test_a_word_that_is_nearly_right_is_told_with_what_was_meant(words, meant):
    outcome = mesh(*words)
    assert outcome.status == 2 and len(outcome.err.splitlines()) == 1, outcome
    assert f"did you mean {meant}" in outcome.err, outcome


@pytest.mark.parametrize("words", [["fly"], [*RUN, "--frobnicate"], [*RUN, "--tree", "xyz"],
                                   [*RUN[:-1], "q"], [*RUN, "--topology", "ring"]])
def test_nothing_is_suggested_for_a_word_that_is_near_nothing(words):
    outcome = mesh(*words)
    assert outcome.status == 2 and "did you mean" not in outcome.err, outcome


def test_a_key_of_a_matrix_is_told_like_an_option(tmp_path):
    (tmp_path / "m.toml").write_text("[a]\nexpect-step = 3\n")
    refused(mesh("matrix", tmp_path / "m.toml"), "did you mean expect-steps")


def test_help_is_where_people_look_for_it():
    whole, run = mesh("--help"), mesh("run", "--help")
    assert whole.status == run.status == 0 and whole.out != run.out
    assert mesh("help").out == mesh().out == whole.out and mesh().status == 0
    assert mesh("help", "run").out == run.out and mesh("help", "run").status == 0
    assert mesh("-V").out == mesh("--version").out


NUMBERS = [
    (["--dim", "three"], "--dim 'three': allowed: a whole number"),
    (["--dim", "3.5"], "--dim '3.5': allowed: a whole number"),
    (["--dim", "99999999999999999999"], "--dim '99999999999999999999': "),
    (["--dim", 3, "--bytes", "4KB"], "with k, M or G behind it, as 4k or 4KiB"),
    (["--dim", 3, "--limit", "1m"], "--limit '1m': allowed: a number;"),
    (["--dim", 3, "--faults", "kill:9"], "'kill:9': nodes are 0 to 7"),
    (["--dim", 3, "--capture", "x.pcap"], "allowed: FILE.pcapng")]


@pytest.mark.parametrize("words, said", NUMBERS, ids=lambda one: str(one)[:40])
def test_a_value_is_told_as_it_was_typed_with_what_is_allowed(words, said):
    outcome = mesh("run", "--engine", "sim", "--op", "bcast", *words)
    assert outcome.status == 2 and said in outcome.err and len(outcome.err) < 200, outcome


@pytest.mark.parametrize("dim", [0, 17, 99])
def test_dimensions_have_one_range(dim):
    words = "--dim up to 16" if dim == 17 else "1 to 16"
    refused(mesh("run", "--engine", "sim", "--op", "bcast", "--dim", dim), words)


@pytest.mark.parametrize("text", ["4KiB", "4K", "4k"])
def test_bytes_have_the_units_that_people_write(text, tmp_path):
    mesh(*RUN, "--bytes", text, "--report", tmp_path / "r")
    assert json.loads((tmp_path / "r").read_text())["bytes"] == 4096


def test_a_page_may_have_the_short_name_of_one(tmp_path):
    assert mesh(*RUN, "--report", tmp_path / "run.htm").status == 0
    assert (tmp_path / "run.htm").read_text().startswith("<!")


def test_a_script_reads_a_capture_as_json(tmp_path):
    capture = tmp_path / "x.pcapng"
    mesh(*RUN, "--bytes", 16, "--capture", capture)
    frames = json.loads(mesh("view", capture, "--format", "json").out)
    lines = mesh("view", capture, "--format", "text").out.splitlines()
    assert len(frames) == len([line for line in lines[2:] if "/" in line[:26]])
    assert {"time", "from", "out", "to", "in", "kind", "packet"} <= set(frames[0])
