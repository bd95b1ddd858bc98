"""Unknown faults, against which --copies helps, and known ones, which --avoid goes round."""
import itertools
import random

import pytest

from formulas import broadcast_steps
from mesh_tool import random_faults, run, some, survived, verified
from seeds import draw_of

SEED = 20
MESSAGE = ["--bytes", 700, "--packet", 48]


def bcast(engine, dim, copies, faults, *more, root=0):
    arguments = ["--dim", dim, "--op", "bcast", "--copies", copies, "--root", root, *MESSAGE, *more]
    if faults:
        arguments += ["--faults", ",".join(faults)]
    return run(engine, *arguments)


def cables(dim):
    """Every cable once, by its lower end."""
    return [f"cut:{node}/{port}" for node in range(2 ** dim) for port in range(dim)
            if not node >> port & 1]


@pytest.mark.parametrize("dim, copies", [(d, x) for d in (2, 3, 4) for x in range(2, d + 1)])
def test_no_x_minus_1_dead_cables_stop_x_copies(dim, copies, drawn_by, exhaustive):
    draw = random.Random(SEED + dim)
    for cut in some(itertools.combinations(cables(dim), copies - 1), 40, exhaustive, drawn_by, dim,
                    copies):
        outcome = bcast("sim", dim, copies, cut, root=draw.randrange(2 ** dim))
        assert survived(outcome), (cut, outcome)


@pytest.mark.parametrize("copies", [2, 3])
def test_no_x_minus_1_dead_nodes_stop_x_copies(copies):
    for dead in itertools.combinations(range(1, 8), copies - 1):
        outcome = bcast("sim", 3, copies, [f"kill:{node}" for node in dead])
        assert survived(outcome), (dead, outcome)
        assert outcome.report["faults"]["kill"] == list(dead)


@pytest.mark.parametrize("dim", [6, 8, 10])
def test_large_cubes_survive_random_sets(dim, drawn_by, exhaustive):
    draw = draw_of(drawn_by, dim)
    for _ in range(20 if exhaustive else 2):
        copies = draw.randint(2, dim)
        faults = [random_faults(draw, copies - 1)]
        outcome = bcast("sim", dim, copies, faults, "--seed", draw.randrange(1, 9999))
        assert survived(outcome), (copies, faults, outcome)


def test_real_cuts_and_kills_at_random_moments(exhaustive):
    """On QEMU the killed nodes are processes that die, and links notice by silence."""
    draw = random.Random(SEED)
    for number in range(24 if exhaustive else 4):
        dim = draw.choice([3, 4])
        copies = draw.randint(2, dim)
        faults = [random_faults(draw, copies - 1)]
        outcome = bcast("qemu", dim, copies, faults, "--seed", draw.randrange(1, 9999))
        assert survived(outcome), (copies, faults, outcome)


def test_one_copy_is_stopped_by_the_same_cut():
    """The check can fail: without copies the cut costs a subtree."""
    outcome = run("sim", "--dim", 3, "--op", "bcast", "--tree", "msbt", *MESSAGE,
                  "--faults", "cut:0/1")
    assert outcome.status == 1 and outcome.report["failed_nodes"] != []


@pytest.mark.parametrize("ports", ["all", "duplex", "half"])
def test_copies_take_the_steps_of_as_many_packets(ports):
    for dim, copies in ((3, 2), (4, 3), (5, 5)):
        outcome = bcast("sim", dim, copies, [], "--ports", ports)
        report = verified(outcome)
        steps = broadcast_steps("msbt", ports, dim, copies * -(-700 // 48))
        assert report["steps"] == report["formula_steps"] == steps, outcome
        assert report["complete_steps"] <= steps, outcome


def test_auto_keeps_copies_within_a_frame():
    outcome = run("sim", "--dim", 4, "--op", "bcast", "--copies", 2, "--packet", "auto", "--bytes",
                  20_000, "--tc", "0.0001")
    assert verified(outcome)["packet"] <= 1024, outcome


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_three_copies_outvote_a_cable_that_lies(engine):
    outcome = bcast(engine, 3, 3, ["alter:0/1"])
    assert verified(outcome), outcome
    assert outcome.report["disputed_packets"] > 0 and outcome.report["faults"]["alter"] > 0


def test_one_copy_believes_the_lie():
    outcome = run("sim", "--dim", 3, "--op", "bcast", *MESSAGE, "--faults", "alter:0/1")
    assert outcome.status == 1 and outcome.report["failed_nodes"] == [2, 6]  # behind 0/1


def test_avoid_finds_a_tree_without_the_cable():
    for cut in cables(4):
        node, port = (int(part) for part in cut[len("cut:"):].split("/"))
        outcome = run("sim", "--dim", 4, "--op", "bcast", *MESSAGE, "--avoid", f"{node}/{port}",
                      "--faults", cut)
        if node == 0:  # all trees use the cables of their root
            assert outcome.status == 2 and "--copies" in outcome.err, outcome
        else:
            assert verified(outcome), (cut, outcome)


@pytest.mark.parametrize("arguments, allowed", [
    (["--copies", 5], "1 to 4"),
    (["--copies", 2, "--tree", "sbt"], "msbt"),
    (["--copies", 2, "--packet", 2048], "1024"),
    (["--avoid", "1/7"], "ports 0 to 3"),
    (["--avoid", "1/2", "--tree", "sbt"], "without --tree"),
])
def test_refusals_say_what_is_allowed(arguments, allowed):
    outcome = run("sim", "--dim", 4, "--op", "bcast", *arguments)
    assert outcome.status == 2 and allowed in outcome.err, outcome
