#!/usr/bin/python3
"""Checks of the protocol by machine, at length: `make verify`.

    verify.py [--build FOLDER] [--minutes-each N] [--only PART] [--jobs N]

Parts: forwarding cannot deadlock (a proof; Coq); every message is taken once (a model of the
mailbox; rumur); all states of two ends of a cable, and of kernels that storm each other (the code
that nodes run); schedules of whole kernels; single faults of runs; sets of faults that copies must
survive; branches that nothing takes. Mutants of rule and code must be found. As many parts run at a
time as there are cores (--jobs). Writes the table of README.md beside this file, and prints it, and
adds a row to totals.csv; one part is printed only. Exit status: 0 all is as it must be, else 1.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import branches
import fault_sets
import mutants
import totals

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "proof"))
import check_proof  # noqa: E402

ROOT = HERE.parents[2]
FLAGS = ["-std=c++20", "-ffp-contract=off", "-O2"]
INCLUDE = ["-Ifirmware", "-I."]
# The changed object stands in front of the library that has the unchanged one.
MUTANT_LIBRARIES = ["-lfmt", "-lz", "-pthread", "-Wl,--allow-multiple-definition",
                    *(f"-Wl,-u,mesh_network_{name}" for name in ("cube", "uhc", "star"))]

# Of mailbox.m: places for messages that nobody takes yet.
ROOMS = [0, 1, 2]

# Of explore_link; the first ones are those that mutants have to get through.
SPACES = [
    "--one-way --frames 1 --buffers 2 --window 1",
    "--no-lives --one-way --frames 1 --buffers 4 --window 2 --states 200000",
    "--no-lives --one-way --states 600000",
    "--states 3000000",
]
LARGE_SPACES = [
    "--no-lives --one-way --states 10000000",
    "--one-way --buffers 2 --window 1 --states 10000000",
    "--states 6000000",
]

# Of explore_nodes.
STORMS = [
    "--network cube:1 --goals 0:1,0:1,1:0,1:0 --states 10000000",
    "--network cube:2 --goals 0:3,0:3,0:3,1:3,1:3,1:3 --states 10000000",
    "--network uhc:2 --goals 0:2,0:2,1:2,1:2,2:0 --states 3000000",
]

STORM_FOR_MUTANTS = "--network cube:2 --goals 0:3,0:3,0:3,1:3,1:3,1:3 --states 20000 --rest-of 16"

# Of soak single: every frame, every kind; or all pairs of these.
SINGLE_FAULTS = ["cube:3 collectives", "cube:3 messages", "uhc:4 collectives", "star:4 collectives",
                 "cube:2 collectives pairs", "cube:2 messages pairs"]

# Of fault_sets.py; one exchange on the star of 720 nodes takes 53 million packets, too many for
# this. That no two faults of the UHC of dimension 6 cut a node off in all trees is shown for all
# sets in tests/core/fault_sets_test.cpp.
FAULT_SETS = ["star 5 bcast sim 2000", "star 5 scatter sim 1000", "star 5 gather sim 1000",
              "star 5 allgather sim 500", "star 5 alltoall sim 100", "uhc 6 bcast sim 2000",
              "uhc 6 scatter sim 1000", "uhc 6 gather sim 1000", "uhc 6 allgather sim 100",
              "uhc 6 alltoall sim 100", "star 6 bcast sim 1000", "star 6 scatter sim 300",
              "star 6 gather sim 300", "star 6 allgather sim 5", "star 4 allgather qemu 30",
              "star 5 bcast qemu 30"]

PARTS = ("proof", "links", "mailbox", "storms", "schedules", "fault_sets", "branches")


class Failure(Exception):
    pass


def run(command, limit_s, **options):
    return subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True,
                          timeout=limit_s, **options)


def build(output, sources, *libraries):
    output.parent.mkdir(parents=True, exist_ok=True)
    done = run(["g++", *FLAGS, *sources, *INCLUDE, "-o", output, *libraries], 600)
    if done.returncode:
        raise Failure(done.stderr)
    return output


def changed(text, change, name):
    before, after = change
    if before not in text:
        raise Failure(f"the mutant '{name}' changes a text that is not there: {before}")
    return text.replace(before, after, 1)


class Verification:
    """What one part, or all of them, have shown."""

    def __init__(self, folder, limit_s):
        self.folder = folder
        self.model = folder / "model"
        self.model.mkdir(parents=True, exist_ok=True)
        self.limit_s = limit_s
        self.rows = []

    def rows_of(self, part):
        """The rows of one part, which uses no file that another part writes."""
        alone = Verification(self.folder, self.limit_s)
        getattr(alone, part)()
        return alone.rows

    def note(self, part, what, seen, good, seconds):
        self.rows.append((part, what, seen, "ok" if good else "FAILED", seconds))
        print(f"{'ok    ' if good else 'FAILED'} {part}: {what}: {seen} ({seconds:.0f} s)",
              flush=True)

    def check(self, part, what, step):
        """One row of the table: `step` gives the observation, and whether it is right."""
        begin = time.monotonic()
        try:
            seen, good = step()
        except (Failure, subprocess.TimeoutExpired) as failure:
            seen, good = str(failure).strip().splitlines()[-1][:300], False
        self.note(part, what, seen, good, time.monotonic() - begin)

    def proof(self):
        for row in check_proof.checks(self.folder):
            self.note(*row)

    # The mailbox, by rumur -----------------------------------------------------------------------

    def explore(self, name, text):
        model, code, program = (self.model / f"{name}{end}" for end in (".m", ".c", ""))
        model.write_text(text)
        for command in (["rumur", "--deadlock-detection", "stuck", "--output", code, model],
                        ["gcc", "-O2", "-march=native", code, "-lpthread", "-o", program]):
            done = run(command, 300)
            if done.returncode:
                raise Failure(done.stderr)
        return run([program], self.limit_s).stdout

    @staticmethod
    def states(told):
        states = re.search(r"(\d+) states, (\d+) rules fired", told)
        return (f"{states.group(1)} states, {states.group(2)} rules",
                "No error found" in told) if states else (told[-200:], False)

    @staticmethod
    def error(told):
        found = re.search(r"error trace for the error:\s*(.*)", told)
        return (f"found: {found.group(1).strip().rsplit(': ', 1)[-1]}" if found
                else "not found", found is not None)

    def mailbox(self):
        model = (HERE / "mailbox.m").read_text()

        def explored(text, room):
            return self.explore("mailbox", changed(text, ("ROOM: 1;", f"ROOM: {room};"), "room"))

        for room in ROOMS:
            self.check("mailbox", f"room for {room}", lambda: self.states(explored(model, room)))
        for name, (room, *change) in mutants.MAILBOX.items():
            self.check("mutant of the mailbox", name,
                       lambda: self.error(explored(changed(model, change, name), room)))

    # Two ends of a cable -------------------------------------------------------------------------

    def links(self):
        explore = self.folder / "host" / "tests" / "explore_link"

        def explored(space):
            done = run([explore, *space.split()], self.limit_s)
            return done.stdout.strip().splitlines()[0], done.returncode == 0

        for space in SPACES + LARGE_SPACES:
            self.check("two ends of a cable", space, lambda: explored(space))
        code = (ROOT / "firmware/kernel/links/link.cpp").read_text()

        def rejected(change, name):
            source = self.model / "link.cpp"
            source.write_text(changed(code, change, name))
            objects = self.folder / "host" / "obj" / "tests/verify/model"
            program = build(self.model / "mutant",
                            [source, objects / "link_world.o", objects / "explore_link.o",
                             self.folder / "host" / "libmesh.a"],
                            *MUTANT_LIBRARIES)
            for space in SPACES:
                done = run([program, *space.split(), "--rest-of", 4], self.limit_s)
                if done.returncode:
                    words = (done.stdout + done.stderr).strip().splitlines()
                    return f"found: {words[0].removeprefix('BROKEN: ')}", True
            return "not found", False

        for name, change in mutants.LINK.items():
            self.check("mutant of the link", name, lambda: rejected(change, name))

    # Whole kernels -------------------------------------------------------------------------------

    def storms(self):
        explore = self.folder / "host" / "tests" / "explore_nodes"

        def explored(storm):
            done = run([explore, *storm.split()], self.limit_s)
            return done.stdout.strip().splitlines()[0], done.returncode == 0

        for storm in STORMS:
            self.check("kernels that storm each other", storm, lambda: explored(storm))
        # All of the firmware, since a change of a header changes all files that include it.
        tree = self.model / "firmware"

        def rejected(file, change, name):
            shutil.rmtree(tree, ignore_errors=True)
            shutil.copytree(ROOT / "firmware", tree)
            text = tree / file
            text.write_text(changed(text.read_text(), change, name))
            program = build(self.model / "mutant_nodes",
                            ["-I", tree, *sorted(tree.glob("kernel/*/*.cpp")),
                             "tests/verify/model/explore_nodes.cpp", "tests/verify/soak/world.cpp",
                             self.folder / "host" / "libmesh.a"],
                            *MUTANT_LIBRARIES)
            done = run([program, *STORM_FOR_MUTANTS.split()], self.limit_s)
            told = (done.stdout + done.stderr).strip().splitlines()[0]
            found = re.match("BROKEN: (.*)", told)
            return (f"found: {found[1]}" if found else told), found is not None

        for name, (file, *change) in mutants.KERNELS.items():
            self.check("mutant of the kernel", name, lambda: rejected(file, change, name))

    def schedules(self):
        soak = self.folder / "host" / "tests" / "soak"

        def soaked():
            done = run([soak, "--seconds", 120, "--keep", self.folder / "soak"], 1200)
            seeds = re.findall(r"--seed \d+", done.stdout)
            return "; ".join([done.stdout.strip().splitlines()[-1], *seeds]), done.returncode == 0

        self.check("schedules of whole kernels", "120 s", soaked)

        def single(what):
            done = run([soak, "single", *what.split()], self.limit_s)
            runs = re.search(r"(\d+) runs, (\d+) failed", done.stdout)
            return runs.group(0) if runs else done.stdout[-200:], done.returncode == 0

        for what in SINGLE_FAULTS:
            self.check("every fault of single frames", what, lambda: single(what))

    def fault_sets(self):
        for words in FAULT_SETS:
            self.check("sets of faults that copies survive", words,
                       lambda: fault_sets.survive(self.folder / "host" / "mesh", words))

    def branches(self):
        self.check("branches of links and forwarding", "all tests of the kernel",
                   lambda: branches.check(self.folder))

    def failed(self):
        return sum(1 for row in self.rows if row[3] != "ok")

    def table(self):
        """A row for all mutants of a part that were found, one for each other check."""
        found = collections.Counter(part for part, _, _, verdict, _ in self.rows
                                    if part.startswith("mutant") and verdict == "ok")
        rows = [(part, f"{found[part]} mutants", "each is found", verdict)
                if part in found and verdict == "ok" else (part, what, seen, verdict)
                for part, what, seen, verdict, _ in self.rows]
        lines = ["| part | what | seen | verdict |", "|---|---|---|---|"]
        lines += [f"| {part} | `{what}` | {seen} | {verdict} |"
                  for part, what, seen, verdict in dict.fromkeys(rows)]
        return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--minutes-each", type=float, default=120, help="for one exploration")
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    verification = Verification((ROOT / arguments.build).resolve(), 60 * arguments.minutes_each)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for rows in pool.map(verification.rows_of, [arguments.only] if arguments.only else PARTS):
            verification.rows += rows
    if arguments.only:
        return 1 if verification.failed() else 0
    readme = HERE / "README.md"
    text = readme.read_text()
    begin = text.index("| part | what")
    readme.write_text(text[:begin] + verification.table())
    totals.add([row[:4] for row in verification.rows])
    failed = verification.failed()
    print(f"{len(verification.rows) - failed} as they must be, {failed} not; the table is in "
          f"{readme.relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
