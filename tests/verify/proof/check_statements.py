"""That the theorems of the proofs say no more than they must, and suppose no more: a part of `make
proof`.

Each mutant is the statement of a theorem without one of the things that it supposes, or with more
in what follows. Coq must prove that this is wrong, by a case in which it does not hold. The
statement is read from the theorem's file, so it is the theorem's own but for the change.
"""
import pathlib

import coq

HERE = pathlib.Path(__file__).resolve().parent

# Folder of the theorem, and the files that its statement and the cases need.
PROOFS = {
    "Theorems": (".", ("Network",), ("Three",)),
    "Kinds": (".", ("Network",), ("Three",)),
    "Windows": (".", ("Network", "Flow"), ("Three", "Chain")),
    "Order": ("link", ("Window",), ("Try",)),
    "Wrap": ("link", (), ()),
    "Bt1": ("trees", ("Rules", "Cube", "Uhc", "Disjoint"), ()),
    "Uhc": ("trees", ("Rules", "Cube"), ()),
    "Paths": ("trees", ("Rules", "Cube"), ()),
    "Sizes": ("trees", ("Rules", "Cube", "Sbnt"), ()),
}

# File and name of a theorem; name of the mutant: file of the case, in mutants/ beside the theorem's
# file, and the change of the statement. What a section of the file supposes stands in front of the
# statement, in parentheses.
MUTANTS = {
    ("Theorems", "no_deadlock"): {
        "all of the packets may wait for processes": ("Waiting", [("~ Forall waits a -> ", "")]),
        "one is ready beside all others, too": ("Crowded", [("ready a e", "ready s e")]),
    },
    ("Theorems", "buffers_suffice"): {
        "one buffer is never used": ("Last_buffer", [
            ("reserved v s <= size v", "reserved v s < size v")]),
    },
    ("Theorems", "ready_does"): {
        "something happens to any packet": ("Stuck", [("ready s e -> ", "")]),
    },
    ("Theorems", "comes_to_rest"): {
        "nothing is left in the end": ("Left_over", [("Forall waits t", "t = []")]),
    },
    ("Kinds", "all_kinds_descend"): {
        "the way back need not be counted": ("Question", [("answer <= back -> ", "")]),
        "pools may be of any size": ("No_room", [("(forall w, out + back <= room w) -> ", "")]),
    },
    ("Windows", "window_is_kept"): {
        "earlier calls left any number of packets": (
            "Earlier", [("(earlier <= window) -> ", "")]),
        "a node holds less than a window": ("Whole_window", [
            ("taken f u <= window", "taken f u < window")]),
    },
    ("Windows", "gate_waits_for_all"): {
        "all packets of a gate may be sent": ("All_sent", [("sent f < total -> ", "")]),
    },
    ("Order", "taken_once_in_order"): {
        "no packet overtakes another one": ("In_order", [
            ("orderly (taken (to l))", "(exists n, taken (to l) = seq begin n)")]),
    },
    ("Order", "like_packets_are_a_queue"): {
        "packets that need different buffers are a queue, too": ("Queue", [
            ("(forall i j, need i = need j) -> ", "")]),
    },
    ("Order", "told_was_taken"): {
        "all that is taken is known to the sender": ("Unknown", [
            ("exists more, taken (to l) = told (from l) ++ more", "taken (to l) = told (from l)")]),
    },
    ("Order", "nothing_is_lost"): {
        "the window is larger than an acknowledgement": ("Fates", [
            ("(window <= fates_told) -> ", "")]),
    },
    ("Wrap", "difference_is_known"): {
        "a frame is 2^15 numbers ahead": ("Half", [("expected < 2 ^ 15", "expected <= 2 ^ 15")]),
    },
    ("Wrap", "count_is_known"): {
        "an acknowledgement is late at will": ("Far_behind", [
            ("- 2 ^ 15 <= upto - base <= in_flight", "upto - base <= in_flight")]),
    },
    ("Bt1", "bt1_spans"): {
        "bt1 for odd dimensions": ("Odd", [("(n = 2 * (n / 2)) -> ", "")]),
    },
    ("Uhc", "bts_crosses_links_the_right_way"): {
        "bts for one dimension": ("One_dimension", [("2 <= n -> ", "")]),
    },
    ("Paths", "path_arrives"): {
        "a path from a node to itself": ("No_way", [("0 < weight n r -> ", "")]),
    },
    ("Paths", "path_length_most"): {
        "no path is longer than the cube has dimensions": ("Longest", [
            ("if n =? 1 then 1 else n + 1", "n")]),
    },
    ("Paths", "paths_are_disjoint"): {
        "a path has nothing in common with itself": ("Itself", [("k <> l -> ", "")]),
    },
    ("Sizes", "sizes_fall"): {
        "each subtree is smaller than the one before": ("Alike", [
            ("size (S j) <= size j", "size (S j) < size j")]),
    },
}


def check_mutant(folder, file, theorem, case, changes):
    """The error in the check of the mutant; an empty text if it is found wrong."""
    where, below, help_files = PROOFS[file]
    return coq.denied(folder, [HERE / where / f"{name}.v" for name in (*below, file)],
                      [HERE / where / "mutants" / f"{name}.v" for name in (*help_files, case)],
                      theorem, changes)


def jobs(folder):
    """Part, what, observation if all is well, function and its arguments: of each check."""
    number = 0
    for (file, theorem), table in MUTANTS.items():
        for name, (case, changes) in table.items():
            number += 1
            yield ("mutant of a theorem", name, f"not so: {case}.v", check_mutant,
                   (folder / f"statement{number}", file, theorem, case, changes))
