#!/usr/bin/python3
"""Sets of faults that copies over disjoint trees must survive: fault_sets.py MESH WORDS

WORDS: topology, dim, op, engine, number of sets; e.g. "star 5 alltoall sim 300". Each set follows
from its number: copies (2 or more, over the first tree of the op), one dead node or cable less than
copies, dead from a random moment on. Prints what failed with the command that repeats it, and the
totals. Exit status: 0 every living node had everything in every run, else 1.
"""
import random
import subprocess
import sys

TREES = {"star": ("edt",), "uhc": ("ist", "adst"), "cube": ("edt",)}
LIMIT_S = 1800


def command(mesh, topology, dim, op, engine, number):
    draw = random.Random(f"{topology} {dim} {op} {number}")
    most = dim // 2 if topology == "uhc" else dim - 1
    copies = draw.randint(2, most)
    dead = draw.randint(0, copies - 1)
    faults = [f"{kind}:random@random x{count}"
              for kind, count in (("kill", dead), ("cut", copies - 1 - dead)) if count]
    tree = draw.choice(TREES[topology])
    return [mesh, "run", "--engine", engine, "--topology", topology, "--dim", dim, "--op", op,
            "--tree", tree, "--copies", copies, "--bytes", 64, "--packet", 16, "--lockstep",
            "--faults", ",".join(faults), "--seed", number, "--timeout", 600]


def survive(mesh, words):
    """The result in words, and whether the run survived every set."""
    topology, dim, op, engine, sets = words.split()
    failed = []
    for number in range(1, int(sets) + 1):
        line = [str(word) for word in command(mesh, topology, int(dim), op, engine, number)]
        done = subprocess.run(line, capture_output=True, text=True, timeout=LIMIT_S)
        if done.returncode:
            failed.append(f"{' '.join(line)}\n{done.stdout}{done.stderr}")
    for text in failed:
        print(text)
    return f"{sets} sets, {len(failed)} failed", not failed


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    seen, good = survive(*sys.argv[1:])
    print(seen)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
