#!/usr/bin/python3
"""The proof that forwarding cannot deadlock, and that it needs what it supposes; and the proofs of
the trees for every size: `make proof`.

    check_proof.py [--build FOLDER] [--save-tables]

coqc checks Network.v, Theorems.v and Kinds.v, with no axiom and nothing left out. Then each mutant
of Network.v must break Theorems.v, and Coq must prove its counterexample: a network that can come
about and is stuck. The trees are check_trees.py's. Prints a line for each check. Exit status: 0 all
is so, else 1. With --save-tables it writes tables.csv only.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

import check_trees
import coq

HERE = pathlib.Path(__file__).resolve().parent
FILES = ("Network", "Theorems", "Kinds")
THEOREMS = ("Theorems.buffers_suffice", "Theorems.no_deadlock", "Theorems.ready_does",
            "Theorems.comes_to_rest", "Kinds.all_kinds_descend")

TURNS = """does (newer ++ Buffer v r (Packet b [] (Some (who, q))) :: older)
         (newer ++ Buffer v r q :: older)"""
TURNS_ANEW = """takes v (newer ++ Buffer v r (Packet b [] (Some (who, q))) :: older) q ->
    does (newer ++ Buffer v r (Packet b [] (Some (who, q))) :: older)
         (Buffer v false q :: newer ++ older)"""

# Name of the mutant: file of the counterexample in mutants/, and the change of Network.v.
MUTANTS = {
    "admits one packet too many": ("Full", [
        ("takes v s p := bound p < free v s",
         "takes v s p := 0 < free v s /\\ bound p <= free v s")]),
    "admits while there is a buffer": ("Full", [
        ("takes v s p := bound p < free v s", "takes v s (p : packet) := 0 < free v s")]),
    "starts while there is a buffer": ("Full", [
        ("descends p -> takes v s p -> step", "descends p -> 0 < free v s -> step")]),
    "a bound does not get smaller": ("Circle", [
        ("bound q < b /\\ bound q", "bound q <= b /\\ bound q")]),
    "a bound does not count the way back": ("Way_back", [
        ("bound q <= b /\\ descends q", "descends q")]),
    "goes where pools are too small": ("Small", [("bound q < room w /\\", "0 < room w /\\")]),
    "an answer waits for a buffer of its own": ("Answer", [(TURNS, TURNS_ANEW), (
        "can_answer v r b q :", "can_answer v r b q : takes v s q ->")]),
    "a process waits for the buffer of its word": ("Answer", [(TURNS, TURNS_ANEW), (
        "is_taken v b q :", "is_taken v b q : takes v s q ->")]),
    "admission is closed while words wait": ("Closed", [
        ("takes v s p := bound p < free v s",
         "takes v s p := bound p < free v s /\\ (reserve v = 0 \\/ reserved v s < reserve v)")]),
    "offers that wait are used buffers like others": ("Lying", [
        ("then negb r else false", "then true else false"),
        ("room v := size v - reserve v", "room v := size v - 0 * reserve v")]),
    "the word of an offer leaves the reserve": ("Word", [
        ("(newer ++ Buffer v r q :: older)", "(newer ++ Buffer v false q :: older)")]),
    "any number of offers may wait": ("Unlimited", [
        ("keeps v s := reserved v s < reserve v", "keeps v (s : network) := 0 < reserve v")]),
    "a link tries its first packet only": ("First", [
        ("takes w s q -> ready", "takes w s q -> hd_error (queue v w s) = Some q -> ready"),
        ("Inductive ready ", """Definition queue v w (s : network) := flat_map (fun e => match e
  with Buffer u _ (Packet _ copies _) => if node_eq u v then flat_map (fun c =>
    if node_eq (fst c) w then [snd c] else []) copies else [] end) (rev s).
Inductive ready """)]),
}


def check_proof(folder):
    """The error in the proof; an empty text if there is none."""
    coq.fresh_folder(folder, [HERE / f"{file}.v" for file in FILES])
    return coq.check_theorems(folder, FILES, THEOREMS)


def check_mutant(folder, counterexample, changes):
    """The error in the check of the mutant; an empty text if the mutant is found."""
    sources = [HERE / f"{file}.v" for file in FILES]
    sources += [HERE / "mutants" / f"{file}.v" for file in ("Three", counterexample)]
    coq.fresh_folder(folder, sources)
    if wrong := coq.change_file(folder / "Network.v", changes):
        return wrong
    for file in ("Network", "Three", counterexample):
        if wrong := coq.compile_file(folder, file):
            return f"{file}.v: {wrong}"
    return "" if coq.compile_file(folder, "Theorems") else "Theorems.v holds for it"


def checks(build):
    """Yields part, what, observation, whether it is right, seconds: for each, as they end."""
    folder = pathlib.Path(build).resolve() / "proof"
    jobs = [("proof", f"{len(THEOREMS)} theorems", "no axiom, nothing left out", check_proof,
             (folder / "proof",))]
    for number, (name, (file, changes)) in enumerate(MUTANTS.items()):
        jobs.append(("mutant of the proof", name, f"found: {file}.v is reachable", check_mutant,
                     (folder / f"mutant{number}", file, changes)))
    jobs += check_trees.jobs(folder)

    def timed(job):
        begin = time.monotonic()
        part, what, seen, check, arguments = job
        try:
            wrong = check(*arguments)
        except (OSError, subprocess.TimeoutExpired) as failure:
            wrong = str(failure)
        said = " ".join(wrong.split())[:300]
        return part, what, said or seen, not wrong, time.monotonic() - begin

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from pool.map(timed, jobs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--save-tables", action="store_true")
    options = parser.parse_args()
    if options.save_tables:
        check_trees.save_tables(pathlib.Path(options.build).resolve() / "proof" / "tables")
        return 0
    failed = 0
    for part, what, seen, good, seconds in checks(options.build):
        print(f"{'ok    ' if good else 'FAILED'} {part}: {what}: {seen} ({seconds:.1f} s)",
              flush=True)
        failed += not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
