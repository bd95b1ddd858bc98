#!/usr/bin/python3
"""Speed of the whole system, as tables: bench.py BUILD [--dims 1,4,6] [--seconds 3] [--rounds 5]

Forwarding: packets that all nodes together pass on in a second of wall time, for 64-byte and 1-KiB
payloads: by a rig of bare forwarders (no checksum, credit or kernel) whose frames run in circles;
in turn by the real firmware at the same kind of full load, every node sending to the one farthest
from it (apps/crossing.cpp); and by the real firmware in one broadcast, which loads one direction
of each link only, so that its acknowledgements are frames of their own. Boot is excluded. Each is
the median of rounds in which all three take turns; `noise` is how far the bare rounds lie apart.
One broadcast: 60 KiB in 1-KiB packets over msbt, and the time in which the bare forwarders pass on
as many packets.
Boot: seconds until every port of every node has checked who is at its other end, by both ways to
start emulators; cubes, and the stars of 720 and of 5,040 nodes, where there is memory for them.
Boards: microseconds that a packet takes over one cable of each board, both nodes busy with nothing
else, and the payload bytes that come over it in a second.
Simulation: hops of a broadcast in a second of CPU time, boot and checks included.
Capture: the same broadcast with --capture and without in turn; packets a second, median of the
rounds.
Instructions: of a forwarded packet, of every routing rule and of what processes do inside a node,
counted on the Cortex-M by QEMU (-icount); `whole` is all the node executes for a packet, with
driver and acknowledgements, `kernel` leaves the driver out, `crc` is in both. The images fail if a
limit is broken.
Bytes: of each group of objects, as `make size` has them.
A row that fails is told with its command and why; the others are measured all the same.
The exit status is 1 if a count (--save keeps those of now) or the bytes of a group
(make size SAVE=1) have grown since the saved tables of this compiler, whatever the times are, and
2 if a row failed.
"""
import argparse
import contextlib
import csv
import json
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mesh/helpers"))
from mesh_tool import boards, descendants  # noqa: E402
import size  # noqa: E402

REQUIRED = {64: 0.5, 1024: 0.7}  # share of the bare forwarder's packets
SIM_HOPS = 1 << 19  # of a run, roughly
SIM_AIM = 500_000
BROADCAST_AIM = 2.5  # times the bare forwarders' time
CABLE_BYTES = 1 << 17
BROADCAST = ["--op", "bcast", "--tree", "sbt", "--input", "LICENSE"]
STAR_BROADCAST = ["--op", "bcast", "--tree", "edt", "--bytes", 25 * 1024]
ALLREDUCE = ["--op", "allreduce", "--bytes", 256]
CAPTURED = (("sim", 8, 1 << 18), ("qemu", 4, 1 << 16))  # engine, dimension, hops
CAPTURE_AIM = 0.9
FORWARDING_LIMIT_S = 120
INSTRUCTIONS_LIMIT_S = 120
SAVED_COUNTS = size.saved_file("instructions.csv")
SAVED_BYTES = size.saved_file("size.csv")
GROWTH = 1.01  # of a count, or of bytes, that may be: the compiler lays code out in another way


class RowFailed(Exception):
    def __init__(self, command, why):
        super().__init__(f"  {' '.join(map(str, command))}\n  {str(why).strip()}")


failed = []  # names of rows


@contextlib.contextmanager
def row(*name):
    try:
        yield
    except RowFailed as failure:
        failed.append(" ".join(map(str, name)))
        print(f"{failed[-1]}: failed\n{failure}", flush=True)


class MemorySampler(threading.Thread):
    """Memory of the emulators at work, in MB, all together: a page that some of them share counts
    once. It is what was seen last, for a QEMU that starts has 24 MB more for a moment."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.all = pid, 0.0

    def run(self):
        while pathlib.Path(f"/proc/{self.pid}").exists():
            begin, sweep = time.monotonic(), 0.0
            for child in descendants(self.pid):
                try:
                    text = pathlib.Path(f"/proc/{child}/smaps_rollup").read_text()
                except OSError:
                    continue
                sweep += sum(int(line.split()[1]) for line in text.splitlines()
                             if line.startswith("Pss:")) / 1024
            self.all = sweep or self.all
            time.sleep(max(0.1, 9 * (time.monotonic() - begin)))  # looking costs the nodes time


def mesh(build, *arguments, sample_memory=False):
    """Report of a run, and the memory of all its nodes. Nothing if this machine is too small."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.json"
        command = [build / "host" / "mesh", "run", "--report", file, *arguments]
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        sampler = MemorySampler(process.pid)
        if sample_memory:
            sampler.start()
        output, _ = process.communicate()
        if sample_memory and process.returncode == 2 and " nodes need " in output:
            print(output.strip())
            return None, 0
        if process.returncode != 0:
            raise RowFailed(command, output)
        return json.loads(file.read_text()), sampler.all


def broadcast(build, dim, payload, packets, engine="qemu", options=()):
    report, _ = mesh(build, "--engine", engine, "--dim", dim, "--op", "bcast", "--tree", "sbt",
                     "--free" if engine == "qemu" else "--lockstep",
                     "--bytes", payload * packets, "--packet", payload, *options)
    return report


def crossing(build, dim, payload, packets):
    image = build / boards.default(build) / "app_crossing.elf"
    report, _ = mesh(build, "--dim", dim, "--app", image, "--free", "--", payload, packets)
    return report


def real_rate(run, build, dim, payload, seconds):
    """Hops a second of `run`, whose number of packets grows until it takes long enough."""
    packets, longest = 64, (1 << 20) // payload
    while True:
        report = run(build, dim, payload, packets)
        if report["wall_s"] >= seconds or packets >= longest:
            return report["hops"] / report["wall_s"]
        packets = min(longest, 4 * packets)


def bare_forwarding(build, dim, payload, seconds):
    image = build / boards.default(build) / "bare_forwarder.elf"
    command = [build / "host" / "bench" / "bare_rig", image, dim, payload, seconds]
    return float(output_of(command, FORWARDING_LIMIT_S))


def output_of(command, limit_s, errors=subprocess.PIPE):
    try:
        done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=errors, timeout=limit_s)
    except subprocess.TimeoutExpired as late:
        raise RowFailed(command, f"has not ended after {late.timeout} s") from None
    if done.returncode != 0:
        raise RowFailed(command, done.stdout + (done.stderr or ""))
    return done.stdout


def print_forwarding(build, dims, seconds, rounds):
    print(f"{'nodes':>6}{'payload':>9}{'bare /s':>10}{'noise':>7}{'real /s':>10}{'share':>7}"
          f"{'aim':>5}{'bcast /s':>10}{'share':>7}")
    for dim in dims:
        for payload, aim in REQUIRED.items():
            with row("forwarding", 2 ** dim, payload):
                print_forwarding_row(build, dim, payload, aim, seconds, rounds)


def print_forwarding_row(build, dim, payload, aim, seconds, rounds):
    rates = [(bare_forwarding(build, dim, payload, seconds),
              real_rate(crossing, build, dim, payload, seconds),
              real_rate(broadcast, build, dim, payload, seconds)) for _ in range(rounds)]
    bare, real, tree = (statistics.median(column) for column in zip(*rates))
    lowest, *_, highest = sorted([rates[0][0], *(bare for bare, _, _ in rates)])
    print(f"{2 ** dim:6}{payload:9}{bare:10.0f}{(highest - lowest) / bare:7.0%}{real:10.0f}"
          f"{real / bare:7.2f}{aim:5.1f}{tree:10.0f}{tree / bare:7.2f}", flush=True)


def print_one_broadcast(build, dim, seconds, rounds):
    print(f"\n{'nodes':>6}{'msbt s':>9}{'bare s':>9}{'ratio':>7}{'aim':>5}")
    with row("msbt", 2 ** dim):
        bare = bare_forwarding(build, dim, 1024, seconds)
        reports = [mesh(build, "--dim", dim, "--op", "bcast", "--tree", "msbt",
                        "--bytes", 60 * 1024, "--packet", 1024)[0] for _ in range(rounds)]
        wall = statistics.median(report["wall_s"] for report in reports)
        same = reports[-1]["hops"] / bare
        print(f"{2 ** dim:6}{wall:9.2f}{same:9.2f}{wall / same:7.2f}{BROADCAST_AIM:5.1f}")


def print_boot(build, dims, stars):
    print(f"\n{'nodes':>6}{'boot':>6}{'op':>11}{'ready s':>9}{'run s':>8}{'MB/node':>9}")
    rows = [(how, ["--dim", dim], BROADCAST) for dim in dims for how in ("exec", "fork")]
    rows += [("fork", ["--topology", "star", "--dim", dim], op) for dim in stars
             for op in (STAR_BROADCAST, ALLREDUCE)]
    for how, network, op in rows:
        with row("boot", how, *network, op[1]):
            report, memory = mesh(build, "--engine", "qemu", "--boot", how, *network, *op,
                                  "--timeout", 120, sample_memory=True)
            if report:
                print(f"{report['nodes']:6}{report['boot']:>6}{report['op']:>11}"
                      f"{report['boot_s']:9.2f}{report['wall_s']:8.2f}"
                      f"{memory / report['nodes']:9.1f}", flush=True)


def print_boards(build, rounds):
    """Bytes on the cable for a packet, its acknowledgement included, and the emulators' time."""
    print(f"\n{'board':>15}{'payload':>9}{'bytes/hop':>11}{'us/hop':>9}{'kB/s':>8}")
    for board in boards.names(build):
        if not (build / board / "job.elf").exists():  # but with BOARD= its only image is hello
            continue
        for payload in REQUIRED:
            with row("board", board, payload):
                reports = [broadcast(build, 1, payload, CABLE_BYTES // payload, "qemu",
                                     ("--board", board)) for _ in range(rounds)]
                cable_bytes, hop_us = (statistics.median(values) for values in zip(*(
                    (one["cable_bytes"] / one["hops"], 1e6 * one["wall_s"] / one["hops"])
                    for one in reports)))
                print(f"{board:>15}{payload:9}{cable_bytes:11.1f}{hop_us:9.0f}"
                      f"{1e3 * payload / hop_us:8.0f}", flush=True)


def print_simulation(build, dims):
    print(f"\n{'nodes':>6}{'payload':>9}{'hops':>9}{'CPU s':>8}{'hops/s':>10}{'aim':>9}")
    for dim in dims:
        for payload in REQUIRED:
            with row("simulation", 2 ** dim, payload):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                hops = broadcast(build, dim, payload, SIM_HOPS >> dim, "sim")["hops"]
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                print(f"{2 ** dim:6}{payload:9}{hops:9}{spent:8.2f}{hops / spent:10.0f}"
                      f"{SIM_AIM:9}", flush=True)


def print_capture(build, rounds):
    """The cost of listening to every cable, both ways in one run of this."""
    print(f"\n{'engine':>8}{'nodes':>6}{'payload':>9}{'alone /s':>10}{'captured':>10}{'share':>7}"
          f"{'aim':>5}")
    for engine, dim, hops in CAPTURED:
        for payload in REQUIRED:
            with row("capture", engine, 2 ** dim, payload):
                print_capture_row(build, engine, dim, payload, hops, rounds)


def print_capture_row(build, engine, dim, payload, hops, rounds):
    rates = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(2 * rounds):
            options = ["--capture", f"{folder}/run.pcapng"] if turn % 2 else []
            report = broadcast(build, dim, payload, hops >> dim, engine, options)
            rates[turn % 2 == 1].append(report["hops"] / report["wall_s"])
    alone, captured = (statistics.median(rates[side]) for side in (False, True))
    print(f"{engine:>8}{2 ** dim:6}{payload:9}{alone:10.0f}{captured:10.0f}"
          f"{captured / alone:7.2f}{CAPTURE_AIM:5.1f}", flush=True)


def print_instructions(build):
    """Counts by (image, row, column)."""
    counts = {}
    for name in ("forwarding", "rules", "processes", "thread_metric", "messages"):
        image = build / boards.default(build) / f"{name}.elf"
        command = [*boards.machine(build, boards.default(build)), "-icount", "shift=8",
                   "-semihosting-config", "enable=on,target=native",
                   "-kernel", str(image)]
        with row("instructions", name):
            output = output_of(command, INSTRUCTIONS_LIMIT_S, errors=subprocess.STDOUT)
            table = re.search(r"^start \S+\n(.*)^end \S+\n\d+ passed, 0 failed$", output,
                              re.S | re.M)
            if not table:
                raise RowFailed(command, output)
            print(f"\n{table.group(1)}", end="", flush=True)
            counts |= counts_in(name, table.group(1))
    return counts


def counts_in(image, table):
    """The numbers of a row, by the words that open it and the first number: a size."""
    found = {}
    for line in table.splitlines():
        row = re.match(r"(\S.*?\s\d+)((?:\s+\d+(?:\.\d+)?(?!\S))+)", line)
        if row:
            for column, value in enumerate(row[2].split()):
                found[image, " ".join(row[1].split()), str(column)] = float(value)
    return found


def grown(counts, saved):
    """Entries that have grown, and entries that are new or gone, as lines; not those of an image of
    which nothing is saved: it was not there yet when somebody last counted with this compiler."""
    known = {key[0] for key in saved}
    lines = [f"{' '.join(key)}: {'new' if key in counts else 'gone'}"
             for key in sorted(counts.keys() ^ saved.keys()) if key[0] in known]
    return lines + [f"{' '.join(key)}: {saved[key]:g} -> {counts[key]:g}"
                    for key in sorted(counts.keys() & saved.keys())
                    if counts[key] > GROWTH * saved[key]]


def bytes_of(table):
    """Flash and RAM of each group of objects."""
    return {("all of", group, memory): value for group in {key[0] for key in table}
            for memory, value in zip(("flash", "RAM"), size.total(table, group))}


def save(counts, file):
    file.parent.mkdir(exist_ok=True)
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("image", "row", "column", "count"))
        writer.writerows((*key, f"{value:g}") for key, value in counts.items())


def load(file):
    with file.open(newline="") as stream:
        return {(row["image"], row["row"], row["column"]): float(row["count"])
                for row in csv.DictReader(stream)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dims", default="1,4,6")
    parser.add_argument("--boot-dims", default="4,6,8")
    parser.add_argument("--boot-stars", default="6,7")
    parser.add_argument("--sim-dims", default="8,10,12")
    parser.add_argument("--seconds", default=3, type=int)
    parser.add_argument("--rounds", default=5, type=int)
    parser.add_argument("--counts", action="store_true", help="instructions and bytes alone")
    parser.add_argument("--save", action="store_true", help="make these counts the saved ones")
    parser.add_argument("build", type=pathlib.Path)
    arguments = parser.parse_args()

    def numbers(text):
        return [int(word) for word in text.split(",") if word]

    if not arguments.counts:
        print_forwarding(arguments.build, numbers(arguments.dims), arguments.seconds,
                         arguments.rounds)
        print_one_broadcast(arguments.build, 6, arguments.seconds, arguments.rounds)
        print_boot(arguments.build, numbers(arguments.boot_dims), numbers(arguments.boot_stars))
        print_boards(arguments.build, arguments.rounds)
        print_simulation(arguments.build, numbers(arguments.sim_dims))
        print_capture(arguments.build, arguments.rounds)
    counts = print_instructions(arguments.build)
    if arguments.save and not failed:
        save(counts, SAVED_COUNTS)
    folder = arguments.build / boards.default(arguments.build)
    sizes = bytes_of(size.measure_images(folder / "hello.map", folder / "job.map"))
    more = False
    for what, now, before in (("instructions", counts, load(SAVED_COUNTS)),
                              ("bytes", sizes, bytes_of(size.read_csv(SAVED_BYTES)))):
        lines = grown(now, before)
        print(f"\n{what}: " + ("\n".join(["grown, new or gone:", *lines]) if lines else
                               "none have grown since the saved table"))
        more = more or bool(lines)
    return verdict(more)


def verdict(more):
    if failed:
        print(f"\n{len(failed)} rows failed: {'; '.join(failed)}")
        return 2
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
