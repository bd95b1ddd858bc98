"""--orders all: each order of the processes of a program is tried, and no two that are the same."""
import re
import shlex

import pytest

from mesh_tool import mesh, program

SIM = ["run", "--engine", "sim"]


def last_line(outcome):
    return outcome.out.splitlines()[-1]


def all_orders(name, *words, dim=2, most=None, options=()):
    return mesh(*SIM, "--dim", dim, *options, "--app", program(name), "--orders",
                "all" if most is None else f"all:{most}", "--", *words)


def repeated(outcome):
    """The run of the last line's command."""
    found = re.fullmatch(r"wrong in one of \d+ orders?; repeat: (.*)", last_line(outcome))
    assert outcome.status == 1 and found, outcome
    again = mesh(*shlex.split(found[1])[1:])
    assert again.status == 1, (outcome, again)
    return again


@pytest.mark.parametrize("order", ["123", "132", "213", "231", "312", "321"])
def test_each_order_of_arrivals_is_found_and_its_command_repeats_it(order):
    outcome = all_orders("arrivals", order)
    assert "ended with: failed" in repeated(outcome).err, outcome
    assert "smallest order that fails: " in outcome.out, outcome


def test_a_program_that_takes_any_order_is_right_in_all_of_them():
    outcome = all_orders("arrivals", "0")
    assert outcome.status == 0, outcome
    number = int(re.fullmatch(r"right in all (\d+) orders", last_line(outcome))[1])
    assert number >= 6
    assert last_line(all_orders("arrivals", "0")) == last_line(outcome)
    cut = all_orders("arrivals", "0", most=number - 1)
    assert cut.status == 0 and last_line(cut) == f"right in {number - 1} orders, not all", cut
    assert last_line(all_orders("arrivals", "0", most=number)) == last_line(outcome)


@pytest.mark.parametrize("word, ranks, why", [
    ("last", 3, "node 0 ended with"), ("deadlock", 3, "node 0 waits for an MPI message"),
    ("impatient", 2, "node 0 ended with"), ("crash", 3, "a null pointer")])
def test_a_program_over_mpi_that_is_wrong_in_some_order_is_found(word, ranks, why):
    job = [*SIM, "--dim", 2, "--ranks", ranks, "--app", program("orders")]
    assert mesh(*job, "--order", "turns:none", "--", word).status == (word == "impatient")
    again = repeated(all_orders("orders", word, options=["--ranks", ranks]))
    assert why in again.err, again


@pytest.mark.parametrize("word, ranks", [("sum", 3), ("patient", 2)])
def test_its_right_twin_is_right_in_all(word, ranks):
    outcome = all_orders("orders", word, options=["--ranks", ranks])
    assert outcome.status == 0, outcome
    assert re.fullmatch(r"right in all \d+ orders", last_line(outcome)), outcome


@pytest.mark.parametrize("name, dim", [("racy", 2), ("sisters", 1)])
def test_a_race_that_no_seed_shows_is_found(name, dim):
    assert "ended with: failed" in repeated(all_orders(name, dim=dim, most=2000)).err


@pytest.mark.parametrize("name, dim", [("mended", 2), ("timed", 1)])
def test_its_right_twin_passes_as_many(name, dim):
    outcome = all_orders(name, dim=dim, most=100)
    assert outcome.status == 0, outcome
    assert re.fullmatch(r"right in (all \d+ orders|100 orders, not all)", last_line(outcome))


@pytest.mark.parametrize("op", ["bcast", "allreduce", "barrier"])
def test_an_operation_is_right_in_all_orders_of_its_nodes(op):
    outcome = mesh(*SIM, "--dim", 1, "--op", op, "--orders", "all:200")
    assert outcome.status == 0 and last_line(outcome).startswith("right in "), outcome


def test_what_is_expected_is_expected_in_each_order():
    job = [*SIM, "--dim", 1, "--op", "bcast", "--expect-steps", 99]
    assert "99" in repeated(mesh(*job, "--orders", "all")).err


def test_the_report_and_the_suite_have_the_order_that_failed(tmp_path):
    outcome = mesh(*SIM, "--dim", 2, "--app", program("arrivals"), "--orders", "all", "--report",
                   tmp_path / "r.json", "--junit", tmp_path / "r.xml", "--", "213")
    assert outcome.status == 1, outcome
    assert '"name":"order turns:' in (tmp_path / "r.json").read_text()
    assert 'failures="1"' in (tmp_path / "r.xml").read_text()
