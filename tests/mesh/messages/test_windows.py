"""One-sided operations: whatever cables and nodes do, what says ok was done exactly once."""
import re

import pytest

from mesh_tool import console, probe

STORM = "drop:0.1,corrupt:0.1,dup:0.05,reorder:0.1"


def story(outcome):
    """The tickets of each node, what each could not confirm, and what the target counted."""
    tickets, unknown, counted = [], 0, None
    for lines in console(outcome).values():
        for line in lines:
            if found := re.fullmatch(r"counted (\d+)", line):
                counted = int(found[1])
            elif found := re.fullmatch(r"((?:\d+ )*)and (\d+) not known", line):
                tickets += map(int, found[1].split())
                unknown += int(found[2])
    return sorted(tickets), unknown, counted


def draw(engine, where, target, rounds, *options):
    return probe(engine, "onesided", target, rounds, options=[*where, *options])


@pytest.mark.parametrize("where, nodes", [
    (["--dim", 4], 16), (["--topology", "uhc", "--dim", 4], 16),
    (["--topology", "star", "--dim", 4], 24)])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_ticket_is_given_once_whatever_happens_to_frames(where, nodes, seed):
    outcome = draw("sim", where, 5, 100, "--faults", STORM, "--seed", seed)
    assert outcome.status == 0, outcome
    assert story(outcome) == ([*range(100 * (nodes - 1))], 0, 100 * (nodes - 1)), outcome


def test_every_ticket_is_given_once_on_real_firmware():
    outcome = draw("qemu", ["--dim", 2], 0, 50, "--faults", STORM)
    assert outcome.status == 0, outcome
    assert story(outcome) == ([*range(150)], 0, 150), outcome


def test_a_crowd_of_hundreds_of_nodes_draws_from_one_counter():
    outcome = draw("sim", ["--dim", 8], 0, 2)
    assert outcome.status == 0, outcome
    assert story(outcome) == ([*range(510)], 0, 510), outcome


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_cut_cable_costs_no_ticket_and_gives_none_twice(seed):
    """Two of three paths may be lost, so every operation is confirmed."""
    outcome = draw("sim", ["--dim", 3], 0, 60, "--faults", "cut:random@random x2,drop:0.05",
                   "--seed", seed)
    tickets, unknown, counted = story(outcome)
    assert (tickets, unknown, counted) == ([*range(420)], 0, 420), outcome


@pytest.mark.parametrize("engine, when", [("sim", 400), ("sim", 900), ("qemu", 300)])
def test_a_target_that_dies_is_unreachable_and_has_given_no_ticket_twice(engine, when):
    outcome = draw(engine, ["--dim", 3 if engine == "sim" else 2], 3, 100,
                   "--faults", f"kill:3@{when}")
    tickets, unknown, counted = story(outcome)
    assert counted is None and unknown > 0 and tickets, outcome
    assert tickets == sorted(set(tickets)), outcome
    assert len(tickets) + unknown == (700 if engine == "sim" else 300), outcome


def test_the_others_are_served_on_when_origins_die():
    outcome = draw("sim", ["--dim", 3], 0, 100, "--faults", "kill:3@300,kill:6@500")
    tickets, unknown, counted = story(outcome)
    assert unknown == 0 and len(tickets) == 500 == len(set(tickets)), outcome
    assert 500 < counted <= 700, outcome


@pytest.mark.parametrize("when", [150, 200, 202, 204, 206, 700])
def test_a_node_that_starts_anew_draws_again_and_no_ticket_is_given_twice(when):
    """Nor does an answer to its last life hold up the process that serves."""
    outcome = draw("sim", ["--dim", 2], 0, 60, "--faults", f"restart:3@{when}")
    tickets, unknown, counted = story(outcome)
    assert unknown == 0 and len(tickets) == len(set(tickets)) == 180, outcome
    assert 180 <= counted <= 240, outcome
