#!/usr/bin/python3
"""Which branches of links and forwarding nothing takes: `make coverage`, and in `make verify`.

    branches.py [--build FOLDER]

Schedules of whole kernels, all states of two ends of a cable and the tests of the kernel run with a
kernel that counts (clang's coverage of the source: each condition, true and false). branches.csv
has the sides that nothing reaches, each with the reason; what is not as it says is a failure.
Exit status: 0 all is as branches.csv says, else 1.
"""
import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "soak"))
from failed_once import FAILED_ONCE  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIST = HERE / "branches.csv"
COLUMNS = ("file", "function", "condition", "side", "why")
FILES = [f"firmware/kernel/{name}" for name in
         ("links/link.cpp", "links/links.cpp", "packets/forwarder.cpp", "packets/intake.cpp",
          "links/link.hpp", "links/links.hpp", "packets/forwarder.hpp", "packets/intake.hpp",
          "base/admission.hpp")]
RUNS = [["soak", "--healthy", "--from", "1", "--schedules", "200", "--seconds", "3600"],
        ["soak", "--from", "1", "--schedules", "600", "--seconds", "3600"],
        *(["soak", *schedule.split()] for schedule in FAILED_ONCE),
        ["explore_link", "--one-way", "--frames", "1", "--buffers", "2", "--window", "1",
         "--rest-of", "64"],
        ["explore_link", "--states", "60000", "--rest-of", "64"],
        ["kernel", "--gtest_brief=1"]]
LIMIT_S = 3600


def run(command, **options):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True,
                          timeout=LIMIT_S, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def profiles(folder):
    """The counts of all runs."""
    raw = folder / "raw"
    raw.mkdir(exist_ok=True)
    for old in raw.iterdir():
        old.unlink()
    for command in RUNS: # workers of soak are processes of their own: %p
        run([folder / command[0], *command[1:]],
            env={"LLVM_PROFILE_FILE": str(raw / f"{command[0]}-%p.profraw")})
    return list(raw.iterdir())


def counts(folder, raw):
    """The export of llvm-cov for FILES after the runs that counted `raw`."""
    profile = folder / "merged.profdata"
    run(["llvm-profdata", "merge", "-sparse", *raw, "-o", profile])
    told = run(["llvm-cov", "export", folder / "kernel", "-object", folder / "soak", "-object",
                folder / "explore_link", f"-instr-profile={profile}", *FILES])
    return json.loads(told)["data"][0]["files"]


def function_around(lines, line):
    """Name of the function that has the line, by the layout of the sources."""
    for text in reversed(lines[:line]):
        head = re.match(r"(?! *(?:if|for|while|switch|return|else)\b)(?:    )?[\w:<>*&\[\] ~]*?"
                        r"([\w~]+)\([^;]*$", text)
        if head and not text.startswith("     "):
            return head.group(1)
    return ""


def sides(files):
    """Whether each side of each condition was taken, by (file, function, condition, side)."""
    taken = {}
    for file in files:
        path = pathlib.Path(file["filename"])
        lines = path.read_text().splitlines()
        for line, column, end_line, end, true, false, *_ in file["branches"]:
            if end_line == line:
                text = lines[line - 1][column - 1:end - 1]
            else:
                text = lines[line - 1][column - 1:]
            before = lines[line - 1][:column - 1].strip() or lines[line - 2].strip()
            if before.endswith("switch ("): # no enumerator: the compiler adds that side
                continue
            for side, count in (("true", true), ("false", false)):
                key = (path.name, function_around(lines, line), text, side)
                taken[key] = taken.get(key, True) and count != 0
    return taken


def load():
    with LIST.open(newline="") as stream:
        return {tuple(row[column] for column in COLUMNS[:4]): row["why"]
                for row in csv.DictReader(stream)}


def check(build):
    """The branches that were seen, in words, and whether they are as they must be."""
    folder = build / "coverage"
    every = sides(counts(folder, profiles(folder)))
    never = {key for key, taken in every.items() if not taken}
    listed = load()
    wrong = sorted(never ^ listed.keys())
    for key in wrong:
        print(" ".join(key) + (": nothing takes it" if key in never else
                               f": it is taken, or is gone (listed: {listed[key]})"))
    seen = f"{len(every)} sides of conditions; {len(never)} never taken"
    return seen if not wrong else f"{seen}; {len(wrong)} not as listed", not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    seen, good = check((ROOT / parser.parse_args().build).resolve())
    print(seen)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
