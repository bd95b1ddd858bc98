"""The targets of make for the cases whose names have some words: `needed.py [--gate] BUILD WORDS`.

Prints targets: the GoogleTest programs of the cases, what whole runs need (of the boards and the
programs that the cases name, with --gate), or everything, where it cannot be told (a tree in which
nothing has been made yet).
"""
import argparse
import ast
import functools
import os
import pathlib
import re
import subprocess
import sys

import boards

TESTS = pathlib.Path(__file__).resolve().parents[1]
KINDS = {"test_claim": "host", "test_claim_with_sanitizers": "asan"}
# Cases of whole runs, and those that meet the images and the toolkit alone.
RUNS = re.compile(r"(?:mesh|target|embed|compile_fail)/|test_(?:house|make|compilers)\.py|"
                  r"bench/test_counts\.py")
PROGRAM = re.compile(r'\bprogram\(f?"([^"]*)"\)')


@functools.cache
def functions_of(file):
    """The text of each function of a file of cases, by its name."""
    text = file.read_text()
    return {node.name: ast.get_source_segment(text, node) for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef)}


def boards_of(file, function, words, build):
    """The default board, and those that the case names."""
    told = functions_of(file)[function] + words
    return {boards.default(build), *(name for name in boards.names(build)
                                     if re.search(rf"(?<![\w/]){name}(?![\w/])", told))}


def programs_of(file, words):
    """The programs that the file names, and those that the words of the case name in its place."""
    sources = [*TESTS.glob("mesh/programs/*.c*"), *TESTS.glob("mesh/mpi/*.c")]
    there = {("mpi/" if source.suffix == ".c" and source.parent.name == "mpi" else "") + source.stem
             for source in sources}
    parts = re.split(r"[-\[\] ]", words)
    named = {*PROGRAM.findall(file.read_text()), *parts, *(f"mpi/{part}" for part in parts)}
    return named & there


def targets_of(case, build, gate):
    """For a case as pytest names it below tests/."""
    program = re.match(r"test_googletest\.py::(\w+)\[(\w+)\.", case)
    if program:
        return {f"{build}/{KINDS[program[1]]}/tests/{program[2]}"}
    if not gate:
        return {"test-all-images", "programs"} if case.startswith("mesh/") else everything(gate)
    name = re.match(r"([\w/]+\.py)::(\w+)(.*)", case)
    if not RUNS.match(case) or not name:
        return everything(gate)
    file, function, words = TESTS / name[1], name[2], name[3]
    return {"compile_commands.json", "manuals",
            *(f"tested-{board}" for board in boards_of(file, function, words, build)),
            *(f"{build}/programs/{program}" for program in programs_of(file, words))}


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
