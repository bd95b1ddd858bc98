"""The proof that a link keeps what it promises within its sessions and over them, for any window,
see README.md: a part of `make proof`.

Coq checks link/ with no axiom and nothing left out. Each mutant of the protocol must break the
proof, and Coq must prove its counterexample: frames in such an order that a promise is broken.
"""
import pathlib

import coq

HERE = pathlib.Path(__file__).resolve().parent
FILES = ("Window", "Order", "Ends", "Sessions", "Wrap")

# Name of the mutant: file of the counterexample in link/mutants/, and the change of Window.v; or of
# Ends.v, where sessions are at stake.
MUTANTS = {
    "accepts a duplicate": ("Again", [
        ("if number =? expected r then", "if number <=? expected r then")]),
    "accepts behind a gap": ("Gap", [
        ("if number =? expected r then", "if expected r <=? number then")]),
    "ignores the epoch": ("Epoch", [("Some e' => eqb e e'", "Some _ => false")]),
    "begins the next epoch while frames are in flight": ("Early", [
        ("| [], true => Sender (base s) [] (negb", "| f, true => Sender (base s) f (negb")]),
    "turns refused packets round": ("Round", [
        ("(back s ++ came_back (flight s) now)", "(came_back (flight s) now ++ back s)")]),
    "loses a refused packet": ("Lost", [("(back s ++ came_back (flight s) now)", "(back s)")]),
    "acknowledges what it has not": ("Ahead", [("Ack (expected r)", "Ack (S (expected r))")]),
    "picks a packet before others that fit": ("Overtake", [
        ("(forall q, In q before -> free < need q) -> ", "")]),
}
SESSION_MUTANTS = {
    "takes no next number": ("Number", [
        ("gives_up m m' t u : m < m'", "gives_up m m' t u : m <= m'")]),
    "begins anew with its last number": ("Number", [
        ("begins_anew m m' t u : m < m'", "begins_anew m m' t u : m <= m'")]),
}


def files():
    return [HERE / "link" / f"{file}.v" for file in FILES]


def theorems():
    """All theorems of link/, by their names."""
    return coq.theorems(files())


def check_proof(folder):
    """The error in the proofs; an empty text if there is none."""
    return coq.check_theorems(folder, files(), theorems())


def check_mutant(folder, changed, proof, counterexample, changes):
    """The error in the check of the mutant; an empty text if it is found."""
    files = [HERE / "link" / f"{file}.v" for file in (
        ("Window",) if proof == "Order" else ("Window", "Order", "Ends"))]
    files += [HERE / "link" / "mutants" / f"{file}.v" for file in ("Try", counterexample)]
    return coq.breaks(folder, [*files, HERE / "link" / f"{proof}.v"], changed, changes, proof)


def jobs(folder):
    """Part, what, observation if all is well, function and its arguments: of each check."""
    yield ("proof of the link", f"{len(theorems())} theorems", "no axiom, nothing left out",
           check_proof, (folder / "link",))
    number = 0
    for table, where in ((MUTANTS, ("Window", "Order")), (SESSION_MUTANTS, ("Ends", "Sessions"))):
        for name, (file, changes) in table.items():
            number += 1
            yield ("mutant of the proof of the link", name, f"found: {file}.v comes about",
                   check_mutant, (folder / f"link{number}", *where, file, changes))
