#!/usr/bin/python3
"""Runs whose every byte is foreseen: they are the same with each compiler, library and emulator.

    runs.py BUILD [--save]

A run is a row of tests/golden/runs.csv: its name, the steps, and checksums of what it gives: its
report without times, its capture, what it prints. The images that it runs are what this machine's
compiler made, on this machine's emulator, and the host tool is compiled against its libraries. So
one table, which every machine finds the same, shows that floating point, deliveries, captures and
reports hang on none of them. --save makes what this machine finds the table.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).resolve().parents[1] / "golden" / "runs.csv"
COLUMNS = ("name", "status", "steps", "report", "capture", "printed")
LIMIT_S = 120
FAULTS = "drop:0.03,corrupt:0.02,dup:0.02,reorder:0.02"
# Times, what hangs on when an emulator had its turn, and how it was started.
UNFORESEEN = ("boot_s", "wall_s", "clock", "counters", "dma_transfers", "cable_bytes", "stack_used",
              "boot")
# Keys of the run and its command, and keys that the exit status and the table's columns repeat.
SAID_TWICE = ("verdict", "reason", "command", "version", "timeout", "fates")
ON_CLOCK = re.compile(rb"^(?:time|links|ready|prepared|running)\b.*\n(?: {10}.*\n)*", re.M)
VALUES = ("bcast", "scatter", "gather", "allgather", "alltoall", "reduce", "allreduce", "scan")
PASSES = ("ascend", "descend", "sort", "fft")
TREES = {"cube": "sbt bs hp tcbt msbt msbt-rot sbnt-minr sbnt-maxl sbnt-minbl sbnt-maxbr sbg alt",
         "uhc": "bt1 bt2 bt3 bt4 bts adst ist", "star": "spt edt"}
VIEWS = ("svg", "text", "html", "trace")


def sim(topology, dim, *words):
    return ("run", "--engine", "sim", "--topology", topology, "--dim", dim, *words)


def rig(board, topology, dim, *words):
    return ("run", "--engine", "qemu", "--board", board, "--topology", topology, "--dim", dim,
            "--lockstep", *words)


def runs():
    """{name: words of a command}"""
    found = {}
    for topology in TREES:
        ops = VALUES + (() if topology == "star" else PASSES)
        for op in ops:
            found[f"sim {topology} {op}"] = sim(topology, 4, "--op", op, "--seed", 7)
        for op in ("bcast", "alltoall", "send"):
            found[f"sim {topology} {op} with faults"] = sim(topology, 4, "--op", op, "--seed", 8,
                                                            "--faults", FAULTS)
        for tree in TREES[topology].split():
            for dim in (4, 6) if topology == "uhc" else (3, 4):
                found[f"tree {tree} of {topology} {dim}"] = (
                    "tree", "--topology", topology, "--dim", dim, "--tree", tree, "--root", 1)
    for op in ("reduce", "allreduce", "scan"):
        found[f"sim {op} of floats"] = sim("cube", 5, "--op", op, "--type", "f32")
    for app, words in (("gradient", ()), ("kmeans", ()), ("mandelbrot", ("48", "60")), ("pi", ()),
                       ("cannon", ()), ("samplesort", ())):
        found[f"sim {app}"] = sim("cube", 4, "--app", app, "--", *words)
        found[f"qemu {app}"] = rig("mps2-an505", "cube", 2, "--app", app, "--", *words)
    for op in ("bcast", "alltoall", "allreduce", "fft"):
        found[f"qemu {op}"] = rig("mps2-an505", "cube", 3, "--op", op)
    found["qemu bcast with faults"] = rig("mps2-an505", "cube", 3, "--op", "bcast", "--seed", 9,
                                          "--faults", FAULTS)
    found["qemu reduce of floats"] = rig("mps2-an505", "cube", 3, "--op", "reduce", "--type", "f32")
    found["qemu uhc scatter of two copies"] = rig("mps2-an505", "uhc", 4, "--op", "scatter",
                                                  "--copies", 2)
    found["qemu star edt"] = rig("mps2-an505", "star", 3, "--op", "bcast", "--tree", "edt")
    for board in ("ast1030-evb", "mps2-an385", "netduinoplus2"):
        for op in ("bcast", "fft"):
            found[f"{board} {op}"] = rig(board, "cube", 2, "--op", op)
    return found


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def report_of(file):
    report = json.loads(file.read_text())
    kept = {key: value for key, value in report.items() if key not in UNFORESEEN + SAID_TWICE}
    return report.get("steps", ""), digest(json.dumps(kept).encode())


def mesh(build, folder, *words):
    """Runs mesh in a folder under the name `mesh`, wherever it lies: captures have the command."""
    return subprocess.run(["mesh", *map(str, words)], cwd=folder, capture_output=True,
                          executable=pathlib.Path(build).resolve() / "host" / "mesh",
                          timeout=LIMIT_S, stdin=subprocess.DEVNULL)


def measured(build, name, words):
    """The row of a run."""
    with tempfile.TemporaryDirectory() as folder:
        run = words[0] == "run"
        # One name everywhere, since report and capture have the command.
        made = ["--report", "report.json", "--capture", "run.pcapng"] if run else []
        at = words.index("--") if "--" in words else len(words)
        done = mesh(build, folder, *words[:at], *made, *words[at:])
        steps, report, capture = "", "", ""
        folder = pathlib.Path(folder)
        if run and (folder / "report.json").exists():
            steps, report = report_of(folder / "report.json")
            capture = digest((folder / "run.pcapng").read_bytes())
        printed = digest(ON_CLOCK.sub(b"", done.stdout))
        return [name, str(done.returncode), str(steps), report, capture, printed]


def views(build):
    """The rows of one capture, seen in every way."""
    with tempfile.TemporaryDirectory() as folder:
        mesh(build, folder, *sim("cube", 4, "--op", "bcast", "--tree", "msbt"),
             "--capture", "run.pcapng").check_returncode()
        for view in VIEWS:
            done = mesh(build, folder, "view", "run.pcapng", "--format", view)
            yield [f"view {view}", str(done.returncode), "", "", "", digest(done.stdout)]


def rows(build):
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        made = list(pool.map(lambda item: measured(build, *item), runs().items()))
    return made + list(views(build))


def saved():
    with TABLE.open(newline="") as stream:
        return list(csv.reader(stream))[1:]


def differences(found, wanted):
    """Each row that is another, or that only one of them has, as a line."""
    found, wanted = ({row[0]: row for row in table} for table in (found, wanted))
    for name in sorted(found.keys() | wanted.keys()):
        here, there = (table.get(name, ["none"] * len(COLUMNS)) for table in (found, wanted))
        parts = [f"{column} {b} -> {a}" for column, a, b in zip(COLUMNS, here, there) if a != b]
        if parts:
            yield f"{name}: {', '.join(parts)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("build")
    arguments = parser.parse_args()
    found = rows(arguments.build)
    if arguments.save:
        with TABLE.open("w", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *found])
    other = list(differences(found, saved()))
    print("\n".join([*other, f"{len(found)} runs, {len(other)} other than in the table"]))
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
