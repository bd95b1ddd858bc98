"""scatter, gather, allgather and alltoall on the star: every byte at every node, steps as the paper
and its corrections say, and with copies whatever the faults."""
import itertools
import random

import pytest

from formulas import star_personal_steps
from mesh_tool import collective, random_faults, refused, some, survived, verified
from networks import nodes_of, star_cables
from regression import (STAR_ALLGATHERS, STAR_DEPTH_FIRST_LOSS, STAR_EXCHANGES,
                        STAR_EXCHANGE_SHALLOW)
from seeds import draw_of

SEED = 31
OPS = ("scatter", "gather", "allgather", "alltoall")
COMMON = ("steps", "model_time", "hops", "link_packets", "max_link_load", "packets", "schedule",
          "verified_nodes", "finish_time")


def star(engine, dim, op, copies, packets, *more):
    return collective("star", engine, dim, op, "--copies", copies, *more, packets=packets,
                      timeout=300)


# Steps ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dim", [3, 4, 5, 6])
def test_steps_are_those_of_the_corrected_paper(op, dim, exhaustive):
    draw = random.Random(SEED + dim)
    if dim == 6 and not exhaustive:
        pytest.skip("with --exhaustive only")
    cases = itertools.product(range(1, dim), (1, 2, 3, 7, 12) if dim < 5 else (1,))
    for copies, packets in some(cases, 6 if dim < 5 else 2, exhaustive, op, dim):
        if (op, dim) == ("alltoall", 6) and 1 < copies < 5: # 720 nodes: minutes each
            continue
        root = draw.randrange(nodes_of("star", dim))
        report = verified(star("sim", dim, op, copies, packets, "--root", root))
        steps = star_personal_steps(op, report["schedule"], dim, copies, packets)
        if steps is not None:
            assert report["steps"] == report["formula_steps"] == steps, (copies, packets)
        elif op == "alltoall":
            assert report["steps"] == packets * STAR_EXCHANGES[dim, copies], (copies, packets)
        else:
            assert report["steps"] == STAR_ALLGATHERS[dim, copies, packets], (copies, packets)


@pytest.mark.parametrize("op, dim, copies, packets", [
    ("scatter", 3, 2, 2), ("gather", 3, 1, 1), ("allgather", 3, 2, 3), ("alltoall", 3, 2, 2),
    ("scatter", 4, 3, 1), ("gather", 4, 2, 1), ("allgather", 4, 3, 1), ("alltoall", 4, 3, 1),
])
def test_steps_on_qemu_are_those_of_the_corrected_paper(op, dim, copies, packets):
    report = verified(star("qemu", dim, op, copies, packets, "--root", 5))
    assert report["steps"] == star_personal_steps(op, report["schedule"], dim, copies, packets)


def test_at_full_copies_a_scatter_takes_a_step_for_each_other_node_on_120_boards(exhaustive):
    if not exhaustive:
        pytest.skip("with --exhaustive only")
    assert verified(star("qemu", 5, "scatter", 4, 1, "--root", 119))["steps"] == 119


@pytest.mark.parametrize("dim, copies", [(3, 1), (4, 1), (4, 2), (5, 1)])
def test_an_exchange_of_few_copies_is_within_a_step_of_the_work(dim, copies):
    report = verified(star("sim", dim, "alltoall", copies, 1))
    assert report["schedule"] == "queue"
    assert report["steps"] == STAR_EXCHANGES[dim, copies] <= report["formula_steps"] + 1


@pytest.mark.parametrize("schedule", ["necklace", "queue"])
@pytest.mark.parametrize("packets", [1, 5])
def test_an_exchange_keeps_every_link_busy_in_every_step(schedule, packets):
    report = verified(star("sim", 4, "alltoall", 3, packets, "--schedule", schedule))
    assert report["steps"] == 96 * packets
    assert {load for row in report["link_packets"] for load in row} == {96 * packets}


def test_a_shallower_tree_exchanges_faster():
    report = verified(star("sim", 4, "alltoall", 3, 1, "--tree", "edt-v2"))
    assert report["steps"] == report["formula_steps"] == STAR_EXCHANGE_SHALLOW


@pytest.mark.parametrize("dim", [4, 5])
def test_an_allgather_of_one_copy_is_spread_over_the_links(dim):
    steps = verified(star("sim", dim, "allgather", 1, 1))["steps"]
    assert steps == STAR_ALLGATHERS[dim, 1, 1]


def test_losses_change_no_step():
    quiet, noisy = (verified(star("sim", 4, "alltoall", 3, 1, *faults))
                    for faults in ([], ["--faults", "drop:0.1,corrupt:0.05"]))
    assert noisy["retransmissions"] > 0 and noisy["steps"] == quiet["steps"]


@pytest.mark.parametrize("op, copies, more", [
    ("scatter", 2, []), ("gather", 1, []), ("allgather", 2, []), ("alltoall", 2, []),
    ("allgather", 2, ["--schedule", "dfs-ack"]),
])
def test_the_same_job_gives_the_same_on_both_engines(op, copies, more):
    sim, qemu = (verified(star(engine, 3, op, copies, 3, "--tc", 0.01, *more))
                 for engine in ("sim", "qemu"))
    for key in COMMON:
        assert sim[key] == qemu[key], key


# Depth first ---------------------------------------------------------------------------------

@pytest.mark.parametrize("dim, packets", [(3, 1), (3, 4), (4, 1), (4, 3), (5, 1)])
def test_depth_first_waits_for_every_acknowledgement(dim, packets):
    report = verified(star("sim", dim, "allgather", 1, packets, "--schedule", "dfs-ack"))
    assert report["copies"] == dim - 1
    assert report["steps"] == report["formula_steps"] == (packets + 1) * (nodes_of("star", dim) - 1)


def test_one_dead_node_stops_depth_first_but_not_the_queue():
    """It loses as many blocks of living nodes at living nodes, wherever it is."""
    for dead in (1, 7, 23):
        faults = ["--faults", f"kill:{dead}"]
        outcome = star("sim", 4, "allgather", 1, 1, "--schedule", "dfs-ack", *faults)
        assert outcome.status == 1, outcome
        assert outcome.report["missing_blocks"] == STAR_DEPTH_FIRST_LOSS, outcome
        assert survived(star("sim", 4, "allgather", 2, 1, *faults))


# Faults --------------------------------------------------------------------------------------

@pytest.mark.parametrize("op", OPS)
def test_no_two_faults_stop_three_copies(op, drawn_by, exhaustive):
    """Dead from the start or at some moment; a gather and a scatter keep their root."""
    draw = draw_of(drawn_by, op)
    single = [f"kill:{node}" for node in range(1, 24)]
    single += [f"cut:{node}/{port}" for node, port, _ in star_cables(4)]
    assert len(single) == 59
    sets = [(), *((one,) for one in single), *itertools.combinations(single, 2)]
    for faults in some(sets, 60, exhaustive, drawn_by, op):
        times = [draw.choice(["", f"@{draw.randrange(1, 200)}"]) for _ in faults]
        timed = ",".join(map("".join, zip(faults, times)))
        outcome = star("sim", 4, op, 3, 1, *(["--faults", timed] if timed else []))
        assert survived(outcome), outcome
        assert op != "allgather" or outcome.report["steps"] <= 23, outcome


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dim", [5, 6])
def test_larger_stars_survive_random_sets(op, dim, drawn_by, exhaustive):
    if dim == 6 and not exhaustive:
        pytest.skip("with --exhaustive only")
    draw = draw_of(drawn_by, op, dim)
    for _ in range(300 if exhaustive and dim == 5 else 3):
        copies = draw.randint(2, dim - 1)
        outcome = star("sim", dim, op, copies, 1, "--faults", random_faults(draw, copies - 1),
                       "--seed", draw.randrange(1, 9999))
        assert survived(outcome), outcome


def test_real_cuts_and_kills_at_random_moments(exhaustive):
    draw = random.Random(SEED)
    for number in range(60 if exhaustive else 4):
        op = OPS[number % 4]
        dim = 5 if exhaustive and number % 8 < 4 else 4
        faults = draw.choice(["kill:random@random x2", "cut:random@random x2",
                              "kill:random@random,cut:random@random"])
        outcome = star("qemu", dim, op, 3, 1, "--faults", faults, "--seed",
                       draw.randrange(1, 9999))
        assert survived(outcome), (faults, outcome)


def test_one_copy_is_stopped_by_a_dead_node():
    """The check can fail. Node 6 is a neighbour of the root."""
    for op in ("gather", "allgather", "alltoall"):
        outcome = star("sim", 4, op, 1, 1, "--faults", "kill:6")
        assert outcome.status == 1 and outcome.report["missing_blocks"] > 0, outcome


# Bad arguments -------------------------------------------------------------------------------

@pytest.mark.parametrize("op, arguments, allowed", [
    ("scatter", ["--copies", 4], "1 to 3"),
    ("gather", ["--copies", 0], "1 to 3"),
    ("scatter", ["--tree", "spt"], "edt, edt-v2"),
    ("allgather", ["--ports", "half"], "allowed: all"),
    ("alltoall", ["--schedule", "level"], "queue, necklace"),
    ("allgather", ["--schedule", "dfs-ack", "--copies", 2], "allowed: 3"),
    ("scatter", ["--packet", 2048], "16 to 1024"),
    ("alltoall", ["--bytes", 1 << 20], "room for"),
    ("gather", ["--root", 24], "0 to 23"),
    ("gather", ["--avoid", "1/0"], "--copies"),
])
def test_refusals_say_what_is_allowed(op, arguments, allowed):
    refused(collective("star", "sim", 4, op, *arguments), allowed)
