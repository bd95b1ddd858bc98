"""The programs of textbooks in firmware/apps: they judge themselves, and say what can be foreseen,
on every network, with ten seeds of losses."""
import re

import pytest

from mesh_tool import ROOT, console, mesh

NETWORKS = {"cube": (8, ("--dim", 3)), "uhc": (16, ("--topology", "uhc", "--dim", 4)),
            "star": (24, ("--topology", "star", "--dim", 4))}
PORTS = {"cube": 3, "uhc": 4, "star": 3}
STORM = ("--faults", "drop:0.1,corrupt:0.05,dup:0.05,reorder:0.1")
APPS = ["echo", "gossip", "heat", "kv", "lcr", "mutex", "pipe", "snapshot"]
LINES_MOST = 62 # with its includes


def plate(nodes, steps):
    """The mean of each node's four rows, as heat.cpp computes them."""
    rows, columns = 4 * nodes, 24
    now = [[100.0] * columns] + [[0.0] * columns for _ in range(rows + 1)]
    for _ in range(steps):
        new = [row[:] for row in now]
        for y in range(1, rows + 1):
            for x in range(1, columns - 1):
                new[y][x] = (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1]) / 4
        now = new
    means = []
    for first in range(1, rows + 1, 4):
        total = 0.0
        for row in now[first:first + 4]:
            for cell in row:
                total += cell
        means.append(total / (4 * columns))
    return means


def numbers(count, seed):
    """The numbers below 1000 that node 0 draws (Random of library/words.hpp), sorted."""
    mask, golden = 2 ** 64 - 1, 0x9E3779B97F4A7C15

    def mixed(state):
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
        state = (state ^ state >> 27) * 0x94D049BB133111EB & mask
        return state ^ state >> 31

    first = mixed(seed * golden + 1 + golden & mask)
    drawn = [mixed(first + (at + 1) * golden & mask) >> 32 for at in range(count)]
    return sorted(number * 1000 >> 32 for number in drawn)


def check(name, outcome, network, seed=1):
    nodes = NETWORKS[network][0]
    lines = console(outcome)
    first = lines[0]
    if name == "echo":
        messages = nodes * PORTS[network]
        assert first == [f"the echo counts {nodes} nodes, after {messages} messages"]
    elif name == "gossip":
        known = [int(re.fullmatch(rf"round {number}: (\d+) know", line)[1])
                 for number, line in enumerate(first, 1)]
        assert known == sorted(known) and known[-1] == nodes and known[0] == 2
        assert all(after <= 2 * before for before, after in zip([1] + known, known))
    elif name == "heat":
        assert [lines[node] for node in range(nodes)] == [
            [f"rows {4 * node} to {4 * node + 3}: {mean:.4f}"]
            for node, mean in enumerate(plate(nodes, 100))]
    elif name == "kv":
        counts = [re.fullmatch(r"(\d+) keys, (\d+) asks", lines[node][0]).groups()
                  for node in range(nodes)]
        assert sum(int(keys) for keys, _ in counts) == 16 * nodes
        assert all(int(asks) == 2 * int(keys) for keys, asks in counts)
    elif name == "lcr":
        said = re.fullmatch(r"node (\d+) leads after (\d+) messages; from (\d+) to (\d+)", first[0])
        leader, messages, least, most = map(int, said.groups())
        assert leader < nodes and 3 * nodes - 1 == least <= messages <= most
        assert most == nodes * (nodes + 3) // 2
    elif name == "mutex":
        assert first == [f"{3 * nodes} visits, one at a time"]
    elif name == "pipe":
        assert [int(lines[node][0]) for node in range(nodes)] == numbers(nodes, seed)
    else:
        said = re.fullmatch(r"(\d+) with the nodes and (\d+) under way, (\d+) at the end", first[0])
        here, between, end = map(int, said.groups())
        assert here + between == end == 1000 * nodes


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("name", APPS)
def test_it_is_right_on_every_network_with_ten_seeds_of_losses(name, network):
    where = ("run", "--engine", "sim", *NETWORKS[network][1], "--app", name)
    outcome = mesh(*where, *STORM, "--seed", 7)
    assert outcome.status == 0, outcome
    check(name, outcome, network, 7)
    outcome = mesh(*where, *STORM, "--seed", "1..10")
    assert outcome.status == 0 and "10 verified, 0 failed" in outcome.out, outcome


@pytest.mark.parametrize("name", APPS)
def test_it_is_right_on_real_firmware(name):
    where = (*NETWORKS["cube"][1], "--app", name)
    outcome = mesh("run", "--engine", "qemu", *where, *STORM)
    assert outcome.status == 0, outcome
    check(name, outcome, "cube")
    if name != "snapshot": # what is under way hangs on the moment; nothing else does
        assert console(outcome) == console(mesh("run", "--engine", "sim", *where)), outcome


def test_a_snapshot_finds_money_under_way():
    """Else it would show nothing that a sum of the accounts does not."""
    outcome = mesh("run", "--engine", "sim", "--dim", 3, "--app", "snapshot")
    assert not re.search(r" and 0 under way", outcome.out) and outcome.status == 0, outcome


def test_other_words_make_larger_runs_which_end_as_well():
    for name, words in (("snapshot", (100,)), ("mutex", (10,)), ("heat", (300,))):
        outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", name, "--", *words)
        assert outcome.status == 0, outcome


def test_none_of_them_is_longer_than_a_page():
    for name in APPS:
        lines = (ROOT / "firmware" / "apps" / f"{name}.cpp").read_text().splitlines()
        assert len(lines) <= LINES_MOST, (name, len(lines))
