"""Programs that people know, from firmware/apps: they end well on every network, losses or not."""
import os
import pty
import re
import subprocess

import pytest

from mesh_tool import ROOT, console, mesh

NETWORKS = {"cube": ("--dim", 3), "uhc": ("--topology", "uhc", "--dim", 4),
            "star": ("--topology", "star", "--dim", 4)}
NODES = {"cube": 8, "uhc": 16, "star": 24}
LOSSES = ("--faults", "drop:0.03,corrupt:0.02,dup:0.02")
APPS = ["cannon", "commstime", "election", "farm", "gradient", "hello", "kmeans", "own_bcast",
        "philosophers", "pi", "pingpong", "ring", "samplesort", "santa", "sieve", "tickets"]
LINES_MOST = 62 # with its includes


def app(name, network, *more, engine="sim"):
    outcome = mesh("run", "--engine", engine, *NETWORKS[network], "--app", name, *more)
    assert outcome.status == 0, outcome
    return outcome


def said_right(name, outcome, nodes):
    """The program's output is right, as far as that can be told from outside."""
    lines = console(outcome)
    said = [line for node in sorted(lines) for line in lines[node]]
    words = " / ".join(said)
    if name == "cannon":
        side = int(nodes ** 0.5)
        return sorted(said) == [f"block {i},{j}: 0 wrong" for i in range(side) for j in range(side)]
    if name == "commstime":
        costs = [re.fullmatch(r"1000 numbers, the last is 999; (\d+) cycles a communication", line)
                 for line in said]
        return len(costs) == nodes and all(cost and int(cost[1]) > 0 for cost in costs)
    if name == "election":
        return len(said) == nodes and len(set(said)) == 1
    if name == "farm":
        return said == ["sum of squares 1..100 is 338350"]
    if name == "hello":
        return len(lines) == nodes and "neighbours are " in words
    if name == "pingpong":
        return [line.split()[:4] for line in said] == [
            ["node", str(node), "and", "back:"] for node in range(1, nodes)]
    if name == "gradient": # its eigenvalues that count are half of the rows
        return said == [f"{8 * nodes} rounds, x is 1.000000"] * nodes
    if name == "philosophers":
        return lines[0] == [f"{10 * (nodes - 1)} forks were handed out"]
    if name == "pi":
        return re.fullmatch(rf"\d+ of {10_000 * nodes} hit: 3\.1[234]\d+", words)
    if name == "ring":
        return said == [f"has the token, round {r}" for r in (1, 2, 3)] + [
            f"{3 * nodes} hands in 3 rounds"] + [f"has the token, round {r}"
                                                for r in (1, 2, 3)] * (nodes - 1)
    if name == "samplesort":
        sorts = [re.fullmatch(r"(\d+) numbers, up to (\w{8})", line).groups() for line in said]
        ends = [int(end, 16) for _, end in sorts]
        return sum(int(count) for count, _ in sorts) == 500 * nodes and ends == sorted(ends)
    if name == "santa":
        return said == [f"3 rides with {min(9, nodes // 2)} reindeer"]
    if name == "sieve":
        primes = [n for n in range(2, 90) if all(n % d for d in range(2, n))]
        return said == [f"prime {prime}" for prime in primes[:nodes - 1]]
    if name == "tickets":
        return said == [f"{10 * nodes} tickets were drawn, {10 * nodes} have an owner"]
    if name == "own_bcast":
        return re.fullmatch(r"flat \d+ steps / by halves \d+ steps / library \d+ steps", words)
    return words.count("middle ") == 3


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("name", APPS)
def test_it_ends_well_on_every_network_with_losses_too(name, network):
    outcome = app(name, network, *LOSSES)
    assert said_right(name, outcome, NODES[network]), outcome


@pytest.mark.parametrize("name", ["commstime", "samplesort", "tickets"])
def test_it_ends_well_on_real_firmware(name):
    outcome = app(name, "cube", *LOSSES, engine="qemu")
    assert said_right(name, outcome, NODES["cube"]), outcome


def after(cells, generations, side):
    """Conway's game, by another way: sets of living cells."""
    for _ in range(generations):
        near = {}
        for y, x in cells:
            for place in range(9):
                cell = ((y + place // 3 - 1) % side, (x + place % 3 - 1) % side)
                near[cell] = near.get(cell, 0) + (0 if place == 4 else 1)
        cells = {cell for cell, count in near.items()
                 if count == 3 or (count == 2 and cell in cells)}
    return cells


@pytest.mark.parametrize("network", NETWORKS)
def test_life_draws_what_becomes_of_cells_in_a_file(network, tmp_path):
    (tmp_path / "cells.rle").write_text("#N R-pentomino and glider\nx = 24, y = 12, rule = B3/S23\n"
                                        "b2o$2o$bo7$20bobo$\n20b2o$21bo!\nwords behind it: oooo")
    cells = {(0, 1), (0, 2), (1, 0), (1, 1), (2, 1), (9, 20), (9, 22), (10, 20), (10, 21), (11, 21)}
    app("life", network, "--input", tmp_path / "cells.rle", "--output", tmp_path / "cells.pgm",
        *LOSSES, "--", "30", "26")
    expected = after(cells, 30, 26)
    head, picture = (tmp_path / "cells.pgm").read_bytes().split(b"\n")
    assert head == b"P5  26  26 1" and len(picture) == 26 * 26
    assert {divmod(at, 26) for at, cell in enumerate(picture) if cell == 1} == expected


def test_the_farm_draws_the_same_set_whoever_draws_which_row(tmp_path):
    pictures = set()
    for network in NETWORKS:
        app("mandelbrot", network, "--output", tmp_path / "set.pgm", *LOSSES, "--", "48", "60")
        pictures.add((tmp_path / "set.pgm").read_bytes())
    [picture] = pictures
    head, pixels = picture[:17], picture[17:]
    assert head == b"P5\n  48   48\n255\n" and len(pixels) == 48 * 48
    other = 0
    for at, pixel in enumerate(pixels):
        c, z, steps = complex(at % 48 / 16 - 2.25, at // 48 / 16 - 1.5), 0j, 0
        while steps < 60 and abs(z) <= 2:
            z, steps = z * z + c, steps + 1
        other += pixel != 255 - 255 * steps // 60
    assert other < 48, other # at the border of the set the rounding of floats counts


def test_none_of_them_is_longer_than_a_page():
    for name in [*APPS, "life", "mandelbrot"]:
        lines = (ROOT / "firmware" / "apps" / f"{name}.cpp").read_text().splitlines()
        assert len(lines) <= LINES_MOST, (name, len(lines))


@pytest.mark.parametrize("name, wants", [
    ("life", "life wants --input"), ("transpose", "transpose wants --input"),
    ("prefix", "prefix wants --input"), ("jacobi", "jacobi wants --input")])
def test_a_program_without_its_input_says_what_it_wants(name, wants):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", name)
    assert outcome.status == 1 and wants in outcome.out, outcome


@pytest.mark.parametrize("name, network, wants", [
    ("treesum", "uhc", "a cube"), ("treesum", "star", "a cube"), ("jacobi", "uhc", "a cube"),
    ("prefix", "star", "a cube or a UHC"), ("transpose", "star", "a cube or a UHC")])
def test_a_program_for_some_networks_says_so_on_the_others(name, network, wants):
    outcome = mesh("run", "--engine", "sim", *NETWORKS[network], "--app", name)
    assert outcome.status == 1 and outcome.out == f"[0] {name} wants {wants}\n", outcome


def treesum(stdin, *more):
    """treesum's sum of what there is at standard input, and what it says on standard error."""
    outcome = mesh("run", "--engine", "sim", "--dim", 3, "--app", "treesum", *more, stdin=stdin)
    assert outcome.status == 0, outcome
    return int(re.search(r" vertices: (\d+)\n", outcome.out)[1]), outcome.err


def test_a_file_or_a_pipe_at_standard_input_is_the_input_of_a_program():
    whole = sum((ROOT / "LICENSE").read_bytes())
    with open(ROOT / "LICENSE", "rb") as file:
        assert treesum(file)[0] == whole
    command = ["cat", ROOT / "LICENSE"]
    for more in [], ["--input", "-"]:
        with subprocess.Popen(command, stdout=subprocess.PIPE) as producer:
            assert treesum(producer.stdout, *more) == (whole, "")


def test_a_pipe_from_which_nothing_comes_is_left_alone_and_a_terminal_too():
    numbers = treesum(subprocess.DEVNULL)[0] # of the nodes, where there is no input
    reader, writer = os.pipe()
    assert treesum(reader) == (numbers, "standard input is a pipe from which nothing comes, so it "
                               "is not read; --input - waits for it\n")
    os.close(writer)
    os.close(reader)
    master, terminal = pty.openpty()
    assert treesum(terminal) == (numbers, "")
    os.write(master, b"a\n\x04")
    assert treesum(terminal, "--input", "-") == (ord("a") + ord("\n"), "")
    os.close(terminal)
    os.close(master)


def test_pingpong_shows_what_a_packet_and_what_a_byte_costs():
    def steps(length):
        outcome = app("pingpong", "cube", "--tau", 2, "--tc", 0.01, "--", length)
        return float(re.search(r"^\[0\] node 1 and back: ([\d.]+) steps$", outcome.out, re.M)[1])
    short, long = steps(130), steps(630)
    assert abs((long - short) / 2 / 500 - 0.01) < 0.0001, (short, long)
    assert short != int(short), "parts of steps are printed, too"
