"""`mesh matrix`: the product of lists from a file, several runs at once, within memory."""
import collections
import itertools
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import time
from xml.etree import ElementTree

import pytest

from mesh_tool import (IMAGES, MESH, ROOT, alive, children, descendants, end, mesh, refused,
                       run, start, verified, wait_until, words_of)

EXAMPLE = ROOT / "tests/mesh/series/matrix.toml"


@pytest.fixture
def matrix(tmp_path):
    """Runs a matrix from its text; with the JSON report."""
    def run_it(text, *more, timeout=120):
        file = tmp_path / "matrix.toml"
        file.write_text(text)
        outcome = mesh("matrix", file, "--report", tmp_path / "report", *more, timeout=timeout)
        if (tmp_path / "report").exists():
            outcome.report = json.loads((tmp_path / "report").read_text())
        return outcome
    return run_it


def verdicts(outcome):
    return {one["name"]: one["verdict"] for one in outcome.report["runs"]}


def test_the_example_is_verified(tmp_path):
    outcome = mesh("matrix", EXAMPLE, "--junit", tmp_path / "junit", timeout=120)
    assert outcome.status == 0, outcome
    assert re.match(r"25 runs: 24 verified, 0 failed, 1 refused; ", outcome.out.splitlines()[-1]), \
        outcome
    suite = ElementTree.parse(tmp_path / "junit").getroot()
    assert suite.get("tests") == "25" and suite.get("skipped") == "1"
    skipped = [case.get("name") for case in suite if case.find("skipped") is not None]
    assert skipped == ["odd dim=3"]


def test_every_list_is_a_dimension_and_every_run_is_what_its_name_says(matrix):
    outcome = matrix("""engine = "sim"
                        bytes = 64
                        [a]
                        op = ["bcast", "scatter"]
                        dim = [1, 2, 3]
                        ports = ["all", "half"]
                        [b]
                        op = "send"
                        dim = 2
                        seed = "5..7"
                        bytes = 32
                        """)
    wanted = {f"a op={op} dim={dim} ports={ports}": (op, dim, ports, 1, 64) for op, dim, ports in
              itertools.product(["bcast", "scatter"], [1, 2, 3], ["all", "half"])}
    wanted |= {f"b seed={seed}": ("send", 2, "all", seed, 32) for seed in (5, 6, 7)}
    done = {one["name"]: tuple(one["report"][key] for key in ("op", "dim", "ports", "seed",
                                                              "bytes"))
            for one in outcome.report["runs"]}
    assert outcome.status == 0 and done == wanted, outcome


def test_steps_that_are_not_those_expected_fail_the_run(matrix):
    steps = verified(run("sim", "--dim", 3, "--op", "bcast", "--bytes", 64))["steps"]
    outcome = matrix(f"""engine = "sim"
                         op = "bcast"
                         dim = 3
                         bytes = 64
                         [formula]
                         expect-steps = "formula"
                         [right]
                         expect-steps = {steps}
                         [wrong]
                         expect-steps = {steps + 1}
                         [none]
                         op = "send"
                         expect-steps = "formula"
                         """)
    assert outcome.status == 1 and "there is no formula" in outcome.err, outcome
    assert verdicts(outcome) == {"formula": "verified", "right": "verified", "wrong": "failed",
                                 "none": "failed"}, outcome
    assert f"{steps} steps, not {steps + 1}" in outcome.err, outcome


def test_a_matrix_in_which_nothing_is_verified_fails(matrix):
    outcome = matrix("""[forms]
                        engine = "sim"
                        op = "bcast"
                        tree = "bts"
                        dim = 2
                        allow-refused = true
                        """)
    assert outcome.status == 1 and verdicts(outcome) == {"forms": "refused"}, outcome


def test_the_command_of_a_failure_repeats_it(matrix):
    outcome = matrix("""[cut]
                        engine = "sim"
                        op = "bcast"
                        tree = "sbt"
                        dim = 2
                        faults = ["cut:0/0", "drop:0.1"]
                        """)
    assert outcome.status == 1 and verdicts(outcome) == {
        "cut faults=cut:0/0": "failed", "cut faults=drop:0.1": "verified"}, outcome
    reason, command = outcome.err.strip().removeprefix("mesh: cut faults=cut:0/0: ").split(
        "; repeat: ")
    again = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=60,
                           check=False)
    assert again.returncode == 1 and reason in again.stderr


WRONG = {
    "unknown key": ("[a]\nop = 'bcast'\ndimension = 3\n",
                    ":3: no key 'dimension'; did you mean dim? allowed: "),
    "unknown key for all": ("\noutput = 'x'\n[a]\n", ":2: no key 'output'; allowed: "),
    "no TOML": ("[a]\nop = 'bcast'\n\ndim = [1, 2\nengine = 'sim'\n", ":5: "),
    "same key twice": ("[a]\ndim = 1\ndim = 2\n", ":3: "),
    "empty list": ("[a]\nop = 'bcast'\ndim = []\n", ":3: dim: an empty list"),
    "table in a list": ("[a]\ndim = [1, [2]]\n", ":2: dim: allowed: a word, a number"),
    "expectation": ("[a]\nexpect-steps = 'few'\n", ":2: expect-steps 'few': allowed: formula"),
    "flag": ("[a]\nlockstep = 'maybe'\n", ":2: lockstep 'maybe': allowed: true, false"),
    "no section": ("op = 'bcast'\n", "no section; a scenario begins with [its name]"),
    "too many": ("[a]\nop = 'send'\nseed = '1..9999'\ndim = [" + "2," * 11 + "]\n",
                 "more than 100000 runs"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_with_its_line_and_what_is_allowed(matrix, case):
    text, allowed = WRONG[case]
    outcome = matrix(text)
    refused(outcome, allowed)
    assert outcome.out == "", "nothing has run"


def test_wrong_options_are_refused_before_the_first_run(matrix, tmp_path):
    text = EXAMPLE.read_text()
    refused(matrix(text, "--jobs", 0), "1 or more")
    refused(mesh("matrix", EXAMPLE, "--report", "-"), "give a file")
    refused(matrix(text, "--junit", tmp_path / "no" / "junit"), "folder cannot be written")
    refused(mesh("matrix", tmp_path / "none"), "No such file")


def test_help_documents_every_key_that_the_file_may_have(matrix):
    allowed = matrix("[a]\nx = 1\n").err.split("allowed: ")[1].strip().split(", ")
    assert {"op", "dim", "expect-steps", "allow-refused", "faults"} < set(allowed)
    words = collections.Counter(mesh("matrix", "--help").out.split())
    assert all(words[key] for key in allowed)


# Two nodes of which one never answers: the runs last until they are ended.
HUNG = """[hung]
          engine = "qemu"
          op = "bcast"
          tree = "sbt"
          bytes = 4000
          dim = 1
          faults = "hang:1"
          lockstep = true
          timeout = 600
          seed = "1..6"
          """


def going(pid):
    """The number of runs at the moment. A process that a run starts bears its name for a moment."""
    return sum(b"run" in words_of(child) for child in children(pid))


def runs_at_once(tmp_path, expected, *more):
    """How many runs a matrix has going when it has started all it may. A slow machine gets a
    minute to start as many as expected; two seconds later there are no more. (Where more come later
    still, that is not seen; nothing fails that is right.)"""
    file = tmp_path / "matrix.toml"
    file.write_text(HUNG)
    process = start("matrix", file, *more)
    try:
        wait_until(lambda: going(process.pid) >= expected, 60, f"{expected} runs at once")
        time.sleep(2)
        seen = going(process.pid)
        children = descendants(process.pid)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130 and f"{seen} failed" in out, out + err
        # One that had not come to its emulators says no more than the signal.
        ended = re.findall("^mesh: .*: ended by signal 2(?:;| .Interrupt.;) .*repeat: ", err, re.M)
        assert len(ended) == seen, err # the runs that were on
        wait_until(lambda: not alive(children), 60, "every child has ended")
        return seen
    finally:
        end(process)


@pytest.mark.parametrize("more, at_once", [
    (["--jobs", 1], 1), (["--jobs", 2], 1), (["--jobs", 4], 2),
    (["--jobs", 12, "--memory", 100], None)])
def test_no_more_runs_at_once_than_jobs_and_memory_allow(tmp_path, more, at_once):
    """A rig of two nodes counts for two jobs, or all of them; and needs what a dry run says."""
    if at_once is None:
        need = mesh("run", "--dim", 1, "--op", "bcast", "--dry-run").out
        at_once = 100 // int(re.search(r"memory +(\d+) MB needed", need).group(1))
    assert runs_at_once(tmp_path, at_once, *more) == at_once


def test_standard_input_is_no_input_of_several_runs(matrix):
    outcome = matrix("[a]\nop = 'bcast'\nengine = 'sim'\ndim = 3\ninput = '-'\n")
    assert outcome.status == 1 and "standard input is read once" in outcome.err, outcome
    assert verdicts(outcome) == {"a": "failed"}, outcome


def test_many_programs_need_no_more_files_than_one(tmp_path):
    file = tmp_path / "matrix.toml"
    file.write_text(f"[a]\napp = '{IMAGES}/hello.elf'\nengine = 'sim'\ndim = 1\nseed = '1..40'\n")
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
    done = subprocess.run([MESH, "matrix", file, "--jobs", "1"], capture_output=True, text=True,
                          timeout=120, stdin=subprocess.DEVNULL, preexec_fn=few)
    assert done.returncode == 0 and "40 verified, 0 failed" in done.stdout, done


def test_a_run_that_never_fits_into_memory_is_refused(matrix):
    outcome = matrix("[large]\nop = 'bcast'\ndim = 4\n", "--memory", 50)
    assert outcome.status == 1 and "50 MB are available" in outcome.err, outcome


def test_a_matrix_has_words_for_its_programs(matrix):
    outcome = matrix("""engine = "sim"
                        dim = 1
                        [ring]
                        app = "ring"
                        words = ["1", "2"]
                        [ping]
                        app = "pingpong"
                        words = "128"
                        tau = 2
                        """)
    assert outcome.status == 0, outcome
    done = {one["name"]: one["report"]["model_time"] for one in outcome.report["runs"]}
    assert set(done) == {"ring words=1", "ring words=2", "ping"}, outcome
    assert done["ring words=1"] < done["ring words=2"], outcome
    assert "ring -- 2" in str(outcome.report) or "--app=ring -- 2" in str(outcome.report), outcome
