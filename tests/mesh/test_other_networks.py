"""Messages and barriers on the networks beside the cube."""
import itertools

import pytest

from mesh_tool import PACKET, collective, some, verified
from networks import diameter, distance, nodes_of

TOPOLOGIES = ("uhc", "star")
SEED = 41
# Sends and receives of a node in one round of a barrier, by ports.
PER_ROUND = {("uhc", "all"): lambda dim: 1, ("uhc", "duplex"): lambda dim: -(-dim // 2),
             ("star", "all"): lambda dim: 1, ("star", "duplex"): lambda dim: dim - 1,
             ("star", "half"): lambda dim: 2 * (dim - 1)}


def check_send(topology, engine, dim, start, end, packets):
    outcome = collective(topology, engine, dim, "send", "--root", start, "--target", end,
                         "--packet", PACKET, "--bytes", packets * PACKET)
    report = verified(outcome)
    steps = distance(topology, dim, start, end) + packets - 1 if start != end else 0
    assert report["steps"] == report["formula_steps"] == steps, outcome


@pytest.mark.parametrize("topology, dim", [("uhc", 2), ("uhc", 3), ("uhc", 4), ("uhc", 5),
                                           ("star", 3), ("star", 4), ("star", 5)])
def test_a_message_takes_a_shortest_path(topology, dim, exhaustive):
    pairs = itertools.product(range(nodes_of(topology, dim)), repeat=2)
    all_pairs = exhaustive and nodes_of(topology, dim) < 120
    for start, end in some(pairs, 12, all_pairs, SEED, topology, dim):
        check_send(topology, "sim", dim, start, end, 1 + (start + end) % 4)


@pytest.mark.parametrize("topology, end", [("uhc", 6), ("star", 4)])
def test_a_message_takes_a_shortest_path_on_qemu(topology, end):
    check_send(topology, "qemu", 3, 1, end, 3)


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_messages_between_random_nodes_arrive(topology, engine):
    verified(collective(topology, engine, 3, "send", "--target", "random", "--messages", 3,
                        "--bytes", 3000))


@pytest.mark.parametrize("topology, ports", PER_ROUND)
def test_a_barrier_takes_as_many_rounds_as_the_diameter(topology, ports):
    for dim in range(2, 9) if topology == "uhc" else range(3, 7):
        outcome = collective(topology, "sim", dim, "barrier", "--ports", ports)
        report = verified(outcome)
        steps = diameter(topology, dim) * PER_ROUND[topology, ports](dim)
        assert report["steps"] == report["formula_steps"] == steps, outcome


@pytest.mark.parametrize("topology, steps", [("uhc", 5), ("star", 4)])
def test_barriers_on_qemu(topology, steps):
    assert verified(collective(topology, "qemu", 4, "barrier"))["steps"] == steps
