"""Copies over disjoint trees: fewer faults than copies stop none, of broadcasts on every network,
of blocks on UHC and star; and what one copy does, or a tree that goes round a known fault."""
import itertools
import random

import pytest

from mesh_tool import PACKET, mesh, random_faults, refused, run, some, survived, verified
from networks import STAR_DISJOINT, UHC_DISJOINT, nodes_of, star_cables, uhc_arcs, uhc_has, uhc_out
from regression import STAR_DEPTH_FIRST_LOSS
from seeds import draw_of

SEED = 41
BLOCK_OPS = ("scatter", "gather", "allgather", "alltoall")
DISJOINT = {"cube": ("msbt",), "uhc": UHC_DISJOINT, "star": STAR_DISJOINT}
CUBE_MESSAGE = ("--bytes", 700, "--packet", 48)
DEAD = "kill:random@random", "cut:random@random"
COMMON = ("steps", "model_time", "hops", "link_packets", "max_link_load", "packets", "schedule",
          "verified_nodes", "finish_time")


def copied(topology, engine, dim, op, copies, faults, *more, packets=3):
    size = (CUBE_MESSAGE if topology == "cube" else
            ("--packet", PACKET, "--bytes", packets * PACKET - 5))
    faults = ["--faults", ",".join(faults)] if faults else []
    return run(engine, "--topology", topology, "--dim", dim, "--op", op, "--copies", copies, *size,
               *faults, *more, timeout=900)


def cables(topology, dim):
    """Every cable once, by a node that sends."""
    if topology == "star":
        return [f"cut:{node}/{port}" for node, port, _ in star_cables(dim)]
    return [f"cut:{node}/{port}" for node, port in (uhc_arcs(dim) if topology == "uhc" else
            [(node, port) for node in range(2 ** dim) for port in range(dim)
             if not node >> port & 1])]


def dead_nodes(topology, dim, root=0):
    return [f"kill:{node}" for node in range(nodes_of(topology, dim)) if node != root]


def sets_of(singles, most, least=1):
    return list(itertools.chain(*(itertools.combinations(singles, size)
                                  for size in range(least, most + 1))))


# Every set of so few faults ------------------------------------------------------------------

CUBE_CUTS = [(dim, copies) for dim in (2, 3, 4) for copies in range(2, dim + 1)]


@pytest.mark.parametrize("dim, copies", CUBE_CUTS)
def test_no_x_minus_1_dead_cables_stop_x_copies(dim, copies, drawn_by, exhaustive):
    draw = random.Random(20 + dim)
    for cuts in some(itertools.combinations(cables("cube", dim), copies - 1), 40, exhaustive,
                     drawn_by, dim, copies):
        outcome = copied("cube", "sim", dim, "bcast", copies, cuts, "--root",
                         draw.randrange(2 ** dim))
        assert survived(outcome), outcome


@pytest.mark.parametrize("copies", [2, 3])
def test_no_x_minus_1_dead_nodes_stop_x_copies(copies):
    for dead in sets_of(dead_nodes("cube", 3), copies - 1, copies - 1):
        outcome = copied("cube", "sim", 3, "bcast", copies, dead)
        assert survived(outcome), outcome
        assert [f"kill:{node}" for node in outcome.report["faults"]["kill"]] == list(dead)


@pytest.mark.parametrize("topology, dim, tree", [
    *(("uhc", dim, tree) for dim in (4, 5, 6) for tree in UHC_DISJOINT if uhc_has(tree, dim)),
    *(("star", 4, tree) for tree in STAR_DISJOINT)])
def test_no_set_of_faults_stops_more_copies(topology, dim, tree, drawn_by, exhaustive):
    """Of the star of 24 nodes all 1770 sets of one and two faults."""
    root = 2 ** dim - 3 if topology == "uhc" else 0
    sets = sets_of(cables(topology, dim) + dead_nodes(topology, dim, root),
                   dim // 2 - 1 if topology == "uhc" else 2)
    assert topology == "uhc" or len(sets) == 1770
    for faults in some(sets, 25, exhaustive, drawn_by, topology, dim, tree):
        copies = len(faults) + 1 if topology == "uhc" else 3
        outcome = copied(topology, "sim", dim, "bcast", copies, faults, "--tree", tree, "--root",
                         root)
        assert survived(outcome), outcome


@pytest.mark.parametrize("op", BLOCK_OPS)
@pytest.mark.parametrize("topology, copies, count", [("uhc", 2, 47), ("star", 3, 1770)])
def test_no_set_of_faults_stops_more_copies_of_blocks(topology, copies, count, op, drawn_by,
                                                      exhaustive):
    """On the star dead from the start or at some moment; a gather and a scatter keep their root."""
    draw = draw_of(drawn_by, op)
    sets = sets_of(dead_nodes(topology, 4) + cables(topology, 4), copies - 1)
    assert len(sets) == count
    for faults in some([(), *sets], 16 if topology == "uhc" else 60, exhaustive, drawn_by, op):
        if topology == "star":
            faults = [one + draw.choice(["", f"@{draw.randrange(1, 200)}"]) for one in faults]
        outcome = copied(topology, "sim", 4, op, copies, faults, packets=1)
        assert survived(outcome), outcome
        assert (topology, op) != ("star", "allgather") or outcome.report["steps"] <= 23, outcome


# Sets drawn on larger networks, and on boards ------------------------------------------------

@pytest.mark.parametrize("topology, dim, op", [
    *(("cube", dim, "bcast") for dim in (6, 8, 10)),
    *(("uhc", dim, "bcast") for dim in (8, 10)), *(("star", dim, "bcast") for dim in (5, 6)),
    *(("uhc", dim, op) for dim in (6, 8) for op in BLOCK_OPS),
    *(("star", 5, op) for op in BLOCK_OPS)])
def test_larger_networks_survive_random_sets(topology, dim, op, drawn_by, exhaustive):
    draw = draw_of(drawn_by, topology, op, dim)
    trees = subtrees(topology, dim)
    longest = (op, dim) == ("alltoall", 8)
    most = {"cube": 20, "uhc": 1000 if op == "bcast" else 40 if dim == 6 else 2,
            "star": 1000 if op == "bcast" else 300}[topology]
    for number in range(most if exhaustive and not longest else 1 if longest else 2):
        copies = trees if op == "bcast" and topology != "cube" else draw.randint(2, trees)
        tree = ["--tree", DISJOINT[topology][number % len(DISJOINT[topology])]]
        root = ["--root", draw.randrange(nodes_of(topology, dim))] if op == "bcast" else []
        outcome = copied(topology, "sim", dim, op, copies, [random_faults(draw, copies - 1)], *tree,
                         *root, "--seed", draw.randrange(1, 9999), packets=4 if root else 1)
        assert survived(outcome), outcome


def subtrees(topology, dim):
    return {"cube": dim, "uhc": dim // 2, "star": dim - 1}[topology]


BOARD_SETS = [ # topology, dim, op, copies, faults at random moments
    *(("cube", dim, "bcast", dim, None) for dim in (3, 4, 3, 4)),
    *(("uhc", 4, "bcast", 2, fault) for fault in (*DEAD, DEAD[0])),
    *(("star", 4, "bcast", 3, None) for _ in range(2)),
    ("uhc", 4, "gather", 2, DEAD[0]), ("uhc", 4, "allgather", 2, DEAD[1]),
    *(("star", 4, op, 3, fault) for op, fault in zip(BLOCK_OPS, (
        DEAD[0] + " x2", DEAD[1] + " x2", ",".join(DEAD), DEAD[0] + " x2")))]


@pytest.mark.parametrize("number, case", enumerate(BOARD_SETS),
                         ids=[f"{number}-{'-'.join(map(str, case[:3]))}"
                              for number, case in enumerate(BOARD_SETS)])
def test_real_cuts_and_kills_at_random_moments(number, case, exhaustive):
    """On QEMU the killed nodes are processes that die, and links notice by silence."""
    topology, dim, op, most, fault = case
    draw = random.Random(f"{SEED} {number}")
    for _ in range(6 if exhaustive else 1):
        copies = most if fault else draw.randint(2, most)
        faults = fault or random_faults(draw, copies - 1)
        tree = DISJOINT[topology][number % len(DISJOINT[topology])]
        outcome = copied(topology, "qemu", dim, op, copies, [faults], "--tree", tree, "--seed",
                         draw.randrange(1, 9999), packets=3 if op == "bcast" else 1)
        assert survived(outcome), outcome


# The checks can fail -------------------------------------------------------------------------

@pytest.mark.parametrize("topology, dim, tree, fault", [
    ("cube", 3, "msbt", "cut:0/1"), ("uhc", 4, "ist", "cut:0/2"), ("star", 4, "edt", "cut:0/1")])
def test_one_copy_is_stopped_by_a_cut(topology, dim, tree, fault):
    outcome = copied(topology, "sim", dim, "bcast", 1, [fault], "--tree", tree)
    assert outcome.status == 1 and outcome.report["failed_nodes"] != [], outcome


@pytest.mark.parametrize("topology, fault", [("uhc", "kill:2"), ("star", "kill:6")])
def test_one_copy_of_blocks_is_stopped_by_a_dead_node(topology, fault):
    for op in BLOCK_OPS[1:]:
        outcome = copied(topology, "sim", 4, op, 1, [fault], packets=1)
        assert outcome.status == 1 and outcome.report["missing_blocks"] > 0, outcome


def test_one_dead_node_stops_depth_first_but_not_the_queue():
    """It loses as many blocks of living nodes at living nodes, wherever it is."""
    for dead in (1, 7, 23):
        words = "star", "sim", 4, "allgather"
        outcome = copied(*words, 3, [f"kill:{dead}"], "--schedule", "dfs-ack", packets=1)
        assert outcome.status == 1, outcome
        assert outcome.report["missing_blocks"] == STAR_DEPTH_FIRST_LOSS, outcome
        assert survived(copied(*words, 2, [f"kill:{dead}"], packets=1))


def test_a_node_that_cannot_be_reached_is_told_from_one_that_cannot_answer():
    entries = [f"cut:{node}/{port}" for node, port in uhc_arcs(4) if node ^ 1 << port == 9]
    exits = [f"cut:9/{port}" for port in uhc_out(4, 9)]
    for topology, dim, tree, faults, node in (("uhc", 4, "ist", entries, 9),
                                              ("star", 3, "edt", ["cut:4/0", "cut:4/1"], 4)):
        report = copied(topology, "sim", dim, "bcast", 2, faults, "--tree", tree).report
        assert report["unreachable_nodes"] == report["failed_nodes"] == [node], report
    outcome = copied("uhc", "sim", 4, "bcast", 2, exits, "--tree", "ist")
    assert outcome.report["unreachable_nodes"] == [], outcome
    outcome = run("sim", "--topology", "uhc", "--dim", 4, "--op", "reduce", "--bytes", 64,
                  "--faults", ",".join(exits))
    assert outcome.status == 1 and outcome.report["unreachable_nodes"] == [9], outcome


# Known faults, cables that lie, engines ------------------------------------------------------

def test_auto_keeps_copies_within_a_frame():
    outcome = run("sim", "--dim", 4, "--op", "bcast", "--copies", 2, "--packet", "auto", "--bytes",
                  20_000, "--tc", "0.0001")
    assert verified(outcome)["packet"] <= 1024, outcome


def test_three_copies_outvote_a_cable_that_lies(engine):
    outcome = copied("cube", engine, 3, "bcast", 3, ["alter:0/1"])
    assert verified(outcome), outcome
    assert outcome.report["disputed_packets"] > 0 and outcome.report["faults"]["alter"] > 0


def test_one_copy_believes_the_lie():
    outcome = copied("cube", "sim", 3, "bcast", 1, ["alter:0/1"])
    assert outcome.status == 1 and outcome.report["failed_nodes"] == [2, 6]  # behind 0/1


def test_avoid_finds_a_tree_without_the_cable():
    for cut in cables("cube", 4):
        outcome = copied("cube", "sim", 4, "bcast", 1, [cut], "--avoid", cut[len("cut:"):])
        if cut.startswith("cut:0/"):  # all trees use the cables of their root
            assert outcome.status == 2 and "--copies" in outcome.err, outcome
        else:
            assert verified(outcome), outcome


@pytest.mark.parametrize("topology, dim, op, copies, packets, more", [
    *(("uhc", dim, op, dim // 2, 2, ("--root", 1)) for dim in (2, 3, 4) for op in BLOCK_OPS),
    ("star", 3, "scatter", 2, 3, ()), ("star", 3, "gather", 1, 3, ()),
    ("star", 3, "allgather", 2, 3, ()), ("star", 3, "alltoall", 2, 3, ()),
    ("star", 3, "allgather", 2, 3, ("--schedule", "dfs-ack"))])
def test_the_same_job_gives_the_same_on_both_engines(topology, dim, op, copies, packets, more):
    sim, qemu = (verified(copied(topology, engine, dim, op, copies, [], "--tc", 0.01, *more,
                                 packets=packets)) for engine in ("sim", "qemu"))
    for key in COMMON:
        assert sim[key] == qemu[key], key


@pytest.mark.parametrize("schedule", ["necklace", "queue"])
@pytest.mark.parametrize("packets", [1, 5])
def test_an_exchange_keeps_every_link_busy_in_every_step(schedule, packets):
    report = verified(copied("star", "sim", 4, "alltoall", 3, [], "--schedule", schedule,
                             packets=packets))
    assert report["steps"] == 96 * packets
    assert {load for row in report["link_packets"] for load in row} == {96 * packets}


def test_losses_change_no_step():
    quiet, noisy = (verified(copied("star", "sim", 4, "alltoall", 3, faults, packets=1))
                    for faults in ([], ["drop:0.1", "corrupt:0.05"]))
    assert noisy["retransmissions"] > 0 and noisy["steps"] == quiet["steps"]


@pytest.mark.parametrize("topology, dim, op, arguments, allowed", [
    ("cube", 4, "bcast", ["--copies", 5], "1 to 4"),
    ("cube", 4, "bcast", ["--copies", 2, "--tree", "sbt"], "msbt"),
    ("cube", 4, "bcast", ["--copies", 2, "--packet", 2048], "1024"),
    ("cube", 4, "bcast", ["--avoid", "1/7"], "ports 0 to 3"),
    ("cube", 4, "bcast", ["--avoid", "1/2", "--tree", "sbt"], "without --tree"),
    ("uhc", 4, "bcast", ["--copies", 3], "1 to 2"),
    ("uhc", 3, "bcast", ["--copies", 2], "1 to 1"),
    ("uhc", 4, "bcast", ["--copies", 2, "--tree", "bts"], "adst, ist"),
    ("uhc", 5, "bcast", ["--tree", "adst"], "even"),
    ("uhc", 5, "bcast", ["--tree", "bt4"], "even"),
    ("uhc", 4, "bcast", ["--tree", "sbt"], "bt1"),
    ("uhc", 1, "bcast", [], "2 to"),
    ("uhc", 4, "bcast", ["--avoid", "1/2"], "--copies"),
    ("uhc", 4, "reduce", ["--tree", "bt1"], "bts"),
    ("uhc", 4, "send", ["--route", "sbt"], "ecube"),
    ("uhc", 4, "bcast", ["--packet", "auto", "--ports", "half"], "16 to"),
    ("uhc", 4, "bcast", ["--root", 16], "0 to 15"),
    ("uhc", 4, "scatter", ["--copies", 3], "1 to 2"),
    ("uhc", 5, "scatter", ["--tree", "adst"], "bts, ist"),
    ("uhc", 6, "gather", ["--tree", "bts", "--copies", 2], "adst, ist"),
    ("uhc", 4, "allgather", ["--ports", "duplex"], "allowed: all"),
    ("uhc", 4, "alltoall", ["--schedule", "necklace"], "queue"),
    ("star", 2, "bcast", [], "3 to"),
    ("star", 4, "bcast", ["--copies", 4], "1 to 3"),
    ("star", 4, "bcast", ["--copies", 2, "--tree", "spt"], "edt, edt-v2"),
    ("star", 4, "bcast", ["--tree", "sbt"], "spt, edt, edt-v2"),
    ("star", 4, "bcast", ["--root", 24], "0 to 23"),
    ("star", 4, "bcast", ["--avoid", "1/2"], "--copies"),
    ("star", 4, "send", ["--route", "sbt"], "ecube"),
    ("star", 10, "bcast", [], "3 to 9"),
    ("star", 4, "scatter", ["--copies", 4], "1 to 3"),
    ("star", 4, "gather", ["--copies", 0], "1 to 3"),
    ("star", 4, "scatter", ["--tree", "spt"], "edt, edt-v2"),
    ("star", 4, "allgather", ["--ports", "half"], "allowed: all"),
    ("star", 4, "alltoall", ["--schedule", "level"], "queue, necklace"),
    ("star", 4, "allgather", ["--schedule", "dfs-ack", "--copies", 2], "allowed: 3"),
    ("star", 4, "scatter", ["--packet", 2048], "16 to 1024"),
    ("star", 4, "alltoall", ["--bytes", 1 << 20], "room for"),
    ("star", 4, "gather", ["--root", 24], "0 to 23"),
    ("star", 4, "gather", ["--avoid", "1/0"], "--copies"),
])
def test_refusals_say_what_is_allowed(topology, dim, op, arguments, allowed):
    refused(mesh("run", "--engine", "sim", "--topology", topology, "--dim", dim, "--op", op,
                 *arguments), allowed)
