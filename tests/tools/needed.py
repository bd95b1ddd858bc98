"""The targets of make for the cases whose names have some words: `needed.py [--gate] BUILD WORDS`.

Prints targets: the GoogleTest programs of the cases, what whole runs need, or everything, where it
cannot be told (a tree in which nothing has been made yet).
"""
import argparse
import os
import re
import subprocess
import sys

KINDS = {"test_claim": "host", "test_claim_with_sanitizers": "asan"}
# Cases of whole runs, and those that meet the images and the toolkit alone.
RUNS = re.compile(r"(?:mesh|target|embed|compile_fail)/|test_(?:house|make|compilers)\.py|"
                  r"bench/test_counts\.py")


def targets_of(case, build, gate):
    """For a case as pytest names it below tests/."""
    program = re.match(r"test_googletest\.py::(\w+)\[(\w+)\.", case)
    if program:
        return {f"{build}/{KINDS[program[1]]}/tests/{program[2]}"}
    if not gate:
        return {"test-all-images", "programs"} if case.startswith("mesh/") else everything(gate)
    if RUNS.match(case):
        return {"test-images", "programs", "compile_commands.json", "manuals"}
    return everything(gate)


def everything(gate):
    return {"test-programs" if gate else "test-all-programs"}


def targets(build, words, gate=False):
    """The set of targets for make."""
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--collect-only", "-k", words,
                           *(["--gate"] if gate else []), "tests"], capture_output=True, text=True,
                          env={**os.environ, "BUILD": build})
    cases = [line for line in done.stdout.splitlines() if re.match(r"[\w/]+\.py::", line)]
    if done.returncode != 0 or not cases:
        return everything(gate)
    found = set().union(*(targets_of(case, build, gate) for case in cases))
    return everything(gate) if everything(gate) <= found else found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("build")
    parser.add_argument("words")
    options = parser.parse_args()
    print(*sorted(targets(options.build, options.words, options.gate)))
