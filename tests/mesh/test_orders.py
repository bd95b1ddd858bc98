"""--orders: a program that is right in one order only fails, and a small order shows it."""
import json
import re

import pytest

from mesh_tool import mesh, refused

# Node 0 believes that messages come in the order of their senders' numbers. In lockstep they do.
RACY = """
#include "meshputer.hpp"
mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    if (me != 0)
        co_return co_await mesh::send(node, mesh::NodeId{0}, {.tag = 1},
                                      std::as_bytes(std::span{&me, 1}));
    unsigned order = 0;
    for (unsigned i = 1, who = 0; i < node.nodes(); ++i, order = order * 10 + who) {
        const mesh::Received got =
            co_await mesh::receive(node, std::as_writable_bytes(std::span{&who, 1}), 1);
        if (got.status != mesh::Status::ok)
            co_return got.status;
    }
    co_return order == 123 ? mesh::Status::ok : mesh::Status::failed;
}
"""
# The same, mended: the sum of what has come does not depend on its order.
MENDED = RACY.replace("order == 123", "order % 9 == 6")
# Two processes of one node: the second believes that the first has run before it.
SISTERS = """
#include "meshputer.hpp"
namespace {
unsigned made = 0;
mesh::Process first(mesh::Kernel&) {
    made = 7;
    co_return mesh::Status::ok;
}
mesh::Process second(mesh::Kernel&) {
    co_return made == 7 ? mesh::Status::ok : mesh::Status::failed;
}
} // namespace
mesh::Process app_main(mesh::Kernel& node) {
    mesh::ProcessId one;
    mesh::ProcessId other;
    if (!node.spawn(first(node), one) || !node.spawn(second(node), other))
        co_return mesh::Status::no_memory;
    std::ignore = co_await node.join(one);
    co_return co_await node.join(other);
}
"""
# A time-out of 30 units for what takes a few is right in every order.
TIMED = """
#include "meshputer.hpp"
mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    unsigned value = me;
    const mesh::NodeId next = mesh::node_at((me + 1) % node.nodes());
    mesh::ProcessId sending;
    if (!node.spawn(mesh::send(node, next, {}, std::as_bytes(std::span{&me, 1})), sending))
        co_return mesh::Status::no_memory;
    const mesh::Received got = co_await mesh::receive_within(
        node, 30 * mesh::wire::kTicksPerUnit, std::as_writable_bytes(std::span{&value, 1}));
    const mesh::Status sent = co_await node.join(sending);
    co_return got.status != mesh::Status::ok ? got.status : sent;
}
"""
SIM = ["run", "--engine", "sim"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("orders")
    made = {}
    for name, text in {"racy": RACY, "mended": MENDED, "sisters": SISTERS, "timed": TIMED}.items():
        (folder / f"{name}.cpp").write_text(text)
        outcome = mesh("build", "--engine", "sim", f"{name}.cpp", "-o", name, cwd=folder)
        assert outcome.status == 0, outcome
        made[name] = folder / name
    return made


def verdicts(outcome):
    return re.findall(r"^order \d+ +(\w+) +steps", outcome.out, re.M)


def smallest(outcome):
    """The put-offs of the smallest order that fails, and the command that repeats it."""
    found = re.search(r"^smallest order that fails: (\d+(?:,\d+)*|none)", outcome.out, re.M)
    assert found, outcome
    repeat = outcome.err.splitlines()[-1].split("; repeat: ")[1].split()
    return found[1], repeat[1:]


@pytest.mark.parametrize("program, dim", [("racy", 2), ("sisters", 1)])
def test_a_race_that_no_seed_shows_fails_within_20_orders(programs, program, dim):
    job = [*SIM, "--dim", dim, "--app", programs[program]]
    assert mesh(*job, "--seed", "1..5").status == 0
    outcome = mesh(*job, "--orders", 20)
    assert outcome.status == 1 and len(verdicts(outcome)) == 20, outcome
    assert "failed" in verdicts(outcome), outcome
    order, repeat = smallest(outcome)
    assert "," not in order and order != "none", "one put-off is enough"
    again = mesh(*repeat)
    assert again.status == 1 and "ended with: failed" in again.err, (outcome, again)
    assert mesh(*job, "--order", "none").status == 0, "it fails by the put-off"


@pytest.mark.parametrize("program, dim", [("mended", 2), ("timed", 3)])
def test_a_program_that_is_right_in_every_order_passes_all(programs, program, dim):
    outcome = mesh(*SIM, "--dim", dim, "--app", programs[program], "--orders", 40)
    assert outcome.status == 0 and verdicts(outcome) == ["verified"] * 40, outcome


def test_all_orders_find_the_one_with_the_fewest_put_offs(programs):
    outcome = mesh(*SIM, "--dim", 2, "--app", programs["racy"], "--orders", "all")
    assert outcome.status == 1 and "orders without a put-off: 1 of 1\n" in outcome.out, outcome
    order, _ = smallest(outcome)
    assert order.isdigit(), outcome


def test_all_orders_say_how_far_they_got(programs):
    job = [*SIM, "--dim", 1, "--app", programs["timed"], "--orders"]
    # Two nodes: one message, and its answer; few things may happen in another order.
    outcome = mesh(*job, "all:30")
    levels = re.findall(r"^orders with (\d+) put-offs?: (\d+) of (\d+)$", outcome.out, re.M)
    told = [list(map(int, level)) for level in levels]
    assert [level[0] for level in told] == list(range(1, len(told) + 1)), outcome
    assert all(done == there for _, done, there in told[:-1]), outcome
    runs = 1 + sum(done for _, done, _ in told)
    assert f"{runs} runs: " in outcome.out and runs <= 30, outcome


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


def test_an_order_repeats_a_run_to_the_byte(programs, tmp_path):
    reports = []
    for number in range(2):
        mesh(*SIM, "--dim", 2, "--app", programs["racy"], "--order", "drawn:3", "--report",
             tmp_path / f"{number}.json")
        report = json.loads((tmp_path / f"{number}.json").read_text())
        reports.append([report[key] for key in ("order", "link_packets", "delivery_hash", "fates")])
    assert reports[0] == reports[1] and reports[0][0]["put_off"], reports
    numbers = ",".join(map(str, reports[0][0]["put_off"]))
    mesh(*SIM, "--dim", 2, "--app", programs["racy"], "--order", numbers, "--report",
         tmp_path / "told.json")
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["order"] == reports[0][0], "numbers mean what was drawn"


@pytest.mark.parametrize("words, why", [
    (["--order", "5,3"], "--order '5,3': allowed: "),
    (["--order", "x"], "--order 'x': allowed: "),
    (["--orders", "0"], "--orders '0': allowed: "),
    (["--orders", "all:"], "--orders 'all:': allowed: "),
    (["--orders", "3", "--repeat", "2"], "--orders: goes with one seed"),
    (["--orders", "3", "--order", "none"], "--orders: goes without --order"),
    (["--orders", "3", "--log", "x"], "--log: goes with one run")])
def test_orders_that_make_no_sense_are_refused(words, why):
    refused(mesh(*SIM, "--dim", 1, "--op", "bcast", *words), why)


def test_an_emulator_has_no_order_of_ours():
    for words in (["--order", "none"], ["--orders", "3"]):
        refused(mesh("run", "--dim", 1, "--op", "bcast", *words), "goes with --engine sim")
