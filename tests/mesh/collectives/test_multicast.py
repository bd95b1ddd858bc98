"""Multicast: each packet crosses each link that it needs once, and no other one."""
import re

import pytest

from mesh_tool import IMAGES, ROOT, console, mesh, run, tree

APP = IMAGES / "app_multicast.elf"
MULTICAST, GROUP, VALUE = 0, 1, 2
STORM = "drop:0.1,corrupt:0.05,dup:0.05,reorder:0.1"


def parents_of(topology, dim, root):
    """{node: its parent} in the usual tree."""
    name = {"cube": "sbt", "uhc": "bts", "star": "spt"}[topology]
    subtree, _ = tree(dim, name, root, topology)
    return {node: up for node, up in enumerate(subtree["parent"]) if up >= 0}


def ways(parents, members, root):
    """The nodes into which a packet goes, and the length of its longest way."""
    reached, longest = set(), 0
    for node in members:
        links = 0
        while node != root:
            reached.add(node)
            node, links = parents[node], links + 1
        longest = max(longest, links)
    return reached, longest


def multicast(engine, where, members, *, size=4, rounds=1, root=0, seed=1, how=MULTICAST, more=()):
    outcome = run(engine, *where, *more, "--app", APP, "--", members, size, rounds, root, seed, how)
    assert outcome.status == 0, outcome
    lines = console(outcome)
    chosen = [int(line.split()[1]) for line in lines[0] if line.startswith("member")]
    steps = max(int(line.split()[0]) for node in lines for line in lines[node] if "steps" in line)
    return outcome.report, chosen, steps


@pytest.mark.parametrize("topology, dim, members, root", [
    ("cube", 8, 1, 0), ("cube", 8, 2, 77), ("cube", 8, 16, 0), ("cube", 8, 128, 255),
    ("cube", 8, 256, 3), ("cube", 10, 40, 1000), ("uhc", 6, 20, 9), ("uhc", 5, 8, 30),
    ("star", 5, 16, 0), ("star", 5, 60, 100), ("star", 6, 100, 719)])
def test_a_packet_crosses_each_link_on_its_way_to_members_once(topology, dim, members, root):
    where = ["--topology", topology, "--dim", dim]
    report, chosen, steps = multicast("sim", where, members, root=root)
    reached, longest = ways(parents_of(topology, dim, root), chosen, root)
    counters = report["counters"]
    assert counters["packets_sent"] == len(reached) and not report["dropped"]["no_route"]
    assert counters["packets_delivered"] == len(set(chosen) - {root})
    assert report["max_link_load"] == (1 if reached else 0) and steps == longest


@pytest.mark.parametrize("topology, dim", [("cube", 6), ("uhc", 6), ("star", 5)])
def test_everything_arrives_whatever_is_lost_and_however_long_it_is(topology, dim):
    where = ["--topology", topology, "--dim", dim, "--faults", STORM, "--seed", 3]
    report, _, _ = multicast("sim", where, 20, size=20000, rounds=6, root=5)
    assert report["counters"]["retransmissions"] > 100
    assert report["dropped"]["no_route"] == 0


@pytest.mark.parametrize("size", [4, 3000])
def test_a_root_that_runs_ahead_of_late_members_loses_nothing(size):
    outcome = mesh("run", "--engine", "sim", "--dim", 4, "--orders", 4, "--app", APP, "--",
                   9, size, 60, 15)
    assert outcome.status == 0, outcome


@pytest.mark.parametrize("topology, dim", [("cube", 4), ("uhc", 4), ("star", 4)])
def test_a_value_goes_as_its_bytes_do(topology, dim):
    where = ["--topology", topology, "--dim", dim, "--faults", STORM]
    multicast("sim", where, 7, rounds=40, root=3, how=VALUE)


def test_on_real_firmware_too():
    where = ["--dim", 3, "--lockstep", "--faults", STORM]
    report, _, _ = multicast("qemu", where, 4, size=3000, rounds=3, root=6)
    assert report["counters"]["retransmissions"] > 0


def table():
    """The rows of the table beside the header."""
    text = (ROOT / "firmware/collectives/multicast.hpp").read_text()
    rows = re.findall(r"^//\s+(cube|star)[^|]*\|" + r"\s*(\d+)\s*\|" * 4 + r"\s*(\d+)$", text, re.M)
    return [(row[0], *map(int, row[1:])) for row in rows]


def test_the_table_says_what_is_measured():
    assert len(table()) == 6
    for topology, members, *figures in table():
        where = ["--topology", topology, "--dim", {"cube": 8, "star": 5}[topology]]
        measured = {}
        for how in (GROUP, MULTICAST):
            report, _, steps = multicast("sim", where, members, how=how)
            # Each message of a group has one word of its receiver, over as many links.
            measured[how] = report["counters"]["packets_sent"] // (2 if how == GROUP else 1), steps
        (group, group_steps), (here, steps) = measured[GROUP], measured[MULTICAST]
        assert figures == [group, here, group_steps, steps], (topology, members)


def test_a_capture_and_its_page_say_that_a_packet_is_for_a_set(tmp_path):
    file, page = tmp_path / "run.pcapng", tmp_path / "run.html"
    outcome = mesh("run", "--engine", "sim", "--dim", 3, "--capture", file, "--report", page,
                   "--app", APP, "--", 4)
    assert outcome.status == 0, outcome
    shown = mesh("view", file, "--format", "text").out
    assert "0->a set message 0 at 0, 8 bytes" in shown, shown
    assert '"packets":[[0,0,0,8,-2]]' in page.read_text().replace(" ", "")
