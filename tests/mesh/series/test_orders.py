"""--orders: a program that is right in one order only fails, and a small order shows it."""
import json
import re
import shlex

import pytest

from mesh_tool import mesh, program, refused

SIM = ["run", "--engine", "sim"]


def verdicts(outcome):
    return re.findall(r"^order \d+ +(\w+) +steps", outcome.out, re.M)


def smallest(outcome):
    """The put-offs of the smallest order that fails, and the command that repeats it."""
    found = re.search(r"^smallest order that fails: (\d+(?:,\d+)*|none)", outcome.out, re.M)
    assert found, outcome
    repeat = shlex.split(outcome.err.splitlines()[-1].split("; repeat: ")[1])
    return found[1], repeat[1:]


@pytest.mark.parametrize("name, dim", [("racy", 2), ("sisters", 1)])
def test_a_race_that_no_seed_shows_fails_within_20_orders(name, dim):
    job = [*SIM, "--dim", dim, "--app", program(name)]
    assert mesh(*job, "--seed", "1..5").status == 0
    outcome = mesh(*job, "--orders", 20)
    assert outcome.status == 1 and len(verdicts(outcome)) == 20, outcome
    assert "failed" in verdicts(outcome), outcome
    order, repeat = smallest(outcome)
    assert "," not in order and order != "none", "one put-off is enough"
    again = mesh(*repeat)
    assert again.status == 1 and "ended with: failed" in again.err, (outcome, again)
    assert mesh(*job, "--order", "none").status == 0, "it fails by the put-off"


@pytest.mark.parametrize("name, dim", [("mended", 2), ("timed", 3)])
def test_a_program_that_is_right_in_every_order_passes_all(name, dim):
    outcome = mesh(*SIM, "--dim", dim, "--app", program(name), "--orders", 40)
    assert outcome.status == 0 and verdicts(outcome) == ["verified"] * 40, outcome


@pytest.mark.parametrize("topology, dim", [("cube", 3), ("uhc", 3), ("star", 4)])
@pytest.mark.parametrize("op", [["bcast"], ["alltoall"], ["allreduce"], ["barrier"],
                                ["send", "--messages", 3]])
def test_operations_are_right_in_every_order(topology, dim, op):
    outcome = mesh(*SIM, "--topology", topology, "--dim", dim, "--op", *op, "--orders", 6)
    assert outcome.status == 0 and verdicts(outcome) == ["verified"] * 6, outcome


def test_operations_are_right_in_every_order_with_faults():
    outcome = mesh(*SIM, "--dim", 3, "--op", "bcast", "--faults", "drop:0.1,dup:0.05,reorder:0.1",
                   "--orders", 10)
    assert outcome.status == 0, outcome


def test_an_order_repeats_a_run_to_the_byte(tmp_path):
    reports = []
    for number in range(2):
        mesh(*SIM, "--dim", 2, "--app", program("racy"), "--order", "drawn:3", "--report",
             tmp_path / f"{number}.json")
        report = json.loads((tmp_path / f"{number}.json").read_text())
        reports.append([report[key] for key in ("order", "link_packets", "delivery_hash", "fates")])
    assert reports[0] == reports[1] and reports[0][0]["put_off"], reports
    numbers = ",".join(map(str, reports[0][0]["put_off"]))
    mesh(*SIM, "--dim", 2, "--app", program("racy"), "--order", numbers, "--report",
         tmp_path / "told.json")
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["order"] == reports[0][0], "numbers mean what was drawn"


@pytest.mark.parametrize("words, why", [
    (["--order", "5,3"], "--order '5,3': allowed: "),
    (["--order", "x"], "--order 'x': allowed: "),
    (["--orders", "0"], "--orders '0': allowed: "),
    (["--orders", "all", "--limit", "5"], "--orders all: goes without --limit"),
    (["--orders", "all:"], "--orders 'all:': allowed: "),
    (["--orders", "3", "--repeat", "2"], "--orders: goes with one seed"),
    (["--orders", "3", "--order", "none"], "--orders: goes without --order"),
    (["--orders", "3", "--log", "x"], "--log: goes with one run")])
def test_orders_that_make_no_sense_are_refused(words, why):
    refused(mesh(*SIM, "--dim", 1, "--op", "bcast", *words), why)


def test_an_emulator_has_no_order_of_ours():
    for words in (["--order", "none"], ["--orders", "3"]):
        refused(mesh("run", "--dim", 1, "--op", "bcast", *words), "goes with --engine sim")
