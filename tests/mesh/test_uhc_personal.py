"""scatter, gather, allgather and alltoall on the uni-directional hypercube: every byte at every
node, steps against what the links must carry, copies against faults."""
import itertools
import random

import pytest

from formulas import uhc_personal_bound
from mesh_tool import collective, random_faults, refused, survived, verified
from networks import uhc_arcs
from regression import UHC_EXCHANGES, UHC_ODD
from seeds import draw_of

SEED = 41
OPS = ("scatter", "gather", "allgather", "alltoall")


def uhc(engine, dim, op, copies, packets, *more):
    return collective("uhc", engine, dim, op, "--copies", copies, *more, packets=packets,
                      timeout=900)


@pytest.mark.parametrize("tree", ["ist", "adst"])
@pytest.mark.parametrize("op", ["scatter", "gather"])
@pytest.mark.parametrize("dim", [2, 4, 6, 8])
def test_scatter_and_gather_meet_the_bound_of_the_roots_links(dim, op, tree):
    draw = random.Random(SEED + dim)
    for copies in range(1, dim // 2 + 1):
        report = verified(uhc("sim", dim, op, copies, 1, "--tree", tree, "--root",
                              draw.randrange(2 ** dim)))
        assert report["steps"] == report["formula_steps"] == uhc_personal_bound(op, dim, copies, 1)


@pytest.mark.parametrize("dim", [2, 4, 6])
def test_an_exchange_meets_the_sum_of_distances(dim):
    report = verified(uhc("sim", dim, "alltoall", 1, 1))
    assert report["steps"] == report["formula_steps"] == uhc_personal_bound("alltoall", dim, 1, 1)


@pytest.mark.parametrize("dim", [2, 3, 4, 5, 6, 7])
def test_an_allgather_of_as_many_packets_as_trees_meets_the_bound(dim):
    trees = dim // 2
    for copies, packets in {(trees, 1), (1, trees)}:
        report = verified(uhc("sim", dim, "allgather", copies, packets))
        assert report["steps"] == report["formula_steps"] == 2 ** dim - 1


@pytest.mark.parametrize("op, tree, dim", UHC_EXCHANGES)
def test_others_take_the_steps_that_they_took(op, tree, dim):
    report = verified(uhc("sim", dim, op, 1, 1, "--tree", tree))
    assert uhc_personal_bound(op, dim, 1, 1) <= report["steps"] == UHC_EXCHANGES[op, tree, dim]


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dim", [3, 5, 7])
def test_odd_dimensions_get_every_byte_in_the_steps_they_took(op, dim):
    for copies, tree, root in [(1, "bts", 0), (1, "ist", 1), (dim // 2, "ist", 2)]:
        report = verified(uhc("sim", dim, op, copies, 2 if dim < 7 else 1, "--tree", tree,
                              "--root", root))
        assert report["steps"] == UHC_ODD[op][dim, copies, tree, root]


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dim", [2, 3, 4])
def test_both_engines_give_the_same(op, dim):
    sim, qemu = (verified(uhc(engine, dim, op, dim // 2, 2, "--root", 1))
                 for engine in ("sim", "qemu"))
    for key in ("steps", "hops", "link_packets", "finish_time"):
        assert sim[key] == qemu[key], key


# Faults --------------------------------------------------------------------------------------

@pytest.mark.parametrize("op", OPS)
def test_no_dead_node_or_link_stops_two_copies_of_dim_4(op, drawn_by, exhaustive):
    faults = [f"kill:{node}" for node in range(1, 16)]
    faults += [f"cut:{node}/{port}" for node, port in uhc_arcs(4)]
    assert len(faults) == 47
    for fault in faults if exhaustive else draw_of(drawn_by, op).sample(faults, 16):
        outcome = uhc("sim", 4, op, 2, 1, "--faults", fault)
        assert survived(outcome), outcome


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dim", [6, 8])
def test_larger_networks_survive_random_sets(op, dim, drawn_by, exhaustive):
    draw = draw_of(drawn_by, op, dim)
    longest = (op, dim) == ("alltoall", 8)
    for number in range(40 if exhaustive and dim == 6 else 1 if longest else 2):
        copies = draw.randint(2, dim // 2)
        tree = ("ist", "adst")[number % 2]
        outcome = uhc("sim", dim, op, copies, 1, "--tree", tree, "--faults",
                      random_faults(draw, copies - 1), "--seed", draw.randrange(1, 9999))
        assert survived(outcome), outcome


def test_real_cuts_and_kills(exhaustive):
    for op, fault in itertools.product(OPS, ["kill:random@random", "cut:random@random"]):
        if exhaustive or (op, fault[0]) in (("gather", "k"), ("allgather", "c")):
            outcome = uhc("qemu", 4, op, 2, 1, "--faults", fault, "--seed", SEED)
            assert survived(outcome), outcome


def test_one_copy_is_stopped_by_a_dead_node():
    """The check can fail."""
    for op in ("gather", "allgather", "alltoall"):
        outcome = uhc("sim", 4, op, 1, 1, "--faults", "kill:2")
        assert outcome.status == 1 and outcome.report["missing_blocks"] > 0, outcome


# Bad arguments -------------------------------------------------------------------------------

@pytest.mark.parametrize("op, dim, arguments, allowed", [
    ("scatter", 4, ["--copies", 3], "1 to 2"),
    ("scatter", 5, ["--tree", "adst"], "bts, ist"),
    ("gather", 6, ["--tree", "bts", "--copies", 2], "adst, ist"),
    ("allgather", 4, ["--ports", "duplex"], "allowed: all"),
    ("alltoall", 4, ["--schedule", "necklace"], "queue"),
])
def test_refusals_say_what_is_allowed(op, dim, arguments, allowed):
    refused(collective("uhc", "sim", dim, op, *arguments), allowed)
