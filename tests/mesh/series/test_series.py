"""Several runs: --repeat, --seed A..B, --until-failure; one line each, totals, repeat commands."""
import json
import os
import re
import shlex
import signal
import subprocess
from xml.etree import ElementTree

import pytest

from mesh_tool import alive, descendants, end, mesh, refused, start, wait_until, words_of

SIM = ["run", "--engine", "sim", "--dim", 2, "--op", "bcast", "--bytes", 100]
# Of the seeds 1 to 20 some draw the root's only way out, and some a moment after the end.
LOSSY = ["run", "--engine", "sim", "--dim", 2, "--op", "bcast", "--tree", "sbt", "--bytes", 4000,
         "--packet", 16, "--faults", "cut:random@random"]
HUNG = ["run", "--engine", "qemu", "--dim", 1, "--op", "bcast", "--tree", "sbt", "--bytes", 4000,
        "--faults", "hang:1", "--timeout", 600, "--lockstep"]


def runs(outcome):
    """(seed, verdict) of each line but the last."""
    return [(int(seed), verdict) for seed, verdict in
            re.findall(r"^seed (\d+) +(\w+) +steps", outcome.out, re.M)]


def totals(outcome):
    """Runs, verified, failed, of the last line."""
    return tuple(map(int, re.match(r"(\d+) runs?: (\d+) verified, (\d+) failed; [\d.]+ s$",
                                   outcome.out.splitlines()[-1]).groups()))


def seeds_of(outcome):
    return [seed for seed, _ in runs(outcome)]


@pytest.mark.parametrize("asked, seeds", [
    (["--repeat", 3], [1, 2, 3]),
    (["--repeat", 2, "--seed", 7], [7, 8]),
    (["--seed", "5..8"], [5, 6, 7, 8]),
    (["--seed", "5..5"], [5]),
    (["--seed", "5..6", "--repeat", 2], [5, 6, 5, 6]),
    (["--seed", "18446744073709551614..18446744073709551615"],
     [18446744073709551614, 18446744073709551615]),
    (["--until-failure", "--repeat", 2], [1, 2]),
    (["--until-failure", "--seed", "3..4"], [3, 4])])
def test_the_seeds_are_those_that_were_asked_for(asked, seeds):
    outcome = mesh(*SIM, *asked)
    assert outcome.status == 0 and outcome.err == "", outcome
    assert seeds_of(outcome) == seeds and totals(outcome) == (len(seeds), len(seeds), 0), outcome


def test_every_run_is_the_run_of_its_seed(tmp_path):
    """What a series reports of a seed is what the run with that seed reports."""
    job = ["run", "--engine", "sim", "--dim", 3, "--op", "send", "--messages", 3]
    mesh(*job, "--seed", "1..3", "--report", tmp_path / "all")
    whole = json.loads((tmp_path / "all").read_text())
    assert [one["name"] for one in whole["runs"]] == ["seed 1", "seed 2", "seed 3"]
    hops = set()
    for one in whole["runs"]:
        assert mesh(*job, "--seed", one["report"]["seed"], "--report", tmp_path / "one").status == 0
        single = json.loads((tmp_path / "one").read_text())
        assert single["seed"] == one["report"]["seed"] and one["verdict"] == "verified"
        assert single["link_packets"] == one["report"]["link_packets"]
        hops.add(json.dumps(single["link_packets"]))
    assert len(hops) == 3, "the seeds make different runs"


def test_a_failure_fails_the_series_and_its_command_repeats_it():
    outcome = mesh(*LOSSY, "--seed", "1..20")
    failed = [seed for seed, verdict in runs(outcome) if verdict == "failed"]
    assert outcome.status == 1 and 0 < len(failed) < 20, outcome
    assert totals(outcome) == (20, 20 - len(failed), len(failed)), outcome
    told = outcome.err.splitlines()
    assert len(told) == len(failed), outcome
    for seed, words in zip(failed, told):
        name, rest = words.removeprefix("mesh: ").split(": ", 1)
        reason, command = rest.split("; repeat: ")
        assert name == f"seed {seed}" and reason in outcome.out, outcome
    again = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=60,
                           check=False)
    assert again.returncode == 1 and f"mesh: {reason}; " in again.stderr


def test_until_failure_stops_at_the_first_one():
    whole = runs(mesh(*LOSSY, "--seed", "1..20"))
    first = [verdict for _, verdict in whole].index("failed")
    for more in (["--until-failure"], ["--until-failure", "--repeat", 20]):
        outcome = mesh(*LOSSY, *more)
        assert outcome.status == 1 and runs(outcome) == whole[:first + 1], outcome


def test_words_for_an_app_and_options_with_two_words_reach_every_run():
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", "hello", "--repeat", 2, "--",
                   "--seed", "a b")
    assert seeds_of(outcome) == [1, 2] and outcome.status == 0, outcome
    outcome = mesh(*SIM, "--miswire", "0/0", "1/1", "--repeat", 2)
    assert totals(outcome) == (2, 0, 2) and "--miswire 0/0 1/1" in outcome.err, outcome


@pytest.mark.parametrize("wrong, allowed", [
    (["--repeat", 0], "1 or more"),
    (["--seed", "5..4"], "A..B"),
    (["--seed", "1..x"], "A..B"),
    (["--seed", "many"], "A..B"),
    (["--repeat", 2, "--output", "no/such"], "one run"),
    (["--repeat", 2, "--dry-run"], "one run"),
    (["--repeat", 2, "--input", "-"], "standard input is read once"),
    (["--repeat", 2, "--tree", "oak"], "sbt")])
def test_what_cannot_be_is_refused_before_the_first_run(wrong, allowed):
    outcome = mesh(*SIM, *wrong)
    refused(outcome, allowed)
    assert outcome.out == ""


def test_ctrl_c_ends_the_run_that_is_on_and_says_how_far_it_came():
    series = start(*HUNG, "--repeat", 5)
    try:
        children = wait_until(lambda: (lambda c: len(c) >= 3 and c)(descendants(series.pid)), 60,
                              "a run and its two nodes")
        os.kill(series.pid, signal.SIGINT)
        out, err = series.communicate(timeout=300)
        assert series.returncode == 130 and "1 run: 0 verified, 1 failed" in out, out + err
        assert re.search("^mesh: seed 1: ended by signal 2; .*; repeat: ", err, re.M), err
        wait_until(lambda: not alive(children), 60, "every child has ended")
    finally:
        end(series)


def test_a_run_that_is_killed_has_failed_by_that_signal():
    series = start(*HUNG, "--repeat", 1)
    try:
        wait_until(lambda: len(descendants(series.pid)) >= 3, 60, "a run and its two nodes")
        child = [pid for pid in descendants(series.pid)
                 if b"run" in words_of(pid)]
        os.kill(child[0], signal.SIGKILL)
        out, err = series.communicate(timeout=300)
        assert series.returncode == 1 and "signal 9 (Killed)" in err, out + err
        assert "1 run: 0 verified, 1 failed" in out
    finally:
        end(series)


def suite_of(file):
    """The testsuite of a JUnit file, once its sums are those of its cases."""
    suite = ElementTree.parse(file).getroot()
    cases = suite.findall("testcase")
    assert suite.tag == "testsuite" and int(suite.get("tests")) == len(cases)
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))
    assert all(0 < float(case.get("time")) <= float(suite.get("time")) for case in cases)
    return suite


def test_junit_has_a_case_for_each_run_and_the_reason_and_command_of_each_failure(tmp_path):
    file = tmp_path / "junit.xml"
    outcome = mesh(*LOSSY, "--seed", "1..20", "--junit", file)
    cases = suite_of(file).findall("testcase")
    assert [(re.search(r"seed \d+$", case.get("name"))[0], case.find("failure") is not None)
            for case in cases] == \
        [(f"seed {seed}", verdict == "failed") for seed, verdict in runs(outcome)]
    told = [line.removeprefix("mesh: ").split(": ", 1)[1] for line in outcome.err.splitlines()]
    written = [case.find("failure").text.replace("\nrepeat: ", "; repeat: ")
               for case in cases if case.find("failure") is not None]
    assert written == told


def test_junit_of_one_run_says_whether_it_failed_and_why(tmp_path):
    file = tmp_path / "junit.xml"
    assert mesh(*SIM, "--junit", file).status == 0
    assert suite_of(file).find("testcase/failure") is None
    outcome = mesh(*SIM, "--miswire", "0/0", "1/1", "--junit", file, "--seed", 5)
    failure = suite_of(file).find("testcase/failure")
    assert outcome.status == 1 and failure.get("message") in outcome.err
    assert failure.text.endswith(outcome.err.strip().split("; ")[-1])


def test_a_junit_file_that_cannot_be_written_is_refused_before_the_run(tmp_path):
    for more in ([], ["--repeat", 2]):
        outcome = mesh(*SIM, *more, "--junit", tmp_path / "no" / "junit.xml")
        refused(outcome, "folder cannot be written")
        assert outcome.out == ""


@pytest.mark.parametrize("boot, started", [
    ("exec", 4), *(("fork", started) for started in (3, 5, 9, 20, 40))])
def test_ctrl_c_ends_a_run_whose_nodes_are_being_started(boot, started, tmp_path):
    """Also between the fork of a node and its first word."""
    run = start("run", "--engine", "qemu", "--boot", boot, "--dim", 6, "--op", "send", "--messages",
                100_000, "--bytes", 16, "--lockstep", "--report", tmp_path / "report.json")
    try:
        children = wait_until(lambda: (lambda c: len(c) >= started and c)(descendants(run.pid)),
                              60, "the first nodes")
        os.kill(run.pid, signal.SIGINT)
        _, err = run.communicate(timeout=300)
        assert run.returncode == 130 and "ended by signal 2" in err, err
        wait_until(lambda: not alive(children), 60, "every child has ended")
    finally:
        end(run)
