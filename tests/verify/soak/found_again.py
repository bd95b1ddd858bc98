#!/usr/bin/env python3
"""Every fault that was ever found in kernel and collectives, put in again: does the soak find it?

Each mutant of SOAK (../model/mutants.py) takes one mend out; schedules of its kind run from seed 1
on until one fails, ten minutes at most. Writes the table of README.md.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests/verify/model"))
import mutants  # noqa: E402
from verify import MUTANT_LIBRARIES, build, changed  # noqa: E402

PAGE = ROOT / "tests/verify/soak/README.md"
BEGIN = "| taken out | kind | schedules | what fails then |\n|---|---|---|---|\n"
LIMIT_S = 600


def soak_of(folder, name, file, change):
    """The soak with one text of the firmware changed: the folder of that file is compiled anew, and
    stands in front of the library that has the unchanged one."""
    shutil.rmtree(folder, ignore_errors=True)
    tree = folder / "firmware"
    shutil.copytree(ROOT / "firmware", tree)
    text = tree / file
    text.write_text(changed(text.read_text(), change, name))
    sources = folder / "changed.cpp"
    sources.write_text("".join(f'#include "{source}"\n'
                               for source in sorted(text.parent.glob("*.cpp"))))
    objects = folder.parents[1] / "obj"
    return build(folder / "soak",
                 ["-I", tree, sources, *sorted((objects / "tests/verify/soak").glob("*.o")),
                  objects / "tests" / "kernel" / "call_sequence.o",
                  folder.parents[1] / "libmesh.a"], *MUTANT_LIBRARIES)


def found(program, kind, limit_s):
    """How many schedules until one fails, and what it says; None: none has failed."""
    done = subprocess.run([program, "--kind", kind, "--from", "1", "--seconds", str(limit_s),
                           "--failures", "1", "--whole"], capture_output=True, text=True,
                          check=False)
    count = int(re.search(r": (\d+) schedules", done.stdout)[1])
    failed = re.search(r"^FAILED: (.*)$", done.stdout, re.M)
    return count, re.sub(r"\d+", "N", failed[1]) if failed else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seconds", type=int, default=LIMIT_S, help="for each mutant")
    parser.add_argument("--only", help="mutants whose names have these words")
    options = parser.parse_args()
    folder = (ROOT / options.build / "host" / "tests" / "mutant").resolve()
    rows, missed = [], 0
    for name, (kind, file, *change) in mutants.SOAK.items():
        if options.only and options.only not in name:
            continue
        begin = time.monotonic()
        count, failure = found(soak_of(folder, name, file, change), kind, options.seconds)
        missed += failure is None
        rows.append(f"| {name} | `{kind}` | {count} | {failure or 'NOT FOUND'} |\n")
        print(f"{rows[-1].strip()} {time.monotonic() - begin:.0f} s", flush=True)
    if not options.only:
        page = PAGE.read_text()
        before, after = page.split(BEGIN)
        PAGE.write_text(before + BEGIN + "".join(rows) + re.sub(r"\A(?:\|.*\n)*", "", after))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
