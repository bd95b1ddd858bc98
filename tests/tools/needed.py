"""The targets of make for the cases whose names have some words: `needed.py BUILD WORDS`.

Prints targets: the GoogleTest programs of the cases, or what all whole runs need, or everything,
where it cannot be told (a tree in which nothing has been made yet).
"""
import os
import re
import subprocess
import sys

EVERYTHING = "test-all-programs"


KINDS = {"test_claim": "host", "test_claim_with_sanitizers": "asan"}


def targets_of(case, build):
    """For a case as pytest names it below tests/."""
    program = re.match(r"test_googletest\.py::(\w+)\[(\w+)\.", case)
    if program:
        return {f"{build}/{KINDS[program[1]]}/tests/{program[2]}"}
    if case.startswith("mesh/"):
        return {"test-all-images", "programs"}
    return {EVERYTHING}


def targets(build, words):
    """The set of targets for make."""
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--collect-only", "-k", words,
                           "tests"], capture_output=True, text=True,
                          env={**os.environ, "BUILD": build})
    cases = [line for line in done.stdout.splitlines() if re.match(r"[\w/]+\.py::", line)]
    if done.returncode != 0 or not cases:
        return {EVERYTHING}
    found = set().union(*(targets_of(case, build) for case in cases))
    return {EVERYTHING} if EVERYTHING in found else found


if __name__ == "__main__":
    print(*sorted(targets(*sys.argv[1:])))
