"""The lines of C++ of each tree's rule, and of what each node does in an op without a tree, taken
out of the sources by the names of functions.

The page and the poster show them; nothing of them is copied by hand. A function that is no longer
there, or is there twice, ends the build.
"""
import pathlib
import re
import sys
import textwrap

FIRMWARE = pathlib.Path(__file__).resolve().parents[2] / "firmware"
CORE = FIRMWARE / "core"
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

DIMENSIONS, PASSES = "core/schedules/ascend_steps.hpp", "collectives/ascend.cpp"
PREFIXES = ("ops/prefix_sums.hpp", "add_prefixes")


def on(networks, *parts):
    return dict.fromkeys(networks.split(), parts)


# Of each op that has no tree: {network: functions, the shortest that tells it first}, for the
# networks that have the op. "Class::name" is a member.
OP_FUNCTIONS = {
    "scan": on("cube", ("collectives/scan.cpp", "combine_totals"),
               ("collectives/scan.cpp", "Doubling::next")) |
            on("uhc star", ("collectives/scan.cpp", "scan_numbers")),
    "send": on("cube", ("core/cube/hypercube.hpp", "Hypercube::next_hop")) |
            on("uhc", ("core/uhc/uni_hypercube.hpp", "UniHypercube::next_hop")) |
            on("star", ("core/star/graph.hpp", "StarGraph::next_hop")),
    "barrier": on("cube uhc star", ("collectives/barrier.cpp", "ports_of"),
                  ("collectives/barrier.cpp", "Meeting::next")),
    "ascend": on("cube uhc", PREFIXES, (PASSES, "do_round")),
    "descend": on("cube uhc", PREFIXES, (DIMENSIONS, "ascend_round"), (PASSES, "do_round")),
    "sort": on("cube uhc", (DIMENSIONS, "bitonic_keeps_smaller"),
               ("collectives/sort.cpp", "compare_split"), ("collectives/sort.cpp", "sort")),
    "fft": on("cube uhc", ("ops/fft.cpp", "butterflies"), ("ops/fft.cpp", "transform_inside")),
}


def definition(text, name):
    """(line number, its comment, its lines) of a function, struct or class of namespaces, or of a
    member function; of a template its line is with its lines."""
    lines, (scope, _, name) = text.splitlines(), name.rpartition("::")
    first, last, indent = 0, len(lines), ""
    if scope:
        first, comment, inside = definition(text, scope)
        first, last, indent = first - 1, first - 1 + len(comment) + len(inside), "    "
    returns = r"(?:(?:\[\[.*\]\] )?constexpr .*|(?:inline )?[\w:<>]+)"
    begins = re.compile(rf"{indent}{returns}[ &]{name}\(|{indent}(?:struct|class) {name}\b.*\{{")
    found = [at for at in range(first, last)
             if begins.match(lines[at]) and not re.search(r";$|^ *(return|co_\w+) ", lines[at])]
    if len(found) != 1:
        raise SystemExit(f"{name}: defined {len(found)} times; host-tools/playground/rules.py "
                         "names it")
    begin = found[0]
    end = next(at for at in range(begin, last) if lines[at] in (f"{indent}}}", f"{indent}}};"))
    if begin > 0 and lines[begin - 1].startswith(f"{indent}template <"):
        begin -= 1
    first = begin
    while first > 0 and lines[first - 1].startswith(f"{indent}//"):
        first -= 1
    return first + 1, lines[first:begin], lines[begin:end + 1]


def parts_of(functions, folder, name):
    """[{"file", "line", "comment", "code"}] of functions of a folder of this name."""
    parts = []
    for file, function in functions:
        line, comment, code = definition((folder / file).read_text(), function)
        parts.append({"file": f"{name}/{file}", "line": line,
                      "comment": textwrap.dedent("\n".join(comment)),
                      "code": textwrap.dedent("\n".join(code))})
    return parts


def rule_of(tree, core=CORE):
    """The functions of a tree's rule."""
    return parts_of(FUNCTIONS[tree], core, "firmware/core")


def all_rules():
    return {tree: rule_of(tree) for tree in FUNCTIONS}


def all_ops():
    """{op: {network: functions}} of the ops that have no tree."""
    return {op: {network: parts_of(functions, FIRMWARE, "firmware")
                 for network, functions in networks.items()}
            for op, networks in OP_FUNCTIONS.items()}


if __name__ == "__main__":
    for part in rule_of(sys.argv[1]):
        print(f"{part['file']}:{part['line']}\n{part['comment']}\n{part['code']}")
