"""A verdict that a build server can trust: what fails a matrix, and what JUnit's XML says of it."""
import json
import os
import re
import shlex
import signal
import subprocess
from xml.etree import ElementTree

import pytest

from mesh_tool import descendants, end, mesh, refused, start, wait_until, words_of

GOOD = {"op": "bcast", "dim": 2, "engine": "sim"}
SIM = ["run", "--engine", "sim", "--dim", 2, "--op", "bcast"]
BAD_C = "int main( {\n"

# A value of each key that no other key can make right, and the keys that it wants beside it.
BROKEN = {
    "expect-steps": (1, {}), "allow-refused": ("maybe", {}),
    "words": ("x " * 1000, {"app": "ring"}),
    "topology": ("ring", {}), "dim": ("three", {}), "op": ("shout", {}),
    "app": ("./no-such.cpp", {}), "ranks": ("few", {}), "heap": ("much", {}),
    "strict": ("maybe", {}), "tree": ("oak", {}),
    "avoid": ("here", {}), "schedule": ("lazy", {"op": "scatter"}),
    "type": ("i64", {"op": "reduce"}), "operator": ("mean", {"op": "reduce"}),
    "exclusive": ("maybe", {}), "route": ("scenic", {"op": "send"}), "root": (-1, {}),
    "target": ("nobody", {"op": "send"}), "messages": ("many", {}), "copies": (0, {}),
    "bytes": ("4q", {}), "packet": (8, {}), "input": ("no/such", {}),
    "files": ("no/such", {"app": "ring"}), "ports": ("some", {}), "tau": (-1, {}), "tc": (-1, {}),
    "lockstep": ("maybe", {}), "order": ("any", {}), "free": ("maybe", {}),
    "engine": ("steam", {}), "board": ("breadboard", {}), "limit": (-1, {}),
    "quiet": ("maybe", {}), "boot": ("slow", {"engine": "qemu"}), "host-at": (1, {}),
    "serial": ("/no/such", {"engine": None}), "baud": ("fast", {}),
    "image": ("no/such.elf", {"engine": "qemu"}), "qemu": ("no-such-qemu", {"engine": "qemu"}),
    "miswire": ("0/0", {}), "faults": ("melt:1", {}), "expect": ("no/such", {}),
    "timeout": (-1, {}), "seed": ("many", {}),
    "secret": (-1, {"app": "ring"})}


def toml_of(sections):
    """The text of a matrix with these sections; None stands for a key that is not there."""
    return "".join(f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n"
                                           for key, value in keys.items() if value is not None)
                   for name, keys in sections.items())


@pytest.fixture
def matrix(tmp_path):
    """Runs a matrix of these sections in a folder of its own; with its report and JUnit's suite."""
    def run_it(sections, *more):
        (tmp_path / "m.toml").write_text(toml_of(sections))
        outcome = mesh("matrix", "m.toml", "--report", "r.json", "--junit", "r.xml", *more,
                       cwd=tmp_path)
        if (tmp_path / "r.json").exists():
            outcome.report = json.loads((tmp_path / "r.json").read_text())
        outcome.suite = suite_of(tmp_path / "r.xml") if (tmp_path / "r.xml").exists() else None
        return outcome
    return run_it


def suite_of(file):
    """A suite that has what the schemas of Ant and of Jenkins ask for, and counts its cases."""
    suite = ElementTree.parse(file).getroot()
    cases = suite.findall("testcase")
    assert [child.tag for child in suite] == \
        ["properties", *["testcase"] * len(cases), "system-out", "system-err"]
    assert {"name", "timestamp", "hostname", "tests", "failures", "errors", "time"} <= \
        set(suite.keys())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp"))
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(set(names)) == len(names) == int(suite.get("tests")), names
    for tag, sum_of in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        found = suite.findall(f"testcase/{tag}")
        assert len(found) == int(suite.get(sum_of))
        assert all(one.get("type") for one in found if tag != "skipped")
    return suite


def verdicts(outcome):
    return {one["name"]: one["verdict"] for one in outcome.report["runs"]}


def test_every_key_has_a_value_that_breaks_it(matrix):
    keys = matrix({"a": {"x": 1}}).err.split("allowed: ")[1].strip().split(", ")
    assert set(keys) == set(BROKEN)


@pytest.mark.parametrize("key", BROKEN)
def test_a_broken_key_fails_a_matrix_that_allows_what_does_not_go_together(matrix, key):
    value, beside = BROKEN[key]
    row = GOOD | beside | {"allow-refused": True, key: value}
    if "app" in beside or key == "app":
        del row["op"]
    outcome = matrix({"good": GOOD, "broken": row})
    assert outcome.status != 0 and outcome.suite is not None, outcome
    if outcome.status == 1: # else the file was refused
        name = next(one for one in verdicts(outcome) if one.startswith("broken"))
        assert verdicts(outcome) == {"good": "verified", name: "failed"}, outcome
        failure = outcome.suite.find("testcase/failure")
        assert failure.get("message") and failure.get("message") in failure.text, outcome
        if key != "expect-steps":
            assert outcome.out.startswith(name), "it fails before the first run"


def test_what_does_not_go_together_is_refused_where_it_is_allowed(matrix):
    rows = {"tree": ["sbt", "bts"], "dim": 2, "op": "bcast", "engine": "sim"}
    assert verdicts(matrix({"a": rows})) == {"a tree=sbt": "verified", "a tree=bts": "failed"}
    outcome = matrix({"a": rows | {"allow-refused": True}})
    assert outcome.status == 0, outcome
    assert verdicts(outcome) == {"a tree=sbt": "verified", "a tree=bts": "refused"}
    assert outcome.suite.find("testcase/skipped") is not None
    for key, value in (("root", 9), ("copies", 9), ("faults", "kill:9"), ("topology", "star")):
        outcome = matrix({"good": GOOD, "a": GOOD | {"tree": "sbt", "allow-refused": True,
                                                     key: value}})
        assert outcome.status == 0 and verdicts(outcome)["a"] == "refused", outcome


def test_a_program_that_does_not_compile_fails_before_the_first_run(matrix, tmp_path):
    (tmp_path / "bad.c").write_text(BAD_C)
    row = {"engine": "sim", "dim": 1, "app": "./bad.c", "seed": "1..3"}
    outcome = matrix({"good": GOOD, "x": row | {"allow-refused": True}})
    assert outcome.status == 1 and outcome.err.count("int main( {") == 1, outcome
    assert list(verdicts(outcome)) == ["good", "x seed=1", "x seed=2", "x seed=3"], outcome
    assert [line[:8] for line in outcome.out.splitlines()[:3]] == \
        ["x seed=1", "x seed=2", "x seed=3"], "they fail before the first run"
    failure = outcome.suite.find("testcase/failure")
    assert failure.get("message").startswith("./bad.c:1:11: error: "), outcome
    assert failure.get("type") == "build" and "int main( {" in failure.text
    assert outcome.report["runs"][1]["reason"] == failure.get("message")
    assert f"mesh: x seed=1: {failure.get('message')}; repeat: " in outcome.err


@pytest.mark.parametrize("more, kind", [
    (["--app", "./bad.c"], "build"), (["--app", "./bad.c", "--seed", "1..2"], "build"),
    (["--app", "./no.c", "--repeat", 2], "file"), (["--op", "bcast", "--tree", "oak"], "value"),
    (["--op", "bcast", "--tree", "bts"], "combination"), (["--frobnicate"], "value"),
    (["--op", "bcast", "--orders", "none"], "value")])
def test_what_is_refused_leaves_its_junit(tmp_path, more, kind):
    (tmp_path / "bad.c").write_text(BAD_C)
    (tmp_path / "r.xml").write_text("of another run\n")
    outcome = mesh("run", "--engine", "sim", "--dim", 1, *more, "--junit", "r.xml", cwd=tmp_path)
    [case] = suite_of(tmp_path / "r.xml").findall("testcase")
    assert outcome.status == 2 and case.find("failure").get("type") == kind, outcome
    assert case.find("failure").get("message") in outcome.err, outcome
    assert " ".join(map(str, more)) in case.get("name")


def test_a_matrix_that_cannot_be_read_leaves_its_junit(tmp_path):
    (tmp_path / "m.toml").write_text("[a]\nop = \n")
    outcome = mesh("matrix", "m.toml", "--junit", "r.xml", cwd=tmp_path)
    failure = suite_of(tmp_path / "r.xml").find("testcase/failure")
    assert outcome.status == 2 and "m.toml:2: " in failure.get("message"), outcome


def test_names_tell_runs_apart(matrix, tmp_path):
    names = {}
    for op, more in (("bcast", []), ("bcast", ["--tree", "hp"]), ("barrier", [])):
        mesh("run", "--engine", "sim", "--dim", 2, "--op", op, *more, "--seed", 5, "--junit",
             tmp_path / "one.xml", "--quiet", "--log", tmp_path / f"log{len(names)}")
        case = suite_of(tmp_path / "one.xml").find("testcase")
        names[case.get("classname"), case.get("name")] = op
        assert f"--op={op}" in case.get("name") and case.get("name").endswith(" seed 5")
        assert case.get("classname") == f"mesh.{op}.cube" and "log" not in case.get("name")
    assert len(names) == 3
    mesh(*SIM, "--seed", "1..2", "--repeat", 2, "--junit", tmp_path / "all.xml")
    found = [re.search("seed .*", case.get("name"))[0]
             for case in suite_of(tmp_path / "all.xml").findall("testcase")]
    assert found == ["seed 1", "seed 2", "seed 1 #2", "seed 2 #2"]
    outcome = matrix({"a": GOOD | {"seed": [1, 1]}})
    assert list(verdicts(outcome)) == ["a seed=1", "a seed=1 #2"]
    assert {case.get("classname") for case in outcome.suite.findall("testcase")} == {"m.a"}


def test_runs_are_told_in_the_order_of_the_file_whichever_ends_first(matrix):
    slow, wrong = {"dim": 9, "op": "alltoall"}, {"expect-steps": 1, "dim": 2}
    outcome = matrix({"slow": GOOD | wrong | slow, "quick": GOOD | wrong | {"seed": "1..4"}},
                     "--jobs", 2)
    names = ["slow", *(f"quick seed={seed}" for seed in range(1, 5))]
    assert outcome.out.startswith("quick"), outcome
    assert list(verdicts(outcome)) == names
    assert [case.get("name") for case in outcome.suite.findall("testcase")] == names
    assert re.findall(r"^mesh: ([^:]+): ", outcome.err, re.M) == names, outcome


def test_characters_that_xml_does_not_have_are_shown(tmp_path):
    (tmp_path / "odd.cpp").write_text(
        '#include "meshputer.hpp"\n#include <cstdio>\n'
        'mesh::Process app_main(mesh::Kernel&) {\n'
        '    printf("bad \\xef\\xbf\\xbf \\xef\\xbf\\xbe \\x1b end\\n");\n'
        '    co_return mesh::Status::ok;\n}\n')
    (tmp_path / "wanted").write_text("[0] x\n[1] x\n")
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", "./odd.cpp", "--expect",
                   "wanted", "--junit", "r.xml", cwd=tmp_path)
    failure = suite_of(tmp_path / "r.xml").find("testcase/failure")
    assert outcome.status == 1, outcome
    assert r"bad \u{ffff} \u{fffe} \x1b end" in failure.get("message"), outcome


def test_a_run_that_a_signal_ends_is_an_error_and_no_failure(tmp_path):
    endless = ["run", "--engine", "sim", "--dim", 6, "--op", "send", "--messages", 100000,
               "--bytes", 16]
    for more, runs in ((["--repeat", 1], 1), ([], 0)):
        process = start(*endless, *more, "--junit", tmp_path / "r.xml")
        try:
            wait_until(lambda: len([pid for pid in descendants(process.pid)
                                    if b"run" in words_of(pid)]) >= runs, 60, "a run")
            if runs == 0:
                next(line for line in process.stderr if line.startswith("running: "))
            os.kill(process.pid, signal.SIGINT)
            process.communicate(timeout=300)
        finally:
            end(process)
        [case] = suite_of(tmp_path / "r.xml").findall("testcase")
        assert case.find("error").get("type") == "signal"
        assert case.find("error").get("message").startswith("ended by signal 2")


def test_the_repeat_line_of_wrong_steps_fails_as_the_row_did(matrix, tmp_path):
    outcome = matrix({"c": GOOD | {"bytes": 64, "expect-steps": 9}})
    reason, command = outcome.err.strip().removeprefix("mesh: c: ").split("; repeat: ")
    again = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=60,
                           check=False, cwd=tmp_path)
    assert outcome.status == again.returncode == 1, outcome
    assert re.fullmatch(r"\d+ steps, not 9", reason) and f"mesh: {reason}; " in again.stderr


@pytest.mark.parametrize("expected, words", [
    ("formula", None), (1, "steps, not 1"), ("few", "allowed: formula, or a number")])
def test_a_run_can_be_told_which_steps_are_right(expected, words):
    outcome = mesh(*SIM, "--expect-steps", expected)
    assert outcome.status == (0 if words is None else 2 if "allowed" in words else 1), outcome
    assert words is None or words in outcome.err


SOME = {"small": GOOD | {"dim": [1, 2]}, "cut": GOOD | {"tree": "sbt", "faults": "cut:0/0"}}


def test_some_rows_can_be_chosen_and_listed(matrix, tmp_path):
    outcome = matrix(SOME, "--list")
    assert outcome.status == 0 and outcome.out == "small dim=1\nsmall dim=2\ncut\n", outcome
    assert not (tmp_path / "r.json").exists(), "nothing has run"
    assert matrix(SOME, "--list", "--only", "dim=2").out == "small dim=2\n"
    outcome = matrix(SOME, "--only", "dim=1", "--only", "dim=2")
    assert outcome.status == 0 and len(verdicts(outcome)) == 2, outcome
    outcome = matrix(SOME, "--only", "cot")
    assert outcome.status == 2 and "--list has all names" in outcome.err, outcome


def test_what_has_failed_can_be_run_again(matrix, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    outcome = matrix(SOME, "--rerun-failed")
    assert outcome.status == 2 and "was not run before" in outcome.err, outcome
    assert matrix(SOME).status == 1
    outcome = matrix(SOME, "--rerun-failed")
    assert outcome.status == 1 and list(verdicts(outcome)) == ["cut"], outcome
    assert matrix(SOME, "--only", "small").status == 0
    assert list(verdicts(matrix(SOME, "--rerun-failed"))) == ["cut"]
    mended = SOME | {"cut": GOOD}
    assert matrix(mended, "--rerun-failed").status == 0
    outcome = matrix(mended, "--rerun-failed")
    assert outcome.status == 0 and outcome.out == "0 runs: none has failed the last time\n"


def test_each_row_leaves_a_log_of_its_own(matrix, tmp_path):
    assert matrix(SOME, "--log", "logs").status == 1
    assert sorted(one.name for one in (tmp_path / "logs").iterdir()) == \
        ["cut", "small dim=1", "small dim=2"]
    for folder in (tmp_path / "logs").iterdir():
        assert "--op=bcast" in (folder / "command").read_text()
        assert "verdict" in json.loads((folder / "report.json").read_text())
    refused(mesh("matrix", "m.toml", "--log", "logs", cwd=tmp_path), "new folder")


def test_a_shard_that_does_not_have_the_runs_that_it_counts_is_told(tmp_path):
    for number in (1, 2):
        mesh(*SIM, "--seed", "1..4", "--shard", f"{number}/2", "--report", tmp_path / f"{number}")
    part = json.loads((tmp_path / "2").read_text())
    (tmp_path / "2").write_text(json.dumps(part | {"runs": []}))
    outcome = mesh("merge", tmp_path / "1", tmp_path / "2")
    assert outcome.status == 1 and "no report of a shard" in outcome.err, outcome


def test_keys_in_a_section_of_a_section_are_refused(matrix):
    outcome = matrix({"a.b": GOOD})
    assert outcome.status == 2 and "m.toml:1: a section in a section" in outcome.err, outcome
