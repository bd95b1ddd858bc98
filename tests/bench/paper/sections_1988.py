"""The tables and figures of Ho, Johnsson 1988, each a function of the document and the
measurements."""
import math
from fractions import Fraction

from data_1988 import TABLE1, TABLE2, ratio_bound
from sections_1986 import drawn, head_of_three, scatter_steps, transfer_and_startups

RATIO_DIM_MAX = 16


def table1(doc, measure):
    doc.item("Table 1", "subtree sizes of binomial and balanced trees")
    doc.say("Counted in the trees of the core; the mean is what each link of the root carries in "
            f"the balanced graph `sbg`. Largest minus smallest is B-1{doc.note('E31')}.")
    balanced = measure.census("sbnt-minr", 2, 20)
    binomial = measure.census("sbt", 2, 20)
    graph = measure.census("sbg", 2, 20)
    counts, shares = [], []
    for dim, cyclic, necklaces, sbt, most, least, mean, factor in TABLE1:
        if dim not in balanced:
            continue
        sizes = balanced[dim]["subtree_sizes"]
        loads = set(graph[dim]["root_load_times_dim"])
        share = loads.pop() / dim if len(loads) == 1 else None

        def same(name, printed, measured, dim=dim):
            return doc.cell(name, dim, printed, printed, measured)
        counts.append([dim, *same("A", cyclic, balanced[dim]["cyclic_nodes"]),
                       *same("B", necklaces, balanced[dim]["degenerate_necklaces"]),
                       *same("SBT(max)", sbt, max(binomial[dim]["subtree_sizes"]))])
        shares.append([dim, *same("SBnT(max)", most, max(sizes)),
                       *same("SBnT(min)", least, min(sizes)),
                       *doc.cell("max - min = B - 1", dim, None, necklaces - 1,
                                 max(sizes) - min(sizes)),
                       *same("(N-1)/n", mean, share and f"{share:.2f}"),
                       *same("factor", factor, share and f"{max(sizes) / share:.2f}")])
    doc.table(head_of_three(["n"], ["A", "B", "SBT(max)"]), counts)
    doc.table(head_of_three(["n"], ["SBnT(max)", "SBnT(min)", "max-min", "(N-1)/n", "factor"]),
              shares)


def table2(doc, measure):
    doc.item("Table 2", "complexity of communication over balanced trees")
    doc.say("T = transfer * M t_c + start-ups * tau with packets of any size; both are measured "
            "apart, one with tau = 0, the other with t_c = 0. Each printed entry is compared with "
            f"the tree and with the graph{doc.note('E27')}.")
    rows = []
    for entry in TABLE2:
        for dim in measure.dims(2, 3, 4, 5, 6, 8):
            transfer, startups = transfer_and_startups(measure, entry.op, entry, dim)
            line = [entry.name, dim, measure.engine(dim)]
            line += doc.cell(f"{entry.name}, transfer", dim, entry.printed_transfer(dim),
                             entry.transfer(dim), transfer, entry.note)
            line += doc.cell(f"{entry.name}, start-ups", dim, entry.printed_startups(dim),
                             entry.startups(dim), startups, entry.startups_note)
            rows.append(line)
    doc.table(["case", "printed"], [[entry.name, entry.printed] for entry in TABLE2])
    doc.table(head_of_three(["case", "n", "engine"], ["transfer", "start-ups"]), rows)


def figure5(doc, measure):
    doc.item("Figure 5", "subtree sizes of SBT and SBnT")
    doc.say("The sizes of table 1 (its values and their comparison stand there), with the bounds "
            "N/(n+2) and 2N/(n+2) of theorem 1.")
    balanced = measure.census("sbnt-minr", 2, 20)
    binomial = measure.census("sbt", 2, 20)
    rows = []
    for dim in balanced:
        sizes = balanced[dim]["subtree_sizes"]
        low, high = Fraction(2 ** dim, dim + 2), Fraction(2 ** (dim + 1), dim + 2)
        inside = all(low <= size <= high for size in sizes)
        rows.append([dim, f"{float(low):.2f}", min(sizes), max(sizes), f"{float(high):.2f}",
                     *doc.cell("sizes within the bounds", dim, "yes", "yes",
                               "yes" if inside else "no")])
    doc.table(["n", "N/(n+2)", "SBnT(min)", "SBnT(max)", "2N/(n+2)", "within: printed",
               "corrected", "measured"], rows)
    series = [
        ("SBT, largest", [(n, max(row["subtree_sizes"])) for n, row in binomial.items()],
         drawn("linespoints", 1)),
        ("SBnT, largest", [(n, max(row["subtree_sizes"])) for n, row in balanced.items()],
         drawn("linespoints", 2)),
        ("SBnT, smallest", [(n, min(row["subtree_sizes"])) for n, row in balanced.items()],
         drawn("linespoints", 3)),
        ("bounds of theorem 1", [(n, 2 ** n / (n + 2)) for n in balanced], drawn("lines", 4, True)),
        ("", [(n, 2 ** (n + 1) / (n + 2)) for n in balanced], drawn("lines", 4, True)),
    ]
    doc.figure("figure-5", "Nodes in a subtree of the root", ("n", "nodes"), series, "y")


def figure6(doc, measure):
    doc.item("Figure 6", "cyclic nodes of each level of subtree 0")
    doc.say("Ratio of cyclic nodes to all nodes at level l, 1 <= l < n, counted in the tree of "
            "the core. Printed are the bound of theorem 3 (here its largest value over all "
            f"levels, and 4/(4+n), which it must not exceed){doc.note('E18')}, the conjecture "
            "that no ratio exceeds 2/n, and for even n the value 2/n at levels 2 and n-2"
            f"{doc.note('E17')}. In the figure each point is the number n, above 9 a letter.")
    rows, labels = [], []
    census = measure.census("sbnt-minr", 2, RATIO_DIM_MAX)
    for dim, counted in census.items():
        levels = counted["first_subtree_levels"]
        ratios = {level: Fraction(levels[level]["cyclic"], levels[level]["nodes"])
                  for level in range(1, dim)}
        sign = "0123456789ABCDEFG"[dim]
        labels += [(level, float(ratio), sign) for level, ratio in ratios.items() if ratio]
        most = max(ratios.values())
        even = dim % 2 == 0 and dim > 2
        above = sum(ratio > ratio_bound(dim, level, math.ceil)
                    for level, ratio in ratios.items())
        bounds = [max(ratio_bound(dim, level, rounding) for level in ratios)
                  for rounding in (math.floor, math.ceil)]
        limit = Fraction(2, dim)
        row = [dim, *doc.cell("largest ratio", dim, limit, limit, most, least=0)]
        for level in (2, dim - 2):
            row += (doc.cell(f"ratio at level {level}", dim, limit, limit, ratios[level])
                    if even else ["-"] * 3)
        row += doc.cell("theorem 3", dim, *bounds, most, "E18", least=0)
        row += [Fraction(4, 4 + dim)]
        row += doc.cell("levels above their bound", dim, 0, 0, above)
        rows.append(row)
    doc.table(head_of_three(["n"], ["largest ratio", "level 2", "level n-2", "theorem 3"])
              + ["4/(4+n)"] + head_of_three([], ["levels above their bound"]), rows)
    doc.figure("figure-6", "Share of cyclic nodes in subtree 0", ("level", "ratio"),
               [("n", labels, "with labels"),
                ("", [(level, 0) for level in range(1, RATIO_DIM_MAX)], "with dots")])


def figure11(doc, measure):
    doc.item("Figure 11", "one-to-all personalised communication with SBnT and SBT")
    scatter_steps(doc, measure, "figure-11", measure.dims(*range(2, 11)))


SECTIONS = (table1, table2, figure5, figure6, figure11)
