"""The star graph: broadcasts over n-1 trees, copies under faults, reduce."""
import functools
import itertools
import random

import pytest

from mesh_tool import (PACKET, collective, mesh, random_faults, refused, some, survived, tree,
                       verified)
from networks import STAR_DISJOINT, nodes_of, star_cables, star_steps
from seeds import draw_of

SEED = 57
TREES = ("spt",) + STAR_DISJOINT


star = functools.partial(collective, "star")


def bcast(engine, dim, name, packets, *more, root=0):
    return star(engine, dim, "bcast", "--tree", name, "--root", root, *more, packets=packets)


# Steps ---------------------------------------------------------------------------------------

def check_steps(engine, dim, name, packets, copies=1):
    root = random.Random(f"{dim} {name} {packets} {copies}").randrange(nodes_of("star", dim))
    outcome = bcast(engine, dim, name, packets, "--copies", copies, root=root)
    report = verified(outcome)
    steps = star_steps(name, dim, packets, copies)
    assert report["packets"] == packets, outcome
    assert report["steps"] == report["formula_steps"] == steps, outcome
    assert report["complete_steps"] <= steps, outcome
    assert report["hops"] == packets * copies * (report["nodes"] - 1), outcome


@pytest.mark.parametrize("name", TREES)
def test_broadcasts_take_their_steps_with_any_copies(name, exhaustive):
    for dim in range(3, 7 if exhaustive else 6):
        for copies in range(1, dim) if name in STAR_DISJOINT else (1,):
            for packets in some(range(1, 13), 2, exhaustive, dim, name, copies):
                check_steps("sim", dim, name, packets, copies)


@pytest.mark.parametrize("name", TREES)
def test_steps_on_qemu(name, exhaustive):
    for dim in (3, 4, 5) if exhaustive else (3, 4):
        for copies in range(1, dim) if name in STAR_DISJOINT else (1,):
            if exhaustive or copies in (1, dim - 1):
                for packets in some(range(1, 13), 1, exhaustive and dim < 5, dim, name, copies):
                    check_steps("qemu", dim, name, packets, copies)


@pytest.mark.parametrize("name", TREES)
def test_packets_cross_the_links_of_the_trees(engine, name):
    dim, root, packets = 4, 17, 7
    report = verified(bcast(engine, dim, name, packets, root=root))
    _, whole = tree(dim, name, root, "star")
    ports = {}
    for node, port, far in star_cables(dim):
        ports[node, far] = ports[far, node] = port
    count = len(whole["subtrees"])
    expected = [[0] * (dim - 1) for _ in range(24)]
    for number, subtree in enumerate(whole["subtrees"]):
        for node, children in enumerate(subtree["children"]):
            for child in children:
                expected[node][ports[node, child]] += len(range(number, packets, count))
    assert report["link_packets"] == expected


@pytest.mark.parametrize("name", TREES)
def test_external_packets_are_stored_and_forwarded_whole(name):
    for packets, size in ((1, 4096), (5, 1100), (4, 4096)):
        outcome = star("sim", 4, "bcast", "--tree", name, "--root", 7, "--bytes", packets * size,
                       "--packet", size, "--tc", "0.001")
        steps = star_steps(name, 4, packets)
        assert verified(outcome)["model_time"] == pytest.approx(steps * (1 + size * 0.001)), outcome


@pytest.mark.parametrize("name", TREES)
def test_every_subtree_that_is_printed_spans_all_nodes(name):
    for dim, root in ((3, 1), (4, 11)):
        _, whole = tree(dim, name, root, "star")
        assert len(whole["subtrees"]) == (1 if name == "spt" else dim - 1)
        for subtree in whole["subtrees"]:
            children = sorted(itertools.chain(*subtree["children"], [root]))
            assert children == list(range(nodes_of("star", dim)))


@pytest.mark.parametrize("ports", ["duplex", "half"])
@pytest.mark.parametrize("name", TREES)
def test_one_port_works_too(name, ports):
    for dim in (3, 4):
        verified(bcast("sim", dim, name, 5, "--ports", ports, root=3))


# Faults --------------------------------------------------------------------------------------

def single_faults(dim, root=0):
    return ([f"cut:{node}/{port}" for node, port, _ in star_cables(dim)]
            + [f"kill:{node}" for node in range(nodes_of("star", dim)) if node != root])


@pytest.mark.parametrize("name", STAR_DISJOINT)
def test_no_set_of_two_faults_stops_three_copies(name, drawn_by, exhaustive):
    """All 1770 sets of one and two faults of the star of 24 nodes."""
    sets = [faults for size in (1, 2) for faults in itertools.combinations(single_faults(4), size)]
    assert len(sets) == 1770
    for faults in some(sets, 25, exhaustive, drawn_by, name):
        outcome = bcast("sim", 4, name, 4, "--copies", 3, "--faults", ",".join(faults))
        assert survived(outcome), (faults, outcome)


@pytest.mark.parametrize("dim", [5, 6])
def test_larger_stars_survive_random_sets(dim, drawn_by, exhaustive):
    draw = draw_of(drawn_by, dim)
    for _ in range(1000 if exhaustive else 3):
        outcome = bcast("sim", dim, draw.choice(STAR_DISJOINT), 6, "--copies", dim - 1, "--faults",
                        random_faults(draw, dim - 2), "--seed", draw.randrange(1, 9999),
                        root=draw.randrange(nodes_of("star", dim)))
        assert survived(outcome), outcome


def test_real_cuts_and_kills_at_random_moments(exhaustive):
    draw = random.Random(SEED)
    for number in range(60 if exhaustive else 2):
        dim = 5 if exhaustive and number % 2 == 0 else 4
        outcome = bcast("qemu", dim, draw.choice(STAR_DISJOINT), 4, "--copies", dim - 1, "--faults",
                        random_faults(draw, dim - 2), "--seed", draw.randrange(1, 9999))
        assert survived(outcome), outcome


def test_one_copy_is_stopped_by_a_cut():
    outcome = bcast("sim", 4, "edt", 4, "--faults", "cut:0/1")
    assert outcome.status == 1 and outcome.report["failed_nodes"] != [], outcome


def test_a_node_without_cables_cannot_be_reached():
    outcome = bcast("sim", 3, "edt", 2, "--copies", 2, "--faults", "cut:4/0,cut:4/1")
    assert outcome.report["unreachable_nodes"] == outcome.report["failed_nodes"] == [4], outcome


# Reduce -------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", TREES)
def test_a_reduce_takes_the_steps_of_the_broadcast(name, exhaustive):
    draw = random.Random(SEED)
    for dim in (3, 4, 5):
        for packets in range(1, 10) if exhaustive else (1, 4):
            outcome = star("sim", dim, "reduce", "--tree", name, "--root",
                           draw.randrange(nodes_of("star", dim)), "--packet", PACKET, "--bytes",
                           PACKET * packets)
            report = verified(outcome)
            steps = star_steps(name, dim, packets)
            assert report["steps"] == report["formula_steps"] == steps, outcome


@pytest.mark.parametrize("arguments", [["reduce"], ["allreduce"], ["allreduce", "--tree", "edt"],
                                       ["allreduce", "--tree", "edt-v2", "--ports", "duplex"],
                                       ["reduce", "--ports", "half", "--type", "f32"]])
def test_reductions_give_the_right_answer(engine, arguments):
    for dim in (3,) if engine == "qemu" else (3, 4, 5):
        verified(star(engine, dim, *arguments, "--root", dim, "--bytes", 500, "--packet", 64))


# Bad arguments -------------------------------------------------------------------------------

@pytest.mark.parametrize("dim, arguments, allowed", [
    (2, ["--op", "bcast"], "3 to"),
    (4, ["--op", "bcast", "--copies", 4], "1 to 3"),
    (4, ["--op", "bcast", "--copies", 2, "--tree", "spt"], "edt, edt-v2"),
    (4, ["--op", "bcast", "--tree", "sbt"], "spt, edt, edt-v2"),
    (4, ["--op", "bcast", "--root", 24], "0 to 23"),
    (4, ["--op", "bcast", "--avoid", "1/2"], "--copies"),
    (4, ["--op", "send", "--route", "sbt"], "ecube"),
    (10, ["--op", "bcast"], "3 to 9"),
])
def test_refusals_say_what_is_allowed(dim, arguments, allowed):
    refused(mesh("run", "--engine", "sim", "--topology", "star", "--dim", dim, *arguments), allowed)
