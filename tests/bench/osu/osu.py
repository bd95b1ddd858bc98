#!/usr/bin/python3
"""Tables as the OSU benchmarks print them, and pictures: osu.py BUILD [--quick] [--into FOLDER].

Columns of time for each size; those of MPI are of C programs. Model: units of the model clock (a
start-up is 1, a byte 0.001), from a simulation; the same on every machine, and what a mesh with
such links would take. Wall: microseconds of this machine between emulated nodes that share its
cores. One-way times, as the OSU benchmarks say them; an operation's time is that of its last node.

ALT stress and ring are processes of one node, in instructions of a Cortex-M33 for a
communication: QEMU counts them (-icount shift=3, 8 ns each).
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
TICKS_PER_UNIT = 1_000_000
MODEL = ("--tau", 1, "--tc", 0.001)
POINT_TO_POINT = {"latency": 2, "far": 2, "bandwidth": 1}  # messages of a round, one after another
WINDOW = 8  # messages of a round of `bandwidth`
OPERATIONS = {"bcast": ("--tree", "msbt"), "allreduce": (), "alltoall": (), "barrier": None}
TURNS = 3
NS_PER_INSTRUCTION = 8
LOCAL = (("ALT stress", "alt", 2), ("ALT stress", "alt", 8), ("ALT stress", "alt", 15),
         ("ring", "ring", 2), ("ring", "ring", 4), ("ring", "ring", 16))


class Bench:
    def __init__(self, build, quick, folder):
        self.build, self.quick, self.folder = build, quick, folder
        self.rounds = 5 if quick else 100
        here = pathlib.Path(__file__).parent
        self.mesh("build", here / "programs.cpp", "-o", folder / "osu")
        self.mesh("build", here / "messages.c", here / "clock.cpp", "-o", folder / "osu-mpi")

    def mesh(self, *words):
        """The output of mesh with these words."""
        command = [str(self.build / "host/mesh"), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def run(self, *words):
        """The report of a run, and what node 0 printed last."""
        file = self.folder / "report.json"
        said = re.findall(r"^\[0\] (\d+)$", self.mesh("run", "--report", file, *words), re.M)
        return json.loads(file.read_text()), int(said[-1]) if said else None

    def app(self, engine, dim, what, size, rounds, *options, program="osu"):
        model = MODEL if engine == "sim" else ("--free",)
        return self.run("--engine", engine, "--dim", dim, "--app",
                        self.folder / program, *model, *options, "--", what, size, rounds)[1]

    def point_to_point(self, what, size):
        """Model time and microseconds of a message, then both over MPI."""
        dim = 4 if what == "far" else 1
        messages = WINDOW if what == "bandwidth" else POINT_TO_POINT[what]
        times = []
        for program in ("osu", "osu-mpi"):
            model = self.app("sim", dim, what, size, 5, program=program) / TICKS_PER_UNIT / 5
            wall = self.app("qemu", dim, what, size, self.rounds, program=program) / self.rounds
            times += [model / messages, wall / messages]
        return tuple(times)

    def operation(self, op, size, dim=4):
        words = ["--dim", dim, "--op", op, *(OPERATIONS[op] or ())]
        if OPERATIONS[op] is not None:
            words += ["--bytes", size]
        model = self.run("--engine", "sim", *MODEL, *words)[0]["model_time"]
        walls = [self.run("--engine", "qemu", *words)[0]["wall_s"]
                 for _ in range(1 if self.quick else TURNS)]
        over_mpi = self.app("sim", dim, op, size, 1, program="osu-mpi") / TICKS_PER_UNIT
        return model, 1e6 * statistics.median(walls), over_mpi

    def instructions(self, what, count):
        """Of a communication: what many rounds take more than few."""
        emulator = self.folder / "counting"
        emulator.write_text("#!/bin/sh\n[ $# -gt 2 ] && set -- \"$@\" -icount shift=3\n"
                            "exec qemu-system-arm \"$@\"\n")
        emulator.chmod(0o755)
        few, many = (100, 300) if self.quick else (1000, 11000)
        took = [self.app("qemu", 1, what, count, rounds, "--qemu", emulator)
                for rounds in (few, many)]
        return (took[1] - took[0]) * 1000 / NS_PER_INSTRUCTION / (many - few) / count


def table(title, heads, rows, into=None):
    print(f"\n# {title}\n" + "".join(f"{head:>16}" for head in heads))
    for row in rows:
        print("".join(f"{cell:>16}" if isinstance(cell, (int, str)) else f"{cell:>16.2f}"
                      for cell in row), flush=True)
    if into:
        into.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))


def draw(folder, name, titles, model, wall):
    """Two pictures of the first two columns of tables, and what those columns are."""
    for column, kind, unit in ((2, "model", model), (3, "wall", wall)):
        lines = ", ".join(f"'{folder}/{title}.dat' using 1:{column} with linespoints title "
                          f"'{title}'" for title in titles)
        script = (f"set terminal pngcairo size 800,500; set output '{folder}/{name}-{kind}.png'; "
                  "set logscale x 2; set logscale y; set key top left; set grid; "
                  f"set title '{name}'; "
                  f"set xlabel 'bytes'; set ylabel '{unit}'; plot {lines}")
        subprocess.run(["gnuplot", "-e", script], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--into", type=pathlib.Path)
    arguments = parser.parse_args()
    into = arguments.into or arguments.build / "osu"
    into.mkdir(parents=True, exist_ok=True)
    sizes = SIZES[::3] if arguments.quick else SIZES
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.build, arguments.quick, pathlib.Path(folder))
        for what, title in (("latency", "latency to a neighbour"),
                            ("far", "latency to the node farthest away, 4 links")):
            rows = [(size, *bench.point_to_point(what, size)) for size in sizes]
            table(title, ("bytes", "model time", "wall us", "MPI model", "MPI wall us"), rows,
                  into / f"{what}.dat")
        rows = [(size, *(size / time for time in bench.point_to_point("bandwidth", size)))
                for size in sizes]
        table("bandwidth to a neighbour",
              ("bytes", "bytes a unit", "wall MB/s", "MPI a unit", "MPI MB/s"), rows,
              into / "bandwidth.dat")
        for op, options in OPERATIONS.items():
            rows = [(size, *bench.operation(op, size))
                    for size in (sizes if options is not None else (0,))
                    if (op != "alltoall" or size <= 4096) and (op != "allreduce" or size >= 4)]
            table(f"{op} of 16 nodes", ("bytes", "model time", "wall us", "MPI model"), rows,
                  into / f"{op}.dat")
        rows = [(title, count, bench.instructions(what, count)) for title, what, count in LOCAL]
        table("processes of one node", ("", "processes", "instructions"), rows)
    times = ("units of model time", "microseconds of this machine")
    draw(into, "latency", ("latency", "far"), *times)
    draw(into, "bandwidth", ("bandwidth",), "bytes in a unit of model time", "MB/s")
    draw(into, "operations", ("bcast", "allreduce", "alltoall"), *times)
    print(f"\npictures: {os.path.relpath(into)}/*.png")


if __name__ == "__main__":
    main()
