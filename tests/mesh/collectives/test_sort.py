"""sort: files of numbers and of lines, against sort(1); input that cannot be sorted."""
import os
import random
import subprocess

import pytest

from mesh_tool import run, verified

NETWORKS = [("cube", dim) for dim in range(1, 7)] + [("uhc", dim) for dim in range(2, 7)]
SMALL = [("cube", 1), ("cube", 3), ("uhc", 2)]
LARGE_TIMEOUT_S = 240


def lottery(*what):
    """Draws that are the same in every run and different for each case."""
    return random.Random(" ".join(map(str, what)))


def reference(data, numbers):
    """What sort(1) makes of it."""
    return subprocess.run(["sort", *(["-n"] if numbers else [])], input=data, capture_output=True,
                          check=True, env={**os.environ, "LC_ALL": "C"}).stdout


def sort(engine, topology, dim, data, folder, *more, numbers=True, timeout=60):
    """Sorts `data`; the report, when the output has been compared."""
    source, result = folder / "in", folder / "out"
    source.write_bytes(data)
    outcome = run(engine, "--topology", topology, "--dim", dim, "--op", "sort", "--input", source,
                  "--output", result, "--type", "i32" if numbers else "lines", *more,
                  timeout=timeout)
    report = verified(outcome)
    assert result.read_bytes() == reference(data, numbers), outcome
    return report


def text(numbers):
    return "".join(f"{number}\n" for number in numbers).encode()


def orders(count, *seed):
    """Numbers in orders that break sorting algorithms."""
    draw = lottery(count, *seed)
    wild = [draw.randrange(-2 ** 31, 2 ** 31) for _ in range(count)]
    return {"random": wild, "sorted": sorted(wild), "reversed": sorted(wild, reverse=True),
            "constant": [-7] * count, "two values": [draw.randrange(2) for _ in range(count)],
            "organ pipe": [min(at, count - at) for at in range(count)],
            "extremes": [draw.choice((-2 ** 31, 2 ** 31 - 1, 0, -1)) for _ in range(count)]}


# Numbers -------------------------------------------------------------------------------------

@pytest.mark.parametrize("topology, dim", NETWORKS)
def test_numbers_in_any_order_come_out_sorted(topology, dim, tmp_path):
    nodes = 2 ** dim
    for count in (0, 1, nodes - 1, nodes, nodes + 1, 40 * nodes + 3):
        kinds = orders(count, topology, dim)
        for kind in kinds if count > nodes + 1 else ("random", "reversed"):
            sort("sim", topology, dim, text(kinds[kind]), tmp_path)


@pytest.mark.parametrize("topology, dim", SMALL)
def test_nodes_on_qemu_sort_numbers(topology, dim, tmp_path):
    for count in (0, 1, 2 ** dim + 1, 1000):
        sort("qemu", topology, dim, text(orders(count, dim)["random"]), tmp_path)


def test_a_million_numbers_are_sorted_by_64_nodes(tmp_path):
    report = sort("sim", "cube", 6, text(orders(1_000_000)["random"]), tmp_path)
    assert report["records"] == 1_000_000


def test_a_million_numbers_are_sorted_by_64_nodes_on_qemu(tmp_path, exhaustive):
    if not exhaustive:
        pytest.skip("half a minute; part of the exhaustive runs")
    sort("qemu", "cube", 6, text(orders(1_000_000)["random"]), tmp_path, timeout=LARGE_TIMEOUT_S)


def test_small_packets_and_lossy_links_change_nothing(tmp_path):
    data = text(orders(500)["random"])
    sort("sim", "cube", 3, data, tmp_path, "--packet", 16, "--faults", "drop:0.1,corrupt:0.05")
    sort("qemu", "cube", 2, data, tmp_path, "--faults", "drop:0.05")


# Lines ---------------------------------------------------------------------------------------

def lines(count, *seed):
    """Of very different lengths, equal ones, prefixes of others, bytes below the newline."""
    draw = lottery("lines", count, *seed)
    made = []
    for _ in range(count):
        kind = draw.randrange(5)
        if kind == 0 and made:
            made.append(draw.choice(made))
        elif kind == 1 and made:
            made.append(draw.choice(made)[:draw.randrange(9)])
        else:
            letters = b"ab\t\x01 \xff" if kind == 2 else bytes(range(11, 256))
            made.append(bytes(draw.choices(letters, k=draw.choice((0, 1, 3, 30, 300)))))
    return b"".join(line + b"\n" for line in made)


@pytest.mark.parametrize("topology, dim", NETWORKS)
def test_lines_of_any_length_come_out_sorted(topology, dim, tmp_path):
    nodes = 2 ** dim
    for count in (0, 1, nodes - 1, nodes + 1, 20 * nodes + 5):
        sort("sim", topology, dim, lines(count, topology, dim), tmp_path, numbers=False)


def test_a_last_line_without_its_newline_gets_one(tmp_path):
    sort("sim", "cube", 2, b"pear\napple\nfig", tmp_path, numbers=False)
    sort("sim", "cube", 2, b"3\n-1\n2", tmp_path)


def test_one_long_line_among_short_ones_is_sorted(tmp_path):
    data = b"z" * 500_000 + b"\n" + lines(100)
    sort("sim", "cube", 3, data, tmp_path, numbers=False)


@pytest.mark.parametrize("topology, dim", SMALL)
def test_nodes_on_qemu_sort_lines(topology, dim, tmp_path):
    sort("qemu", topology, dim, lines(300, dim), tmp_path, numbers=False)


# What cannot be sorted -----------------------------------------------------------------------

def refused(folder, data, allowed, *more, dim=2):
    source = folder / "in"
    source.write_bytes(data)
    outcome = run("sim", "--topology", "cube", "--dim", dim, "--op", "sort", "--input", source,
                  *more)
    assert outcome.status == 2 and outcome.out == "", outcome
    [line] = outcome.err.splitlines()
    assert allowed in line, outcome


@pytest.mark.parametrize("number", ["12x", "", " 1", "+1", "007", "-0", "2147483648", "1.5",
                                    "1\r2"])
def test_what_is_no_number_is_refused_with_its_line(number, tmp_path):
    refused(tmp_path, f"1\n{number}\n3\n".encode(), "line 2")


def test_more_than_the_nodes_hold_is_refused(tmp_path):
    refused(tmp_path, b"1\n" * 2_000_000, "--dim 3 or more", dim=1)
    refused(tmp_path, b"x" * 1_200_000, "too much for any mesh", "--type", "lines")


def test_an_unknown_type_or_more_than_sorting_needs_is_refused(tmp_path):
    refused(tmp_path, b"1\n", "i32, lines", "--type", "f32")
    refused(tmp_path, b"1\n", "--tree", "--tree", "sbt")
    refused(tmp_path, b"1\n", "--bytes", "--bytes", 4)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    outcome = run("sim", "--dim", 2, "--op", "sort", "--input", tmp_path / "nothing")
    assert outcome.status == 2 and "no such file" in outcome.err, outcome
