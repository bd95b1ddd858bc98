#!/usr/bin/python3
"""The proof that forwarding cannot deadlock, and that it needs what it supposes; the proof that a
link keeps order for any window; and the proofs of the trees for every size: `make proof`.

    check_proof.py [--build FOLDER] [--save-tables | --save-mutants]

coqc checks Network.v, Theorems.v, Kinds.v, Flow.v and Windows.v, with no axiom and nothing left
out. Then each mutant of Network.v must break Theorems.v, and Coq must prove its counterexample: a
network that can come about and is stuck. So for Flow.v and Windows.v. The link is check_link.py's,
the trees are check_trees.py's; mutants of what theorems say are check_statements.py's. Prints a
line for each check. Exit status: 0 all is so, else 1. With --save-tables it writes tables.csv only,
with --save-mutants the table of MUTANTS.md.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

import check_link
import check_statements
import check_trees
import coq

HERE = pathlib.Path(__file__).resolve().parent
FILES = ("Network", "Theorems", "Kinds", "Flow", "Windows")
PAGE = HERE / "MUTANTS.md"

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
FLOW_MUTANTS = {
    "a word counts its own node only": ("Deaf", [
        ("t v = total \\/ (forall w, child v w -> n <= h w) ->", "True ->")]),
    "a window does not count packets of earlier calls": ("Deaf", [
        ("s + earlier < h v + window", "s + 0 * earlier < h v + window")]),
}


def files():
    return [HERE / f"{file}.v" for file in FILES]


def theorems():
    """All theorems of forwarding, by their names."""
    return coq.theorems(files())


def check_proof(folder):
    """The error in the proof; an empty text if there is none."""
    return coq.check_theorems(folder, files(), theorems())


def check_mutant(folder, changed, proof, counterexample, changes):
    """The error in the check of the mutant; an empty text if the mutant is found."""
    needed = ["Three"] if changed == "Network" else ["Three", "Chain"]
    files = [HERE / f"{file}.v" for file in dict.fromkeys(("Network", changed))]
    files += [HERE / "mutants" / f"{file}.v" for file in (*needed, counterexample)]
    return coq.breaks(folder, [*files, HERE / f"{proof}.v"], changed, changes, proof)


def mutants_table():
    """The rows of MUTANTS.md: each mutant, what it changes, and what it is found by."""
    def code(text):
        return "`" + " ".join(text.split()).replace("|", "\\|") + "`"

    def row(proof, name, file, changes, found):
        changed = [f"{code(before)} becomes {code(after)}" if after else f"without {code(before)}"
                   for before, after in changes]
        return f"| {proof} | {name} | {file} | {'; '.join(changed)} | {found} |"

    rows = ["| proof | mutant | file | what is changed | found by |", "|---|---|---|---|---|"]
    for proof, folder, file, table in (
            ("forwarding", "", "Network.v", MUTANTS), ("forwarding", "", "Flow.v", FLOW_MUTANTS),
            ("link", "link/", "Window.v", check_link.MUTANTS),
            ("link", "link/", "Ends.v", check_link.SESSION_MUTANTS)):
        rows += [row(proof, name, f"`{folder}{file}`", changes, f"`{folder}mutants/{case}.v`")
                 for name, (case, changes) in table.items()]
    rows += [row("trees", name, "`trees/Rules.v`", changes, f"`{claim}`; breaks `trees/{proof}.v`")
             for name, (proof, claim, changes) in check_trees.MUTANTS.items()]
    for (file, theorem), table in check_statements.MUTANTS.items():
        folder = check_statements.PROOFS[file][0]
        folder, proof = ("", "forwarding") if folder == "." else (f"{folder}/", folder)
        rows += [row(proof, name, f"`{folder}{file}.v`, `{theorem}`", changes,
                     f"`{folder}mutants/{case}.v`") for name, (case, changes) in table.items()]
    return rows


def jobs(folder):
    """Part, what, observation if all is well, function and its arguments: of each check."""
    jobs = [("proof", f"{len(theorems())} theorems", "no axiom, nothing left out", check_proof,
             (folder / "proof",))]
    for table, where in ((MUTANTS, ("Network", "Theorems")), (FLOW_MUTANTS, ("Flow", "Windows"))):
        for name, (file, changes) in table.items():
            jobs.append(("mutant of the proof", name, f"found: {file}.v is reachable",
                         check_mutant, (folder / f"mutant{len(jobs)}", *where, file, changes)))
    return [*jobs, *check_link.jobs(folder), *check_trees.jobs(folder),
            *check_statements.jobs(folder)]


def checks(build):
    """Yields part, what, observation, whether it is right, seconds: for each, as they end."""
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
        yield from pool.map(timed, jobs(pathlib.Path(build).resolve() / "proof"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--save-tables", action="store_true")
    parser.add_argument("--save-mutants", action="store_true")
    options = parser.parse_args()
    if options.save_mutants:
        text = PAGE.read_text()
        PAGE.write_text(text[:text.index(mutants_table()[0])] + "\n".join(mutants_table()) + "\n")
        return 0
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
