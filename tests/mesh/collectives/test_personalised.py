"""scatter, gather, allgather and alltoall of whole rigs: every byte at every node, transfer volumes
as the papers say, on both engines."""
import random

import pytest

from formulas import (BALANCED, CYCLES, PERSONAL_TREES, PORTS, all_to_all_volume, scatter_volume,
                      schedules)
from mesh_tool import run, verified

PACKET = 16
SCATTERS = ("scatter", "gather")
EXCHANGES = ("allgather", "alltoall")
OPS = SCATTERS + EXCHANGES
COMMON = ("steps", "model_time", "hops", "link_packets", "max_link_load", "packets", "schedule",
          "verified_nodes", "finish_time")


def lottery(*what):
    """Draws that are the same in every run and different for each case."""
    return random.Random(" ".join(map(str, what)))


def personal(engine, dim, op, tree, schedule, ports, *more):
    return run(engine, "--topology", "cube", "--dim", dim, "--op", op, "--tree", tree,
               "--schedule", schedule, "--ports", ports, *more)


def some(values, *what):
    """One of the values, by lot."""
    return [lottery(*what).choice(values)]


# Volumes -------------------------------------------------------------------------------------

def check_volume(dim, op, tree, schedule, ports):
    """Without start-up times a cycle takes as long as its largest bundle."""
    if op in SCATTERS:
        volume = scatter_volume(tree, schedule, ports, dim)
    else:
        volume = all_to_all_volume(op, tree, schedule, ports, dim)
    if volume is None:
        return False
    root = lottery(dim, op, tree, schedule, ports).randrange(2 ** dim)
    size = 4 * dim # whole shares for the paths of sbg
    outcome = personal("sim", dim, op, tree, schedule, ports, "--bytes", size, "--root", root,
                       "--tau", 0, "--tc", 1)
    assert verified(outcome)["model_time"] == volume * size, outcome
    return True


@pytest.mark.parametrize("tree", PERSONAL_TREES)
@pytest.mark.parametrize("op", OPS)
def test_transfer_volumes_are_those_of_the_papers(op, tree, exhaustive):
    checked = 0
    for ports in PORTS:
        for schedule in set(schedules(op, tree, ports)) & set(CYCLES):
            for dim in range(2, 11) if exhaustive else (2, 3, 5):
                checked += check_volume(dim, op, tree, schedule, ports)
    assert checked or tree in ("tcbt", "sbnt-maxbr")


@pytest.mark.parametrize("ports", ["duplex", "half"])
def test_packets_of_two_to_the_b_blocks_take_n_over_two_to_the_b_and_b_less_one(ports):
    size, dim = 16, 5
    for b in range(dim):
        outcome = personal("sim", dim, "scatter", "sbt", "subtree", ports, "--bytes", size,
                           "--packet", size << b, "--root", 9)
        assert verified(outcome)["steps"] == 2 ** (dim - b) + b - 1, outcome


@pytest.mark.parametrize("tree", ["sbt", "sbnt-minr"])
def test_external_packets_of_a_scatter_move_as_one(tree):
    """One packet of 4096 bytes for each node, cut into frames: N - 1 of them leave the root."""
    outcome = personal("sim", 3, "scatter", tree, "gray" if tree == "sbt" else "roundrobin",
                       "duplex", "--bytes", 4096, "--packet", 4096, "--tau", 1, "--tc", 0.001)
    assert verified(outcome)["model_time"] == pytest.approx(7 * (1 + 4.096)), outcome


# Links ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("tree", ["sbt", *BALANCED])
def test_a_packet_crosses_as_many_links_as_its_node_is_away(tree):
    dim = 4
    hops = sum(bin(node).count("1") for node in range(2 ** dim))
    for op in SCATTERS:
        outcome = personal("sim", dim, op, tree, "postorder", "all", "--bytes", 3 * PACKET,
                           "--packet", PACKET, "--root", 6)
        assert verified(outcome)["hops"] == 3 * hops, outcome


@pytest.mark.parametrize("tree", [tree for tree in PERSONAL_TREES if tree != "tcbt"])
def test_an_exchange_loads_all_links_of_a_dimension_alike(tree):
    for ports in ("all", "duplex"):
        report = verified(personal("sim", 4, "alltoall", tree, "subtree", ports, "--bytes", 16))
        for port in range(4):
            assert len({row[port] for row in report["link_packets"]}) == 1, report["link_packets"]


# Sizes, data, engines ------------------------------------------------------------------------

@pytest.mark.parametrize("size", [0, 1, 2, 15, 17, 1023, 1025])
@pytest.mark.parametrize("op", OPS)
def test_blocks_of_every_awkward_size_arrive(op, size):
    for tree in PERSONAL_TREES:
        for schedule in some(schedules(op, tree, "all"), op, tree, size):
            report = verified(personal("sim", 3, op, tree, schedule, "all", "--bytes", size,
                                       "--root", size % 8))
            assert report["bytes"] == size


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("op", OPS)
def test_almost_nothing_arrives_on_qemu(op, size):
    verified(personal("qemu", 2, op, "sbg", "level", "all", "--bytes", size, "--root", 3))


def blocks(count, size, seed=7):
    return lottery(seed, count, size).randbytes(count * size)


@pytest.mark.parametrize("tree, schedule", [("sbt", "port"), ("sbnt-minbl", "postorder"),
                                            ("tcbt", "level"), ("sbg", "subtree")])
def test_a_file_is_scattered_and_gathered(tree, schedule, tmp_path):
    dim, size, root = 3, 333, 5
    data = blocks(2 ** dim, size)
    (tmp_path / "in").write_bytes(data)
    for op, expected in (("scatter", data[7 * size:]), ("gather", data)):
        outcome = personal("sim", dim, op, tree, schedule, "all", "--root", root, "--input",
                           tmp_path / "in", "--output", tmp_path / op)
        verified(outcome)
        assert (tmp_path / op).read_bytes() == expected, outcome


@pytest.mark.parametrize("tree", PERSONAL_TREES)
def test_a_file_is_exchanged(tree, tmp_path):
    """What the last node has at the end: a block of everybody, in the order of the nodes."""
    dim, size, nodes = 3, 31, 8
    data = blocks(nodes * nodes, size)
    (tmp_path / "in").write_bytes(data)
    mine = b"".join(data[(nodes * i + nodes - 1) * size:][:size] for i in range(nodes))
    for op, expected in (("allgather", data[:nodes * size]), ("alltoall", mine)):
        outcome = personal("sim", dim, op, tree, "level", "all", "--bytes", size, "--input",
                           tmp_path / "in", "--output", tmp_path / op)
        verified(outcome)
        assert (tmp_path / op).read_bytes() == expected, outcome


@pytest.mark.parametrize("op, tree, schedule, ports, more", [
    ("scatter", "sbnt-maxbr", "rbf", "half", ["--bytes", 40, "--packet", 16]),
    ("gather", "sbt", "postorder", "duplex", ["--bytes", 2500]),
    ("allgather", "sbnt-maxl", "subtree", "half", ["--bytes", 100, "--packet", 64]),
    ("alltoall", "sbg", "level", "all", ["--bytes", 1000]),
])
def test_the_same_job_gives_the_same_on_both_engines(op, tree, schedule, ports, more):
    sim, qemu = (verified(personal(engine, 3, op, tree, schedule, ports, "--tc", 0.01, *more))
                 for engine in ("sim", "qemu"))
    for key in COMMON:
        assert sim[key] == qemu[key], key


def test_losses_change_no_byte_and_no_step():
    arguments = ["--dim", 4, "--op", "alltoall", "--tree", "sbg", "--bytes", 300]
    quiet, noisy = (verified(run("sim", *arguments, *faults))
                    for faults in ([], ["--faults", "drop:0.1"]))
    assert noisy["retransmissions"] > 0
    assert noisy["steps"] == quiet["steps"]
