"""Steps of every op, on every network, tree, size and port model, against the papers' formulas.

A row is a command line and what its report must have. A function gives the rows of one case; TABLE
has the cases of each, for the simulation and for boards. --exhaustive: more packet counts, and
larger networks.
"""
import itertools
import math
import random

import pytest

from formulas import (CYCLES, PERSONAL_TREES, PORTS, TREES, ascend_steps, broadcast_steps,
                      personal_steps, scan_steps, schedules, sort_steps, star_personal_steps,
                      uhc_personal_bound)
from mesh_tool import PACKET, run, some, verified
from networks import (STAR_DISJOINT, UHC_DISJOINT, UHC_TREES, diameter, distance, nodes_of,
                      star_steps, uhc_has, uhc_steps)
from regression import (STAR_ALLGATHERS, STAR_EXCHANGES, STAR_EXCHANGE_SHALLOW, UHC_EXCHANGES,
                        UHC_ODD, cube_scatter_wait)

BLOCK_OPS = ("scatter", "gather", "allgather", "alltoall")
STAR_TREES = ("spt", *STAR_DISJOINT)
OTHER_TREES = [("uhc", tree) for tree in UHC_TREES + UHC_DISJOINT] + [("star", tree)
                                                                      for tree in STAR_TREES]
PAIRED = [("cube", dim) for dim in range(1, 7)] + [("uhc", dim) for dim in range(2, 7)]
SEED = 41
# Sends and receives of a node in one round of a barrier, by ports.
PER_ROUND = {("uhc", "all"): lambda dim: 1, ("uhc", "duplex"): lambda dim: -(-dim // 2),
             ("star", "all"): lambda dim: 1, ("star", "duplex"): lambda dim: dim - 1,
             ("star", "half"): lambda dim: 2 * (dim - 1)}


class Within:
    """Equal to all numbers between these two."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __eq__(self, value):
        return self.low <= value <= self.high

    def __repr__(self):
        return f"{self.low} to {self.high}"


def row(topology, dim, op, words, steps, **more):
    """`steps` is what is measured, and unless `more` says otherwise what the tool's formula has."""
    return ("--topology", topology, "--dim", dim, "--op", op, *words), {
        "steps": steps, "formula_steps": steps, **more}


def measured(*words, **expected):
    """A row of which the tool knows no formula."""
    line, _ = row(*words, None)
    return line, expected


def sized(packets, last=-5):
    """Words for a message of so many packets, the last of them with fewer bytes."""
    return "--packet", PACKET, "--bytes", packets * PACKET + last


def draws(*what):
    """The same in every run."""
    return random.Random(" ".join(map(str, what)))


# Trees ---------------------------------------------------------------------------------------

def broadcasts(every, engine, dim, tree, ports):
    top = 3 * dim + 2
    for packets in range(1, top + 1) if every or engine == "sim" else (top,):
        yield row("cube", dim, "bcast", ("--tree", tree, "--root", 5 * packets % 2 ** dim,
                                         "--ports", ports, *sized(packets)),
                  broadcast_steps(tree, ports, dim, packets), packets=packets,
                  hops=packets * (2 ** dim - 1))


def rotated_broadcasts(every, engine, ports):
    """ceil(P/n) + n - 1, the least there can be, with all ports; with one port it is msbt."""
    for dim in range(1, 9) if engine == "sim" else (3,):
        for packets in (1, 2, dim, dim + 1, 2 * dim, 3 * dim + 2) if engine == "sim" else (7,):
            yield measured("cube", dim, "bcast", ("--tree", "msbt-rot", "--ports", ports, "--root",
                                                  2 ** dim - 1, *sized(packets, 0)),
                           steps=(-(-packets // dim) + dim - 1 if ports == "all" else
                                  broadcast_steps("msbt", ports, dim, packets)))


def broadcasts_of_copies(every, engine, ports):
    for dim, copies in ((3, 2), (4, 3), (5, 5)):
        steps = broadcast_steps("msbt", ports, dim, copies * -(-700 // 48))
        yield row("cube", dim, "bcast", ("--copies", copies, "--bytes", 700, "--packet", 48,
                                         "--ports", ports), steps, complete_steps=Within(0, steps))


def other_steps(topology, tree, dim, packets, root=0, copies=1, ports="all"):
    return (uhc_steps(tree, ports, dim, packets, root, copies) if topology == "uhc" else
            star_steps(tree, dim, packets, copies))


def other_broadcast(topology, tree, dim, packets, copies=1, ports="all"):
    root = draws(dim, tree, packets, copies).randrange(nodes_of(topology, dim))
    steps = other_steps(topology, tree, dim, packets, root, copies, ports)
    return row(topology, dim, "bcast", ("--tree", tree, "--root", root, "--ports", ports,
                                        "--copies", copies, *sized(packets)),
               steps, packets=packets, complete_steps=Within(0, steps),
               hops=packets * copies * (nodes_of(topology, dim) - 1))


def uhc_broadcasts(every, engine, tree, ports):
    most = {"sim": 13 if every else 8 if tree in UHC_DISJOINT else 7, "qemu": 7 if every else 4}
    for dim in filter(lambda dim: uhc_has(tree, dim), range(2, most[engine])):
        for copies in range(1, dim // 2 + 1) if tree in UHC_DISJOINT and engine == "sim" else (
                dim // 2 if tree == "ist" else 1,):
            for packets in some(range(1, 10), {"sim": 3, "qemu": 1}[engine], every, dim, tree,
                                ports, copies):
                yield other_broadcast("uhc", tree, dim, packets, copies, ports)
    if engine == "qemu" and tree in UHC_TREES:
        yield other_broadcast("uhc", tree, 4, 3, ports="duplex")


def star_broadcasts(every, engine, tree):
    for dim in range(3, {"sim": 7 if every else 6, "qemu": 6 if every else 5}[engine]):
        for copies in range(1, dim) if tree in STAR_DISJOINT else (1,):
            if every or engine == "sim" or copies in (1, dim - 1):
                for packets in some(range(1, 13), {"sim": 2, "qemu": 1}[engine],
                                    every and (engine == "sim" or dim < 5), dim, tree, copies):
                    yield other_broadcast("star", tree, dim, packets, copies)


def external_broadcasts(every, engine, topology, tree, ports="all"):
    """Packets that are cut into frames on the way, but each link takes a whole one at a time."""
    for dim, packets, size in (((2, 3, 4096),) if engine == "qemu" else
                               ((2, 1, 4096), (3, 4, 4096), (3, 7, 1100), (4, 5, 4096))
                               if topology == "cube" else
                               ((4, 1, 4096), (4, 5, 1100), (4, 4, 4096))):
        steps = (broadcast_steps(tree, ports, dim, packets) if topology == "cube" else
                 other_steps(topology, tree, dim, packets, 2))
        yield measured(topology, dim, "bcast",
                       ("--tree", tree, "--root", 2, "--ports", ports, "--packet", size,
                        "--bytes", packets * size, "--tau", 1, "--tc", "0.001"),
                       packets=packets, model_time=pytest.approx(steps * (1 + size * 0.001)),
                       hops=packets * -(-size // 1024) * (nodes_of(topology, dim) - 1))


def reductions(every, engine, op, tree, ports):
    for dim in {"sim": range(2, 11) if every else range(1, 7),
                "qemu": range(2, 6) if every else (3,)}[engine]:
        for packets in ((dim + 1,) if engine == "qemu" else
                        (1, dim + 1, 3 * dim + 2) if every else (1 + 3 * dim // 2,)):
            root = draws(dim, op, tree, ports, packets).randrange(2 ** dim)
            words = ("--ports", ports, "--root", root, *sized(packets, -4))
            once = broadcast_steps(tree, ports, dim, packets)
            if op == "scan":
                yield row("cube", dim, op, words, scan_steps(ports, dim, packets))
            elif op == "reduce":
                yield row("cube", dim, op, ("--tree", tree, *words), once)
            else: # there and back; the second half may begin before the first has ended
                yield measured("cube", dim, op, ("--tree", tree, *words),
                               steps=Within(once + 1, 2 * once))


def other_reduces(every, engine, topology, tree):
    """On a UHC against the links: as a broadcast from a root of the other parity."""
    draw = random.Random(SEED)
    for dim in (3, 4, 5) if topology == "star" else range(2, 9 if every else 6):
        for packets in range(1, 10) if every else (1, 4, 9):
            root = draw.randrange(nodes_of(topology, dim))
            yield row(topology, dim, "reduce", ("--tree", tree, "--root", root, *sized(packets, 0)),
                      other_steps(topology, tree, dim, packets, root ^ 1), packets=packets)


# Blocks --------------------------------------------------------------------------------------

def block_row(op, tree, schedule, ports, dim, packets):
    draw = draws(dim, op, tree, schedule, ports, packets)
    words = ("--tree", tree, "--schedule", schedule, "--ports", ports, "--root",
             draw.randrange(2 ** dim), "--seed", draw.randrange(1000),
             *sized(packets)[2 if schedule in CYCLES else 0:]) # in cycles a bundle is one packet
    packets = 1 if schedule in CYCLES else packets
    formula = steps = personal_steps(op, tree, schedule, ports, dim, packets)
    if steps is None: # no figure: the root's links have to carry it all
        steps = packets * (2 ** (dim - 1) if ports == "all" else 2 ** dim - 1)
        steps += cube_scatter_wait(op, tree, schedule, ports, dim)
    return row("cube", dim, op, words, steps, formula_steps=formula, schedule=schedule)


def blocks(every, engine, op, tree, *of_ports):
    """On boards one port model and schedule of all, by lot."""
    ways = [(ports, schedule) for ports in of_ports or PORTS
            for schedule in schedules(op, tree, ports)]
    if engine == "qemu" and not every:
        ways = [draws(op, tree).choice(ways)]
    dims = range(2, 6) if engine == "qemu" else range(2, 11)
    for ports, schedule in ways:
        what = draws(op, tree, ports, schedule)
        for dim in dims if every else [what.choice((2, 3) if engine == "qemu" else range(1, 7))]:
            counts = 1, 2, dim, 2 * dim + 1
            for packets in (2,) if engine == "qemu" else counts if every else [what.choice(counts)]:
                yield block_row(op, tree, schedule, ports, dim, packets)


def of_copies(copies, packets, *more):
    return "--copies", copies, *more, *sized(packets)


def uhc_blocks(every, engine, op, dim):
    """Scatter and gather meet the bound of the root's links; all-to-all the sum of distances, and
    an allgather of as many packets as trees what they can carry. Others take as many as before."""
    draw, trees = random.Random(SEED + dim), dim // 2
    if op in ("scatter", "gather") and dim % 2 == 0:
        for tree, copies in itertools.product(("ist", "adst"), range(1, trees + 1)):
            yield row("uhc", dim, op, of_copies(copies, 1, "--tree", tree, "--root",
                                                draw.randrange(2 ** dim)),
                      uhc_personal_bound(op, dim, copies, 1))
    if op == "alltoall" and dim in (2, 4, 6):
        yield row("uhc", dim, op, of_copies(1, 1), uhc_personal_bound(op, dim, 1, 1))
    if op == "allgather" and dim < 8:
        for copies, packets in sorted({(trees, 1), (1, trees)}):
            yield row("uhc", dim, op, of_copies(copies, packets), 2 ** dim - 1)
    for other, tree, size in UHC_EXCHANGES:
        if (other, size) == (op, dim):
            steps = UHC_EXCHANGES[op, tree, dim]
            assert uhc_personal_bound(op, dim, 1, 1) <= steps
            yield measured("uhc", dim, op, of_copies(1, 1, "--tree", tree), steps=steps)
    if dim in (3, 5, 7):
        for copies, tree, root in ((1, "bts", 0), (1, "ist", 1), (trees, "ist", 2)):
            yield measured("uhc", dim, op, of_copies(copies, 2 if dim < 7 else 1, "--tree", tree,
                                                     "--root", root),
                           steps=UHC_ODD[op][dim, copies, tree, root])


def star_row(op, dim, copies, packets, root=5):
    """By the corrected paper, or as before where it has no figure."""
    words = of_copies(copies, packets, "--root", root)
    steps = star_personal_steps(op, "queue", dim, copies, packets)
    if steps is not None:
        return row("star", dim, op, words, steps)
    return measured("star", dim, op, words,
                    steps=packets * STAR_EXCHANGES[dim, copies] if op == "alltoall" else
                    STAR_ALLGATHERS[dim, copies, packets])


def star_blocks(every, engine, op, dim, *one):
    if one:
        yield star_row(op, dim, *one)
        return
    draw = random.Random(31 + dim)
    cases = itertools.product(range(1, dim), (1, 2, 3, 7, 12) if dim < 5 else (1,))
    for copies, packets in some(cases, 6 if dim < 5 else 2, every, op, dim):
        if (op, dim) != ("alltoall", 6) or not 1 < copies < 5: # 720 nodes: minutes each
            yield star_row(op, dim, copies, packets, draw.randrange(nodes_of("star", dim)))


def star_exchanges(every, engine):
    for dim, copies in ((3, 1), (4, 1), (4, 2), (5, 1)): # within a step of the work
        steps = STAR_EXCHANGES[dim, copies]
        yield row("star", dim, "alltoall", of_copies(copies, 1), steps, schedule="queue",
                  formula_steps=Within(steps - 1, math.inf))
    yield row("star", 4, "alltoall", of_copies(3, 1, "--tree", "edt-v2"), STAR_EXCHANGE_SHALLOW)
    for dim in (4, 5): # of one copy: spread over the links
        yield measured("star", dim, "allgather", of_copies(1, 1), steps=STAR_ALLGATHERS[dim, 1, 1])
    for dim, packets in ((3, 1), (3, 4), (4, 1), (4, 3), (5, 1)): # each waits for acknowledgements
        yield row("star", dim, "allgather", of_copies(1, packets, "--schedule", "dfs-ack"),
                  (packets + 1) * (nodes_of("star", dim) - 1), copies=dim - 1)


# Messages, barriers, dimensions in turn ------------------------------------------------------

def sends(every, engine, topology, dim, *one):
    """Over a shortest path."""
    pairs = itertools.product(range(nodes_of(topology, dim)), repeat=2)
    for start, end in [one] if one else some(pairs, 12, every and nodes_of(topology, dim) < 120,
                                             SEED, topology, dim):
        packets = 1 + (start + end) % 4
        yield row(topology, dim, "send", ("--root", start, "--target", end, *sized(packets, 0)),
                  distance(topology, dim, start, end) + packets - 1 if start != end else 0)


def barriers(every, engine, topology, ports):
    """As many rounds as the diameter."""
    for dim in (4,) if engine == "qemu" else range(2, 9) if topology == "uhc" else range(3, 7):
        yield row(topology, dim, "barrier", ("--ports", ports),
                  diameter(topology, dim) * PER_ROUND[topology, ports](dim))


def passes(every, engine, op, topology, dim, ports):
    steps = (sort_steps if op == "sort" else ascend_steps)(topology, ports, dim)
    once = 4 if op == "sort" else 1024 # an element a node, or a packet
    yield row(topology, dim, op, ("--ports", ports, "--bytes", once), steps)
    size = 32 if op in ("ascend", "descend") else 64 # messages have sums of two kinds
    if engine == "sim":
        yield row(topology, dim, op, ("--ports", ports, "--bytes", size, "--packet", 16), 4 * steps)


def table(every):
    """Function, cases in the simulation, cases on boards."""
    def product(*parts):
        return list(itertools.product(*parts))
    ops = ("ascend", "descend", "fft", "sort")
    sums = [(op, tree, ports) for op in ("reduce", "allreduce", "scan") for ports in PORTS
            for tree in (TREES if op != "scan" else ("sbt",))]
    return [
        (broadcasts, product(range(1, 11 if every else 7), TREES, PORTS),
         product(range(1, 7 if every else 4), TREES, PORTS)),
        (rotated_broadcasts, product(PORTS), [("all",)]),
        (broadcasts_of_copies, product(PORTS), []),
        (uhc_broadcasts, product(UHC_TREES, ("all", "duplex")) + product(UHC_DISJOINT, ("all",)),
         product(UHC_TREES + UHC_DISJOINT, ("all",))),
        (star_broadcasts, product(STAR_TREES), product(STAR_TREES)),
        (external_broadcasts, product(("cube",), TREES, PORTS) + OTHER_TREES,
         [("cube", "msbt", "half"), ("cube", "tcbt", "duplex"), ("cube", "hp", "all")]),
        (reductions, sums, sums if every else draws("sums").sample(sums, 6)),
        (other_reduces, [("uhc", "bts"), *product(("star",), STAR_TREES)], []),
        (blocks, [case for case in product(BLOCK_OPS, PERSONAL_TREES, PORTS) if schedules(*case)],
         [(op, tree) for op, tree in product(BLOCK_OPS, PERSONAL_TREES)
          if every or (len(op) + len(tree)) % 2 == 0]), # all ops, all trees
        (uhc_blocks, product(BLOCK_OPS, range(2, 8)) + product(("scatter", "gather", "alltoall"),
                                                               (8,)), []),
        (star_blocks, product(BLOCK_OPS, (3, 4, 5, 6) if every else (3, 4, 5)),
         [("scatter", 3, 2, 2), ("gather", 3, 1, 1), ("allgather", 3, 2, 3), ("alltoall", 3, 2, 2),
          ("scatter", 4, 3, 1), ("gather", 4, 2, 1), ("allgather", 4, 3, 1), ("alltoall", 4, 3, 1)]
         + ([("scatter", 5, 4, 1, 119)] if every else [])), # a step for each other node
        (star_exchanges, [()], []),
        (sends, product(("uhc",), (2, 3, 4, 5)) + product(("star",), (3, 4, 5)),
         [("uhc", 3, 1, 6), ("star", 3, 1, 4)]),
        (barriers, list(PER_ROUND), [("uhc", "all"), ("star", "all")]),
        (passes, [(op, *net, ports) for op in ops for net in PAIRED for ports in PORTS],
         [(op, *net, ports) for op in ops for net in (("cube", 1), ("cube", 3), ("uhc", 2))
          for ports in PORTS])]


def pytest_generate_tests(metafunc):
    """The first word of a case's name is its family (tests/tools/costly.py)."""
    every = metafunc.config.getoption("--exhaustive")
    metafunc.parametrize("on, rows", [
        pytest.param(engine, rows(every, engine, *words),
                     id="-".join(map(str, (f"{rows.__name__}_{engine}", *words))))
        for rows, *cases in table(every) for engine, each in zip(("sim", "qemu"), cases)
        for words in each])


def test_steps_are_those_of_the_formula(on, rows):
    seen = 0
    for words, expected in rows:
        outcome = run(on, *words, timeout=900)
        report = verified(outcome)
        assert {key: report[key] for key in expected} == expected, outcome
        seen += 1
    assert seen
