"""The report's words about the run and each node, for readers without a console."""
import re

import pytest

from hostile_node import write_script
from mesh_tool import IMAGES, run

APP = ["--app", IMAGES / "hello.elf"]


def scripted(folder, *options, **bodies):
    return run("qemu", "--qemu", write_script(folder, **bodies), "--dim", 1, *APP, *options)


def last_line(outcome):
    """Its reason, and the command that repeats the run."""
    return re.fullmatch("mesh: (.*); repeat: (.*)", outcome.err.splitlines()[-1]).groups()


def test_a_good_run_says_so():
    report = run("sim", "--dim", 2, "--op", "bcast", "--timeout", 7).report
    assert report["verdict"] == "ok" and report["reason"] is None
    assert re.search(r"/mesh'? run --engine sim .*--timeout 7 --seed 1$", report["command"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", report["version"]) and report["timeout"] == 7
    assert report["fates"] == [{"node": node, "fate": "done", "note": None} for node in range(4)]


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_the_parts_of_a_run_add_up_to_its_time(engine):
    outcome = run(engine, "--dim", 2, "--op", "barrier", "--lockstep")
    clock = outcome.report["clock"]
    assert list(clock) == ["found", "booted", "prepared", "ran", "ended"]
    assert min(clock.values()) >= 0
    told = re.search("^time +found (.*) s$", outcome.out.replace("\n     ", ""), re.M)[1]
    *parts, whole = map(float, re.findall(r"\d+\.\d+", told))
    assert len(parts) == len(clock) and round(abs(sum(parts) - whole) * 100) <= len(parts)


def test_a_failed_run_says_what_became_of_each_node(tmp_path):
    outcome = scripted(tmp_path, node1="node.play(until='start'); sys.exit(3)")
    report = outcome.report
    assert outcome.status == 1 and report["verdict"] == "failed"
    assert (report["reason"], report["command"]) == last_line(outcome)
    assert report["fates"] == [{"node": 0, "fate": "done", "note": None},
                               {"node": 1, "fate": "ended", "note": "exit 3"}]


def test_a_node_that_has_ended_of_itself_does_not_live(tmp_path):
    script = write_script(tmp_path, node1="node.play(until='start'); sys.exit(3)")
    outcome = run("qemu", "--qemu", script, "--dim", 1, "--op", "barrier", "--timeout", 60)
    assert outcome.status == 1 and "of 1 live nodes, 1 ended" in outcome.out, outcome


def test_a_run_without_a_node_left_says_how_they_ended(tmp_path):
    body = "node.play(until='start'); sys.exit(4)"
    outcome = scripted(tmp_path, node0=body, node1=body)
    assert outcome.status == 1 and "node 0 exit 4; node 1 exit 4" in outcome.err, outcome
    assert [fate["fate"] for fate in outcome.report["fates"]] == ["ended", "ended"]


@pytest.mark.parametrize("fault, fate", [("kill:2@5", "killed"), ("restart:2@5", "restarted")])
def test_what_the_fault_plan_did_is_a_fate(fault, fate):
    report = run("sim", "--dim", 3, "--op", "send", "--messages", 20, "--faults", fault).report
    assert report["fates"][2]["fate"] == fate, report["fates"]


def test_the_difference_to_an_expected_console_is_a_reason(tmp_path):
    (tmp_path / "expected").write_text("[0] no\n")
    outcome = scripted(tmp_path, "--expect", tmp_path / "expected")
    assert outcome.report["verdict"] == "failed"
    assert "not 'no' as in" in outcome.report["reason"], outcome.report["reason"]
