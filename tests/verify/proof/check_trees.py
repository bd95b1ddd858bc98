"""The proofs of the trees and paths for every size, see README.md: a part of `make proof`.

Coq checks trees/ with no axiom and nothing left out. The rules that the theorems are about are
functions that Coq can run: their tables must have the checksums of tables.csv, which tests compare
with the code. Each mutant of a rule must break the proof, and have a small network in which what it
breaks can be seen.
"""
import pathlib
import re

import coq

HERE = pathlib.Path(__file__).resolve().parent
FILES = ("Rules", "Cube", "Sbt", "Msbt", "Sbnt", "Sizes", "Paths", "Uhc", "Disjoint", "Bt1", "Star",
         "Spt", "Tables")
TABLES = HERE / "tables.csv"
# Network, function of Tables.v, and its sizes. Tables of the UHC have the trees of an even root,
# then those of an odd one.
PRINTED = {"sbt": ("cube", "sbt_table", range(1, 11)), "bs": ("cube", "bs_table", range(1, 11)),
           "msbt": ("cube", "msbt_table", range(1, 11)),
           "msbt-rot": ("cube", "rot_table", range(1, 11)),
           "sbnt-minr": ("cube", "sbnt_table", range(1, 11)),
           "bts": ("uhc", "bts_table", range(2, 11)),
           "bt1": ("uhc", "bt1_table", range(2, 11, 2)),
           "adst": ("uhc", "adst_table", range(2, 11, 2)),
           "ist": ("uhc", "ist_table", range(2, 11)), "spt": ("star", "spt_table", range(3, 7)),
           "edt": ("star", "edt_table", range(3, 7)),
           "edt-v2": ("star", "edt_v2_table", range(3, 7)),
           "disjoint": ("cube", "path_table", range(1, 7))}

# Name of the mutant: the file of the proof that must break, behind all that this file needs, which
# must hold; the claim of Tables.v that must be wrong in a small network; the change of Rules.v.
MUTANTS = {
    "sbt sends over all zeroes": ("Sbt", "sbt_agrees", [
        ("Definition sbt_children n (y : node) := zeroes_above n y 0.",
         "Definition sbt_children n (y : node) := filter (fun k => negb (y k)) (seq 0 n).")]),
    "sbt has its parent across the lowest one": ("Sbt", "sbt_agrees", [
        ("Definition sbt_parent n (y : node) := highest n y.",
         "Definition sbt_parent n (y : node) := lowest n y.")]),
    "sbt is one link less high": ("Sbt", "sbt_spans", [
        ("Definition sbt_height (n : nat) := n.", "Definition sbt_height (n : nat) := n - 1.")]),
    "bs sends back by the arrival port": ("Sbt", "bs_is_sbt", [
        ("| Some q => seq (S q) (n - S q) end.", "| Some q => seq q (n - q) end.")]),
    "a leaf of msbt hangs across another one": ("Msbt", "msbt_trees_share_no_link", [
        ("then back n j (highest n (turn n y j)) else j.",
         "then back n j (highest n (turn n y j)) else back n j 1.")]),
    "msbt has its parent across the next one above": ("Msbt", "msbt_agrees", [
        ("if turn n y j 0 then back n j (highest n (turn n y j)) else j.",
         "if turn n y j 0 then back n j (lowest n (flip (turn n y j) 0)) else j.")]),
    "all inner nodes of msbt have a leaf": ("Msbt", "msbt_agrees", [
        ("++ if weight n turned =? 1 then [] else [0])", "++ [0])")]),
    "msbt is no higher than sbt": ("Msbt", "msbt_spans", [
        ("Definition msbt_height n := if n =? 1 then 1 else n + 1.",
         "Definition msbt_height (n : nat) := n.")]),
    "leaves of msbt get a packet at once": ("Msbt", "msbt_steps_rise", [
        ("then highest n (turn n y j) else n.", "then highest n (turn n y j) else 0.")]),
    "sbnt takes the greatest rotation": ("Sbnt", "sbnt_parent_in_subtree", [
        ("if less n (turn n y c) (turn n y best)", "if less n (turn n y best) (turn n y c)")]),
    "sbnt has its parent across the lowest one": ("Sbnt", "sbnt_parent_in_subtree", [
        ("back n (base n y) (highest n (turn n y (base n y))).",
         "back n (base n y) (lowest n (turn n y (base n y))).")]),
    "sbnt sends over all leading zeroes": ("Sbnt", "sbnt_agrees", [
        ("filter (fun q => base n (flip y q) =? base n y)", "filter (fun _ => true)")]),
    "a path crosses from the lowest dimension on": ("Paths", "paths_are_disjoint", [
        ("then left r c else between r c k) k.",
                                                 "then left r c else between r c k) 0.")]),
    "a detour is given up before the end": ("Paths", "paths_are_disjoint", [
        ("left r c i && (r k || negb (i =? k)).", "left r c i && true.")]),
    "a detour is one link longer": ("Paths", "paths_are_disjoint", [
        ("else weight n r + 2.", "else weight n r + 1.")]),
    "bts crosses the highest bit first": ("Uhc", "bts_agrees", [
        ("else lowest n (foreign n o y).", "else highest n (foreign n o y).")]),
    "bts crosses its own dimensions": ("Uhc", "bts_path", [
        ("then highest n (fun d => negb (sends n o y d))", "then highest n (own n o y)")]),
    "bts stops at the top dimension, too": ("Uhc", "bts_agrees", [
        ("own n o y d && negb (d =? highest n (sends n o y))) in", "own n o y d) in")]),
    "bts is as high in odd dimensions as in even ones": ("Uhc", "bts_spans", [
        ("Definition bts_height n := n + 1 + n mod 2.", "Definition bts_height n := n + 1.")]),
    "bt1 crosses the lowest bit": ("Bt1", "bt1_crosses_links_the_right_way", [
        ("Definition bt1_parent n o (y : node) := in_port n o y (lowest n y / 2).",
         "Definition bt1_parent n (o : bool) (y : node) := lowest n y.")]),
    "bt1 is no higher than the network's diameter": ("Bt1", "bt1_spans", [
        ("Definition bt1_height n := n / 2 * 3.", "Definition bt1_height n := n + 1.")]),
    "all trees of adst pass on": ("Disjoint", "adst_trees_share_no_link", [
        ("(if differs y j then next_above (n / 2) (differs y) j else j)",
         "(next_above (n / 2) (differs y) j)")]),
    "one of two trees of ist is exchanged": ("Disjoint", "ist_trees_share_no_link", [
        ("if j =? x then z else if j =? z then x else j", "if j =? x then z else j")]),
    "all trees of ist pass on": ("Disjoint", "ist_trees_share_no_link", [
        ("if foreign n o y i then next_above n (foreign n o y) i else i.",
         "next_above n (foreign n o y) i.")]),
    "spt never sends the first symbol home": ("Star", "spt_spans", [
        ("then star_first n p (place 1) else p 1.",
         "then star_first n p (place 1) else star_first n p 1.")]),
    "spt is as high as the star has dimensions": ("Spt", "spt_spans", [
        ("Definition spt_height n := 3 * (n - 1) / 2.", "Definition spt_height n := n - 1.")]),
    "edt knows no exception for the first symbol": ("Star", "edt_trees_share_no_link", [
        ("  else if l =? edt_over_home n v2 p place then place 1\n", "")]),
    "edt-v2 exchanges one row only": ("Star", "edt_trees_share_no_link", [
        ("=? k) then f else x.", "=? k) then x else x.")]),
}


def files():
    return [HERE / "trees" / f"{file}.v" for file in FILES]


def theorems():
    """All theorems of trees/, by their names."""
    return coq.theorems(files())


def checksum(table):
    """That of Tables.v, of a list of lists of lists of numbers."""
    value = 0
    for rows in table:
        for numbers in rows:
            for token in (*(number + 2 for number in numbers), 1):
                value = (value * 1000003 + token) % 2**63
        value = value * 1000003 % 2**63
    return f"{value:016x}"


def known_tables():
    """Rule and dimension: checksum of its table."""
    rows = (line.split(",") for line in TABLES.read_text().splitlines()[1:])
    return {(rule, int(dim)): value for rule, dim, value in rows}


def printed_tables(folder):
    """The same, as Coq prints them."""
    asked = [(rule, dim, f"checksum ({function} {dim})")
             for rule, (_, function, sizes) in PRINTED.items() for dim in sizes]
    values = coq.evaluate(folder, "Tables", [term for _, _, term in asked])
    return {(rule, dim): f"{int(value.split('%')[0], 0):016x}"
            for (rule, dim, _), value in zip(asked, values, strict=True)}


def check_proof(folder):
    """The error in the proofs; an empty text if there is none."""
    return coq.check_theorems(folder, files(), theorems())


def check_tables(folder):
    """What differs between the rules of the proof and those of the code, as far as tables go."""
    coq.fresh_folder(folder, files())
    if wrong := coq.compile_file(folder, "Rules", "-vos"):
        return wrong
    known, printed = known_tables(), printed_tables(folder)
    differ = sorted(key for key in known.keys() | printed if known.get(key) != printed.get(key))
    if differ:
        return f"not the tables of tables.csv: {differ}"
    refuted, = coq.evaluate(folder, "Tables", ["refuted 5 every_claim"])
    return "" if refuted == "None" else f"wrong by trying: {refuted}"


def needed(file):
    """The files that a file needs, each behind those that it needs, and itself."""
    found = re.search(r"^From Proof Require Import ([\w ]+)\.$", file.read_text(), re.M)
    below = [needed(file.with_name(f"{name}.v")) for name in (found[1].split() if found else ())]
    return list(dict.fromkeys([*(each for files_of in below for each in files_of), file]))


def check_mutant(folder, file, claim, changes):
    """The error in the check of the mutant; an empty text if it is found."""
    coq.fresh_folder(folder, [])
    shown = folder / "Shown.v"
    shown.write_text("Require Import List.\nImport ListNotations.\n"
                     "From Proof Require Import Rules Tables.\n"
                     f"Theorem found : if refuted 4 [{claim}] then True else False.\n"
                     "Proof. vm_compute. exact I. Qed.\n")
    proofs = [each for each in needed(HERE / "trees" / f"{file}.v") if each.stem != "Rules"]
    return coq.breaks(folder, [HERE / "trees" / "Rules.v", HERE / "trees" / "Tables.v", shown,
                               *proofs], "Rules", changes, file)


def jobs(folder):
    """Part, what, observation if all is well, function and its arguments: of each check."""
    yield ("proof of the trees", f"{len(theorems())} theorems", "no axiom, nothing left out",
           check_proof, (folder / "trees",))
    yield ("proof of the trees", f"{len(known_tables())} tables", "those of the code", check_tables,
           (folder / "tables",))
    for number, (name, (file, claim, changes)) in enumerate(MUTANTS.items()):
        yield ("mutant of the trees", name, f"found: {claim}", check_mutant,
               (folder / f"tree{number}", file, claim, changes))


def save_tables(folder):
    """Writes tables.csv anew, from what Coq prints."""
    coq.fresh_folder(folder, files())
    if wrong := coq.compile_file(folder, "Rules", "-vos"):
        raise OSError(wrong)
    lines = [f"{rule},{dim},{value}" for (rule, dim), value in printed_tables(folder).items()]
    TABLES.write_text("\n".join(["rule,dim,checksum", *lines, ""]))
