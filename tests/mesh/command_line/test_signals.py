"""The first signal ends a run as --limit does, with its results. The next one: at once."""
import json
import os
import re
import signal
import time
import xml.etree.ElementTree

import pytest

from hostile_node import write_script
from mesh_tool import (TIMEOUT_S, alive, descendants, end, mesh, program, start, ticks_of,
                       wait_until, words_of)
from test_processes import STUCK, nodes_of

LONG = ["run", "--engine", "sim", "--dim", 6, "--op", "send", "--messages", 100000, "--bytes", 16]
NEVER_READY = ["--engine", "qemu", "--lockstep", "--qemu", "SILENT", "--dim", 1, "--limit", 1]
AT_WORK_TICKS = 50 # of processor time, of which a run takes the least part to come to work


def written_to(folder):
    return ["--report", folder / "report.json", "--junit", folder / "junit.xml",
            "--log", folder / "log"]


def check_files(folder, reason):
    """Report, junit and log are there and say the same; the report."""
    report = json.loads((folder / "report.json").read_text())
    assert re.match(reason, report["cut_short"]), report["cut_short"]
    failed = report["failed_nodes"]
    assert failed and report["verified_nodes"] == report["nodes"] - len(failed)
    assert json.loads((folder / "log" / "report.json").read_text()) == report
    suite = xml.etree.ElementTree.parse(folder / "junit.xml").getroot()
    signal_ended = reason.startswith("ended by signal")
    assert (suite.get("failures"), suite.get("errors")) == (("0", "1") if signal_ended
                                                            else ("1", "0"))
    assert re.match(reason, suite.find(
        "testcase/" + ("error" if signal_ended else "failure")).get("message"))
    return report


def ended_by(process, number):
    """What it says after this signal."""
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 128 + number, out + err
    return out, err


def works(process):
    """Waits until it has said how far it has come."""
    return next(line for line in process.stderr if line.startswith("running: "))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_leaves_all_that_a_run_is_to_write(tmp_path, number):
    process = start(*LONG, *written_to(tmp_path), "--capture", tmp_path / "x.pcapng",
                    "--capture-bytes", 80)
    try:
        works(process)
        _, err = ended_by(process, number)
    finally:
        end(process)
    last = err.strip().splitlines()[-1]
    assert re.match(rf"mesh: ended by signal {number}; nodes 0 .*: not done; \d+ packets have gone"
                    r".*; repeat: ", last), err
    check_files(tmp_path, rf"ended by signal {number}; nodes 0 ")
    view = mesh("view", tmp_path / "x.pcapng", "--format", "svg", "--output", tmp_path / "x.svg")
    assert view.status == 0 and "has no end" not in view.err, view


@pytest.mark.free
def test_the_first_signal_ends_a_rig_and_says_who_waits(tmp_path):
    process = start(*STUCK, *written_to(tmp_path))
    try:
        nodes_of(process)
        works(process)
        _, err = ended_by(process, signal.SIGINT)
    finally:
        end(process)
    report = check_files(tmp_path, "ended by signal 2; node")
    assert report["waits"] and " waits for " in err, err


@pytest.mark.free
def test_the_second_signal_ends_a_run_at_once(tmp_path):
    """The end by the first signal waits for stopped emulators, which do not tell their waits."""
    process = start(*STUCK, *written_to(tmp_path))
    try:
        children = nodes_of(process)
        works(process)
        for child in children:
            os.kill(child, signal.SIGSTOP)
        while process.poll() is None: # those that come at once are the same wish
            os.kill(process.pid, signal.SIGINT)
            time.sleep(0.1)
        assert process.returncode == 130
        assert process.stderr.read().splitlines()[-1] == "mesh: ended by signal 2"
        assert not (tmp_path / "report.json").exists()
        wait_until(lambda: not alive(children), 60, "every child has ended")
    finally:
        end(process)


def test_a_signal_after_the_table_is_not_lost(tmp_path):
    """The report is to go into a pipe that nobody reads, so the run waits for us."""
    page = tmp_path / "page.html"
    os.mkfifo(page)
    process = start("run", "--engine", "sim", "--dim", 2, "--op", "barrier", "--report", page)
    try:
        assert next(line for line in process.stdout if line.startswith("verified  4 of 4"))
        _, err = ended_by(process, signal.SIGINT)
        assert err.endswith("mesh: ended by signal 2\n"), err
    finally:
        end(process)
    assert list(tmp_path.iterdir()) == [page]


@pytest.mark.parametrize("wrong, reason", [
    (["--engine", "sim", "--dim", 2, "--miswire", "0/0", "1/1"],
     r"node \d port \d: the cable leads to node "),
    (NEVER_READY, "nodes 0 1.*: not ready within --limit 1 s")])
def test_a_run_that_does_not_come_to_work_writes_its_report(tmp_path, wrong, reason):
    silent = write_script(tmp_path, others="time.sleep(1000)")
    wrong = [silent if word == "SILENT" else word for word in wrong]
    outcome = mesh("run", *wrong, "--op", "barrier", *written_to(tmp_path))
    assert outcome.status == 1 and re.search("^mesh: " + reason, outcome.err, re.M), outcome
    assert check_files(tmp_path, reason)["waits"] == []


@pytest.mark.parametrize("op", ["bcast", "scatter", "gather", "reduce", "allreduce", "scan",
                                "allgather", "alltoall", "barrier", "send", "sort", "ascend",
                                "descend", "fft"])
def test_no_node_is_verified_in_a_run_that_does_not_come_to_work(op, tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--op", op, "--miswire", "0/0", "1/1",
                   *written_to(tmp_path))
    assert outcome.status == 1, outcome
    check_files(tmp_path, r"node \d port \d: ")


@pytest.mark.parametrize("number", [None, signal.SIGINT, signal.SIGTERM])
def test_a_simulated_program_that_prints_without_end_ends_with_its_run(number):
    limit = ["--limit", 2] if number is None else []
    process = start("run", "--engine", "sim", "--dim", 1, "--app", program("chatter"),
                    *limit)
    lines = 0
    sent = False
    try:
        for line in process.stdout: # else the pipe is full, and it waits for us
            lines += line.endswith("x\n")
            if number and lines >= 1000 and not sent:
                sent = True
                process.send_signal(number)
        err = process.stderr.read()
        assert process.wait(timeout=TIMEOUT_S) == (1 if number is None else 128 + number), err
        assert re.search(r"computes without end and never waits, in .*chatter\.cpp:\d", err), err
    finally:
        end(process)


def test_a_series_that_a_signal_ends_writes_what_came_of_it(tmp_path):
    process = start(*LONG, "--repeat", 5, "--report", tmp_path / "all.json", "--junit",
                    tmp_path / "all.xml")
    try:
        [child] = wait_until(lambda: [pid for pid in descendants(process.pid)
                                      if b"run" in words_of(pid)], 60, "a run")
        wait_until(lambda: ticks_of(child) >= AT_WORK_TICKS, 60, "it works")
        out, err = ended_by(process, signal.SIGINT)
    finally:
        end(process)
    assert "1 run: 0 verified, 1 failed" in out, out + err
    assert re.search(r"^mesh: seed 1: ended by signal 2; nodes .*; repeat: .* --seed=1 ", err, re.M)
    assert err.endswith("mesh: ended by signal 2\n"), err
    runs = json.loads((tmp_path / "all.json").read_text())["runs"]
    assert [run["verdict"] for run in runs] == ["failed"]
    assert runs[0]["report"]["cut_short"].startswith("ended by signal 2; "), runs
    suite = xml.etree.ElementTree.parse(tmp_path / "all.xml").getroot()
    assert suite.get("errors") == "1"
