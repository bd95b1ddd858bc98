"""reduce, allreduce and scan of whole rigs, against sums made here; on both engines."""
import functools
import operator
import random
import struct

import pytest

from formulas import TREES
from mesh_tool import run, verified

OPS = ("reduce", "allreduce", "scan")
FORMATS = {"i32": "i", "u32": "I", "f32": "f"}
COMBINE = {"sum": operator.add, "min": min, "max": max, "band": operator.and_, "bor": operator.or_,
           "bxor": operator.xor}
BITWISE = ("band", "bor", "bxor")


def reduction(engine, dim, op, *more):
    more = list(more)
    if op == "scan" and "--tree" in more: # it goes over none
        del more[more.index("--tree"):more.index("--tree") + 2]
    return run(engine, "--topology", "cube", "--dim", dim, "--op", op, *more)


def lottery(*what):
    """Draws that are the same in every run and different for each case."""
    return random.Random(" ".join(map(str, what)))


# Results -------------------------------------------------------------------------------------

def elements(kind, count, *what):
    """Any bits for the integers, numbers of very different size for f32."""
    draw = lottery(kind, count, *what)
    if kind == "f32":
        wide = (draw.uniform(-1, 1) * 10 ** draw.randint(-30, 30) for _ in range(count))
        return list(struct.unpack(f"{count}f", struct.pack(f"{count}f", *wide)))
    low = -2 ** 31 if kind == "i32" else 0
    return [low + draw.getrandbits(32) for _ in range(count)]


def wrapped(value, kind):
    """What 32 bits keep of it."""
    value &= 0xFFFF_FFFF
    return value - 2 ** 32 if kind == "i32" and value >> 31 else value


def combined(rows, name, kind):
    """The rows, element by element, from left to right."""
    total = [functools.reduce(COMBINE[name], column) for column in zip(*rows)]
    return total if kind == "f32" else [wrapped(value, kind) for value in total]


def check_result(engine, folder, op, name, kind, *more, dim=3, count=21, rows_of_result=None):
    """Runs on a file of 2^dim rows; what one node has at the end is the rows combined."""
    nodes = 2 ** dim
    data = elements(kind, nodes * count, op, name)
    rows = [data[count * node:][:count] for node in range(nodes)]
    (folder / "in").write_bytes(struct.pack(f"<{len(data)}{FORMATS[kind]}", *data))
    outcome = reduction(engine, dim, op, "--operator", name, "--type", kind, "--input",
                        folder / "in", "--output", folder / "out", "--packet", 64, *more)
    report = verified(outcome)
    assert (report["operator"], report["type"], report["bytes"]) == (name, kind, 4 * count)
    got = list(struct.unpack(f"<{count}{FORMATS[kind]}", (folder / "out").read_bytes()))
    assert got == combined(rows[rows_of_result or slice(None)], name, kind), outcome


PAIRS = [(name, kind) for name in COMBINE for kind in FORMATS
         if kind != "f32" or name in ("min", "max")]


@pytest.mark.parametrize("name, kind", PAIRS)
@pytest.mark.parametrize("op", OPS)
def test_every_operator_gives_what_it_says(op, name, kind, tmp_path):
    root = lottery(op, name, kind).randrange(7)
    check_result("sim", tmp_path, op, name, kind, "--root", root)


@pytest.mark.parametrize("name, kind", [("sum", "i32"), ("min", "f32"), ("bxor", "u32")])
def test_every_operator_gives_the_same_on_qemu(name, kind, tmp_path):
    op = {"sum": "reduce", "min": "allreduce", "bxor": "scan"}[name]
    check_result("qemu", tmp_path, op, name, kind, "--root", 2)


@pytest.mark.parametrize("tree", [*TREES, "sbnt-minr", "sbnt-maxl"])
@pytest.mark.parametrize("op", ["reduce", "allreduce"])
def test_every_tree_gives_the_same_result(op, tree, tmp_path):
    check_result("sim", tmp_path, op, "sum", "u32", "--tree", tree, "--root", 5)


# The output is that of the last node, or of node 0 if the last one is the root.
@pytest.mark.parametrize("name", ["sum", "max"])
def test_a_scan_stops_at_the_node_itself_and_an_exclusive_one_before_it(name, tmp_path):
    for root, more, rows in ((0, [], slice(0, 8)), (0, ["--exclusive"], slice(0, 7)),
                             (7, [], slice(0, 1)), (7, ["--exclusive"], slice(0, 1))):
        check_result("sim", tmp_path, "scan", name, "i32", "--root", root, *more,
                     rows_of_result=rows)


@pytest.mark.parametrize("op", OPS)
def test_sums_of_f32_made_from_the_seed_are_verified(op):
    for engine, dim in (("sim", 5), ("qemu", 2)):
        verified(reduction(engine, dim, op, "--type", "f32", "--bytes", 400, "--seed", 11))


# Negative zero and NaNs, for any node that combines them, in any order.
@pytest.mark.parametrize("bits", [(0x8000_0000, 0), (0x7FC0_0001, 0x3F80_0000),
                                  (0x7F80_0000, 0xFF80_0000)], ids=["zeros", "nan", "infinite"])
@pytest.mark.parametrize("name", ["min", "max"])
def test_odd_numbers_do_not_upset_the_verification(name, bits, tmp_path):
    draw = lottery(name, *bits)
    rows = [[draw.choice(bits) for _ in range(8)] for _ in range(8)]
    (tmp_path / "in").write_bytes(b"".join(struct.pack("<8I", *row) for row in rows))
    for tree in TREES:
        verified(reduction("sim", 3, "allreduce", "--type", "f32", "--operator", name, "--tree",
                           tree, "--root", 3, "--input", tmp_path / "in"))


@pytest.mark.parametrize("size", [0, 4, 12, 20, 1020, 1028])
@pytest.mark.parametrize("op", OPS)
def test_ragged_sizes_are_reduced(op, size):
    for tree in ("sbt", "msbt"):
        report = verified(reduction("sim", 3, op, "--tree", tree, "--bytes", size, "--packet", 16))
        assert report["bytes"] == size


@pytest.mark.parametrize("op, more", [("reduce", ["--tree", "msbt", "--ports", "half"]),
                                      ("allreduce", ["--tree", "hp", "--ports", "duplex"]),
                                      ("scan", ["--exclusive"])])
def test_the_same_job_gives_the_same_on_both_engines(op, more):
    sim, qemu = (verified(reduction(engine, 3, op, "--bytes", 500, "--packet", 64, "--tc", 0.01,
                                    *more)) for engine in ("sim", "qemu"))
    for key in ("steps", "model_time", "hops", "link_packets", "max_link_load", "finish_time"):
        assert sim[key] == qemu[key], key


# Over msbt the questions of one subtree share links with the operands of another: a loss may cost
# steps.
@pytest.mark.parametrize("op, tree", [("reduce", "sbt"), ("reduce", "msbt"), ("allreduce", "sbt"),
                                      ("allreduce", "msbt"), ("scan", "sbt")])
def test_losses_change_no_result_and_no_step(op, tree):
    arguments = ["--tree", tree, "--bytes", 2000, "--packet", 100]
    quiet = verified(reduction("sim", 4, op, *arguments))
    noisy = verified(reduction("sim", 4, op, *arguments, "--faults", "drop:0.1,dup:0.1"))
    assert noisy["retransmissions"] > 0
    assert noisy["steps"] == quiet["steps"] or tree == "msbt"
