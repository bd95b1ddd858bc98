"""scatter, gather, allgather and alltoall on the star: every byte at every node, steps as the paper
and its corrections say, and with copies whatever the faults."""
import itertools
import random

import pytest

from formulas import EXCHANGE_QUEUED, star_personal_steps
from mesh_tool import run, verified

PACKET = 16
SEED = 31
OPS = ("scatter", "gather", "allgather", "alltoall")
NODES = {3: 6, 4: 24, 5: 120, 6: 720}
COMMON = ("steps", "model_time", "hops", "link_packets", "max_link_load", "packets", "schedule",
          "verified_nodes", "finish_time")


def star(engine, dim, op, copies, packets, *more, timeout=120):
    return run(engine, "--topology", "star", "--dim", dim, "--op", op, "--copies", copies,
               "--bytes", packets * PACKET - 5, "--packet", PACKET, *more, timeout=timeout)


def some(values, count, exhaustive):
    values = list(values)
    if exhaustive or len(values) <= count:
        return values
    return random.Random(SEED).sample(values, count)


def cables(dim, nodes):
    """Every cable once: neighbours in the order of their numbers."""
    labels = sorted(itertools.permutations(range(dim)))
    numbers = {label: number for number, label in enumerate(labels)}
    for label in labels:
        for port in range(dim - 1):
            other = list(label)
            other[0], other[port + 1] = other[port + 1], other[0]
            if numbers[label] < numbers[tuple(other)] < nodes:
                yield f"cut:{numbers[label]}/{port}"


def survived(outcome):
    report = outcome.report
    return (outcome.status == 0 and report["failed_nodes"] == [] and report["missing_blocks"] == 0
            and report["verified_nodes"] == report["nodes"] - len(report["faults"]["kill"]))


# Steps ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dim", [3, 4, 5, 6])
def test_steps_are_those_of_the_corrected_paper(op, dim, exhaustive):
    draw = random.Random(SEED + dim)
    if dim == 6 and not exhaustive:
        pytest.skip("with --exhaustive only")
    cases = itertools.product(range(1, dim), (1, 2, 3, 7, 12) if dim < 5 else (1,))
    for copies, packets in some(cases, 6 if dim < 5 else 2, exhaustive):
        root = draw.randrange(NODES[dim])
        report = verified(star("sim", dim, op, copies, packets, "--root", root))
        steps = star_personal_steps(op, report["schedule"], dim, copies, packets)
        if steps is not None:
            assert report["steps"] == report["formula_steps"] == steps, (copies, packets)
        else: # what the links must carry
            assert report["steps"] >= report["formula_steps"], (copies, packets)


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
    assert report["steps"] == EXCHANGE_QUEUED[dim, copies] <= report["formula_steps"] + 1


@pytest.mark.parametrize("schedule", ["necklace", "queue"])
@pytest.mark.parametrize("packets", [1, 5])
def test_an_exchange_keeps_every_link_busy_in_every_step(schedule, packets):
    report = verified(star("sim", 4, "alltoall", 3, packets, "--schedule", schedule))
    assert report["steps"] == 96 * packets
    assert {load for row in report["link_packets"] for load in row} == {96 * packets}


def test_a_shallower_tree_exchanges_faster():
    report = verified(star("sim", 4, "alltoall", 3, 1, "--tree", "edt-v2"))
    assert report["steps"] == report["formula_steps"] == 94


@pytest.mark.parametrize("dim, steps", [(4, 12), (5, 43)])
def test_an_allgather_of_one_copy_is_spread_over_the_links(dim, steps):
    assert verified(star("sim", dim, "allgather", 1, 1))["steps"] == steps


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
    assert report["steps"] == report["formula_steps"] == (packets + 1) * (NODES[dim] - 1)


def test_one_dead_node_stops_depth_first_but_not_the_queue():
    """It loses 19 blocks of living nodes at living nodes, wherever it is."""
    for dead in (1, 7, 23):
        faults = ["--faults", f"kill:{dead}"]
        outcome = star("sim", 4, "allgather", 1, 1, "--schedule", "dfs-ack", *faults)
        assert outcome.status == 1 and outcome.report["missing_blocks"] == 19, outcome
        assert survived(star("sim", 4, "allgather", 2, 1, *faults))


# Faults --------------------------------------------------------------------------------------

@pytest.mark.parametrize("op", OPS)
def test_no_two_faults_stop_three_copies(op, exhaustive):
    """Dead from the start or at some moment; a gather and a scatter keep their root."""
    draw = random.Random(SEED)
    single = [f"kill:{node}" for node in range(1, 24)] + list(cables(4, 24))
    assert len(single) == 59
    sets = [(), *((one,) for one in single), *itertools.combinations(single, 2)]
    for faults in some(sets, 60, exhaustive):
        times = [draw.choice(["", f"@{draw.randrange(1, 200)}"]) for _ in faults]
        timed = ",".join(map("".join, zip(faults, times)))
        outcome = star("sim", 4, op, 3, 1, *(["--faults", timed] if timed else []))
        assert survived(outcome), outcome
        assert op != "allgather" or outcome.report["steps"] <= 23, outcome


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dim", [5, 6])
def test_larger_stars_survive_random_sets(op, dim, exhaustive):
    if dim == 6 and not exhaustive:
        pytest.skip("with --exhaustive only")
    draw = random.Random(SEED + dim)
    for _ in range(60 if exhaustive and dim == 5 else 3):
        copies = draw.randint(2, dim - 1)
        dead = draw.randint(0, copies - 1)
        faults = [f"cut:random@random x{copies - 1 - dead}"] if dead < copies - 1 else []
        faults += [f"kill:random@random x{dead}"] if dead else []
        outcome = star("sim", dim, op, copies, 1, "--faults", ",".join(faults), "--seed",
                       draw.randrange(1, 9999), timeout=300)
        assert survived(outcome), outcome


def test_real_cuts_and_kills_at_random_moments(exhaustive):
    draw = random.Random(SEED)
    for number in range(30 if exhaustive else 4):
        op = OPS[number % 4]
        dim = 5 if exhaustive and number % 6 == 5 else 4
        faults = draw.choice(["kill:random@random x2", "cut:random@random x2",
                              "kill:random@random,cut:random@random"])
        outcome = star("qemu", dim, op, 3, 1, "--faults", faults, "--seed",
                       draw.randrange(1, 9999), timeout=300)
        assert survived(outcome), (faults, outcome)


def test_one_copy_is_stopped_by_a_dead_node():
    """The check can fail. Node 6 is a neighbour of the root."""
    for op in ("gather", "allgather", "alltoall"):
        outcome = star("sim", 4, op, 1, 1, "--faults", "kill:6")
        assert outcome.status == 1 and outcome.report["missing_blocks"] > 0, outcome


# Data ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("size", [0, 1, 17, 1023, 1025, 3000])
@pytest.mark.parametrize("op", OPS)
def test_blocks_of_every_awkward_size_arrive(op, size):
    for copies in (1, 2):
        verified(run("sim", "--topology", "star", "--dim", 3, "--op", op, "--copies", copies,
                     "--bytes", size, "--root", size % 6))


def test_a_file_is_scattered_gathered_and_exchanged(tmp_path):
    nodes, size, root = 24, 33, 9
    pairs = random.Random(SEED).randbytes(nodes * nodes * size)
    data = pairs[:nodes * size]
    mine = b"".join(pairs[(nodes * i + nodes - 1) * size:][:size] for i in range(nodes))
    (tmp_path / "in").write_bytes(pairs)
    for op, expected in (("scatter", data[-size:]), ("gather", data), ("allgather", data),
                         ("alltoall", mine)):
        verified(run("sim", "--topology", "star", "--dim", 4, "--op", op, "--copies", 2, "--root",
                     root, "--bytes", size, "--input", tmp_path / "in", "--output", tmp_path / op))
        assert (tmp_path / op).read_bytes() == expected, op


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
    outcome = run("sim", "--topology", "star", "--dim", 4, "--op", op, *arguments)
    assert outcome.status == 2 and allowed in outcome.err, outcome
