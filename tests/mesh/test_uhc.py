"""The uni-directional hypercube: broadcasts, copies under faults, reduce."""
import functools
import itertools
import random

import pytest

from mesh_tool import (PACKET, collective, mesh, random_faults, refused, some, survived, tree,
                       verified)
from networks import UHC_DISJOINT, UHC_TREES, parity, uhc_arcs, uhc_has, uhc_out, uhc_steps
from seeds import draw_of

SEED = 41


uhc = functools.partial(collective, "uhc")


def bcast(engine, dim, name, packets, *more, root=0):
    return uhc(engine, dim, "bcast", "--tree", name, "--root", root, *more, packets=packets)


# Steps ---------------------------------------------------------------------------------------

def check_steps(engine, dim, name, ports, packets, copies=1):
    root = random.Random(f"{dim} {name} {packets} {copies}").randrange(2 ** dim)
    outcome = bcast(engine, dim, name, packets, "--ports", ports, "--copies", copies, root=root)
    report = verified(outcome)
    steps = uhc_steps(name, ports, dim, packets, root, copies)
    assert report["packets"] == packets, outcome
    assert report["steps"] == report["formula_steps"] == steps, outcome
    assert report["complete_steps"] <= steps, outcome
    assert report["hops"] == packets * copies * (2 ** dim - 1), outcome


@pytest.mark.parametrize("ports", ["all", "duplex"])
@pytest.mark.parametrize("name", UHC_TREES)
def test_one_tree_takes_its_steps(name, ports, exhaustive):
    for dim in range(2, 13 if exhaustive else 7):
        for packets in some(range(1, 10), 3, exhaustive, dim, name, ports):
            if uhc_has(name, dim):
                check_steps("sim", dim, name, ports, packets)


@pytest.mark.parametrize("name", UHC_DISJOINT)
def test_disjoint_trees_take_their_steps_with_any_copies(name, exhaustive):
    for dim in range(2, 13 if exhaustive else 8):
        for copies in range(1, dim // 2 + 1):
            for packets in some(range(1, 10), 2, exhaustive, dim, name, copies):
                if uhc_has(name, dim):
                    check_steps("sim", dim, name, "all", packets, copies)


@pytest.mark.parametrize("name", UHC_TREES + UHC_DISJOINT)
def test_steps_on_qemu(name, exhaustive):
    for dim in range(2, 7 if exhaustive else 4):
        for packets in some(range(1, 10), 1, exhaustive, dim, name, "qemu"):
            if uhc_has(name, dim):
                check_steps("qemu", dim, name, "all", packets, dim // 2 if name == "ist" else 1)
    if name not in UHC_DISJOINT:
        check_steps("qemu", 4, name, "duplex", 3)


def test_bt2_needs_no_source_and_both_forms_of_bt1_are_one_tree():
    for dim, root in itertools.product((4, 5), (0, 3, 14)):
        _, plain = tree(dim, "bt1", root, "uhc")
        _, counted = tree(dim, "bt1-counted", root, "uhc")
        assert plain["subtrees"] == counted["subtrees"]


@pytest.mark.parametrize("name", UHC_TREES + UHC_DISJOINT)
def test_packets_cross_the_links_of_the_tree_and_none_against_its_direction(engine, name):
    dim, root, packets = 4, 6, 5
    outcome = bcast(engine, dim, name, packets, root=root)
    report = verified(outcome)
    _, whole = tree(dim, name, root, "uhc")
    count = len(whole["subtrees"])
    expected = [[0] * dim for _ in range(2 ** dim)]
    for number, subtree in enumerate(whole["subtrees"]):
        for node, children in enumerate(subtree["children"]):
            for child in children:
                port = (node ^ child).bit_length() - 1
                assert port in uhc_out(dim, node)
                expected[node][port] += len(range(number, packets, count))
    assert report["link_packets"] == expected, outcome


@pytest.mark.parametrize("name", UHC_TREES + UHC_DISJOINT)
def test_external_packets_are_stored_and_forwarded_whole(name):
    for packets, size in ((1, 4096), (5, 1100), (4, 4096)):
        outcome = uhc("sim", 4, "bcast", "--tree", name, "--root", 7, "--bytes", packets * size,
                      "--packet", size, "--tc", "0.001")
        steps = uhc_steps(name, "all", 4, packets, 7)
        assert verified(outcome)["model_time"] == pytest.approx(steps * (1 + size * 0.001)), outcome


@pytest.mark.parametrize("name", UHC_TREES + UHC_DISJOINT)
def test_every_subtree_that_is_printed_spans_all_nodes(name):
    for dim, root in ((2, 1), (4, 11), (5, 4)):
        if uhc_has(name, dim):
            _, whole = tree(dim, name, root, "uhc")
            for subtree in whole["subtrees"]:
                children = sorted(itertools.chain(*subtree["children"], [root]))
                assert children == list(range(2 ** dim))
                assert all(node in subtree["children"][parent]
                           for node, parent in enumerate(subtree["parent"]) if parent != -1)


@pytest.mark.parametrize("name", ["bts", "ist"])
def test_half_duplex_works_too(name):
    for dim in (2, 3, 5):
        verified(bcast("sim", dim, name, 4, "--ports", "half", root=1))


# Faults --------------------------------------------------------------------------------------

def single_faults(dim, root=0):
    """Every dead link and every dead node."""
    return ([f"cut:{node}/{port}" for node, port in uhc_arcs(dim)]
            + [f"kill:{node}" for node in range(2 ** dim) if node != root])


def fault_sets(dim, most, root=0):
    for size in range(1, most + 1):
        yield from itertools.combinations(single_faults(dim, root), size)


def copies_survive(engine, dim, name, faults, *more, copies=None, root=0):
    outcome = bcast(engine, dim, name, 3, "--copies", copies or dim // 2, "--faults",
                    ",".join(faults), *more, root=root)
    assert survived(outcome), (faults, outcome)


@pytest.mark.parametrize("name", UHC_DISJOINT)
@pytest.mark.parametrize("dim", [4, 5, 6])
def test_no_set_of_faults_below_half_the_dimension_stops_the_copies(dim, name, drawn_by,
                                                                    exhaustive):
    if not uhc_has(name, dim):
        return
    root = 2 ** dim - 3
    for faults in some(fault_sets(dim, dim // 2 - 1, root), 25, exhaustive, drawn_by, dim, name):
        copies_survive("sim", dim, name, faults, copies=len(faults) + 1, root=root)


@pytest.mark.parametrize("dim", [8, 10])
def test_larger_networks_survive_random_sets(dim, drawn_by, exhaustive):
    draw = draw_of(drawn_by, dim)
    for _ in range(1000 if exhaustive else 2):
        faults = random_faults(draw, dim // 2 - 1)
        copies_survive("sim", dim, draw.choice(UHC_DISJOINT), [faults], "--seed",
                       draw.randrange(1, 9999), root=draw.randrange(2 ** dim))


def test_real_cuts_and_kills_at_random_moments(exhaustive):
    draw = random.Random(SEED)
    for number in range(30 if exhaustive else 3):
        dim = 4 if number % 3 else 6 if exhaustive else 4
        fault = draw.choice(["cut:random@random", "kill:random@random"])
        copies_survive("qemu", dim, draw.choice(UHC_DISJOINT), [fault], "--seed",
                       draw.randrange(1, 9999), copies=2)


def test_one_copy_is_stopped_by_a_cut():
    outcome = bcast("sim", 4, "ist", 4, "--faults", "cut:0/2")
    assert outcome.status == 1 and outcome.report["failed_nodes"] != [], outcome


def test_a_cut_names_the_link_at_a_port_whichever_way_it_points():
    """Node 4 receives by its even ports: 4/2 and 0/2 are the same link."""
    for cut in ("cut:0/2", "cut:4/2"):
        outcome = bcast("sim", 4, "bts", 2, "--faults", cut)
        assert outcome.report["faults"]["cut_frames"] > 0, outcome
        assert 4 in outcome.report["failed_nodes"], outcome
    refused = bcast("sim", 4, "bts", 2, "--faults", "cut:4>2")
    assert refused.status == 2 and "sends nothing" in refused.err, refused


def test_a_node_that_cannot_be_reached_is_told_from_one_that_cannot_answer():
    entries = [f"cut:{node}/{port}" for node, port in uhc_arcs(4) if node ^ 1 << port == 9]
    exits = [f"cut:9/{port}" for port in uhc_out(4, 9)]
    outcome = bcast("sim", 4, "ist", 2, "--copies", 2, "--faults", ",".join(entries))
    assert outcome.report["unreachable_nodes"] == [9], outcome
    assert outcome.report["failed_nodes"] == [9], outcome
    outcome = bcast("sim", 4, "ist", 2, "--copies", 2, "--faults", ",".join(exits))
    assert outcome.report["unreachable_nodes"] == [], outcome
    outcome = uhc("sim", 4, "reduce", "--bytes", 64, "--faults", ",".join(exits))
    assert outcome.status == 1 and outcome.report["unreachable_nodes"] == [9], outcome


# Reduce -------------------------------------------------------------------------------------

def test_a_reduce_takes_the_steps_of_a_broadcast_against_the_links(exhaustive):
    draw = random.Random(SEED)
    for dim in range(2, 9 if exhaustive else 6):
        for packets in range(1, 10) if exhaustive else (1, 9):
            root = draw.randrange(2 ** dim)
            outcome = uhc("sim", dim, "reduce", "--root", root, "--packet", PACKET, "--bytes",
                          PACKET * packets)
            report = verified(outcome)
            steps = uhc_steps("bts", "all", dim, packets, root ^ 1)
            assert report["steps"] == report["formula_steps"] == steps, outcome
            assert report["packets"] == packets, outcome


@pytest.mark.parametrize("arguments", [["reduce"], ["allreduce"], ["allreduce", "--tree", "ist"],
                                       ["allreduce", "--tree", "bt2", "--ports", "duplex"],
                                       ["reduce", "--ports", "half", "--type", "f32"]])
def test_reductions_give_the_right_answer(engine, arguments):
    for dim in (2, 3) if engine == "qemu" else (2, 3, 4, 5, 6):
        verified(uhc(engine, dim, *arguments, "--root", dim, "--bytes", 500, "--packet", 64))


# Bad arguments -------------------------------------------------------------------------------

@pytest.mark.parametrize("dim, arguments, allowed", [
    (4, ["--op", "bcast", "--copies", 3], "1 to 2"),
    (3, ["--op", "bcast", "--copies", 2], "1 to 1"),
    (4, ["--op", "bcast", "--copies", 2, "--tree", "bts"], "adst, ist"),
    (5, ["--op", "bcast", "--tree", "adst"], "even"),
    (5, ["--op", "bcast", "--tree", "bt4"], "even"),
    (4, ["--op", "bcast", "--tree", "sbt"], "bt1"),
    (1, ["--op", "bcast"], "2 to"),
    (4, ["--op", "bcast", "--avoid", "1/2"], "--copies"),
    (4, ["--op", "reduce", "--tree", "bt1"], "bts"),
    (4, ["--op", "send", "--route", "sbt"], "ecube"),
    (4, ["--op", "bcast", "--packet", "auto", "--ports", "half"], "16 to"),
    (4, ["--op", "bcast", "--root", 16], "0 to 15"),
])
def test_refusals_say_what_is_allowed(dim, arguments, allowed):
    refused(mesh("run", "--engine", "sim", "--topology", "uhc", "--dim", dim, *arguments), allowed)


def test_the_two_ends_of_every_link_agree():
    for dim in (2, 3, 4, 5):
        arcs = uhc_arcs(dim)
        assert len(arcs) == dim * 2 ** (dim - 1)
        assert all(parity(node ^ 1 << port) != port % 2 for node, port in arcs)
