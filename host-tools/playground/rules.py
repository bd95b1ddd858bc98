"""The lines of C++ of each tree's rule, taken out of the sources by the names of its functions.

The page and the poster show them; nothing of them is copied by hand. A function that is no longer
there, or is there twice, ends the build.
"""
import pathlib
import re
import sys

CORE = pathlib.Path(__file__).resolve().parents[2] / "firmware" / "core"
CUBE_SIMPLE, BALANCED = "cube/simple_trees.hpp", "cube/balanced_trees.hpp"
UHC_TREES, UHC_DISJOINT = "uhc/trees.hpp", "uhc/disjoint_trees.hpp"
# Of each tree the functions that say to whom a node sends, the shortest that tells it first; for
# some it is the one that says by whom a node is fed, and its neighbours ask it.
FUNCTIONS = {
    "sbt": [(CUBE_SIMPLE, "sbt_children")],
    "bs": [(CUBE_SIMPLE, "bs_children")],
    "hp": [(CUBE_SIMPLE, "hp_children")],
    "tcbt": [("cube/tcbt.hpp", "tcbt_children"), ("cube/tcbt.hpp", "TcbtPlace")],
    "msbt": [("cube/msbt.hpp", "msbt_children")],
    "msbt-rot": [("cube/msbt.hpp", "MsbtRotTree"), ("cube/msbt.hpp", "msbt_children")],
    "sbnt-minr": [(BALANCED, "minr_parent"), (BALANCED, "minr_fan")],
    "sbnt-maxl": [(BALANCED, "maxl_parent"), (BALANCED, "maxl_fan")],
    "sbnt-minbl": [(BALANCED, "minbl_parent"), (BALANCED, "SbntMinblTree")],
    "sbnt-maxbr": [(BALANCED, "SbntMaxbrTree")],
    "sbg": [(BALANCED, "sbg_parents"), (BALANCED, "SbgGraph")],
    "alt": [(BALANCED, "alt_parent"), (BALANCED, "AltTree")],
    "bt1": [(UHC_TREES, "bt1_children")],
    "bt1-counted": [("uhc/tagged_trees.hpp", "tagged_route")],
    "bt2": [("uhc/tagged_trees.hpp", "bt2_step")],
    "bt3": [(UHC_TREES, "section_children"), (UHC_TREES, "table_ports")],
    "bt4": [(UHC_TREES, "section_children"), (UHC_TREES, "table_ports")],
    "bts": [(UHC_TREES, "bts_children")],
    "adst": [(UHC_DISJOINT, "adst_children")],
    "ist": [(UHC_DISJOINT, "ist_children"), (UHC_DISJOINT, "ist_exchanged")],
    "spt": [("star/trees.hpp", "children"), ("star/trees.hpp", "parent_dimension")],
    "edt": [("star/trees.hpp", "edt_parent"), ("star/trees.hpp", "EdtExits")],
    "edt-v2": [("star/trees.hpp", "edt_parent"), ("star/trees.hpp", "EdtExits")],
}


def definition(text, name):
    """(line number, its comment, its lines) of a function or struct of namespaces."""
    lines = text.splitlines()
    begins = re.compile(rf"(?:\[\[.*\]\] )?constexpr .*[ &]{name}\(|struct {name}\b.*\{{")
    found = [at for at, line in enumerate(lines)
             if begins.match(line) and name in line and not line.endswith(";")]
    if len(found) != 1:
        raise SystemExit(f"{name}: defined {len(found)} times; host-tools/playground/rules.py "
                         "names it")
    begin = found[0]
    end = next(at for at in range(begin, len(lines)) if lines[at] in ("}", "};"))
    first = begin
    while first > 0 and lines[first - 1].startswith("///"):
        first -= 1
    return first + 1, lines[first:begin], lines[begin:end + 1]


def rule_of(tree, core=CORE):
    """[{"file", "line", "comment", "code"}] of a tree's rule."""
    parts = []
    for file, name in FUNCTIONS[tree]:
        line, comment, code = definition((core / file).read_text(), name)
        parts.append({"file": f"firmware/core/{file}", "line": line,
                      "comment": "\n".join(comment), "code": "\n".join(code)})
    return parts


def all_rules():
    return {tree: rule_of(tree) for tree in FUNCTIONS}


if __name__ == "__main__":
    for part in rule_of(sys.argv[1]):
        print(f"{part['file']}:{part['line']}\n{part['comment']}\n{part['code']}")
