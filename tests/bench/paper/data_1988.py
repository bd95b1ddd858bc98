"""Ho, Johnsson 1988 (Yale TR-611): the printed values, and the right ones."""
import dataclasses
import math
from fractions import Fraction
from typing import Callable

from data_1986 import SUBTREE_MAX, SUBTREES_IN_TURN

KEY = "ho-johnsson-1988"
TITLE = "Ho, Johnsson: Spanning balanced trees in Boolean cubes (1988), measured"

NOTES = {
    "E17": "Printed as levels 2 and \"l-2\"; the level meant is n-2.",
    "E18": "The bound of theorem 3 is 1/(1+max(ceil((n-l)/2), floor(l/2))) <= 4/(4+n). With the "
           "rounding down of l/2 the inequality is false, for example for n = 5, l = 3; with "
           "ceil(l/2), as in the paper's summary, it is true, and so is the sharper bound. The "
           "conjecture 2/n is true as far as it was tried.",
    "E26": "In the tree, cycle t uses dimension t mod n in all N translated trees at once and the "
           "last label is 2n-3: 2n-2 cycles. The printed 2n-1 is what the graph SBG needs.",
    "E27": "Exact for the graph SBG, whose links of the root are loaded alike. In the tree cyclic "
           "addresses make subtree 0 larger, which sets the time; personalised all to all, level "
           "by level, the busiest dimension of each level counts.",
    "E31": "B counts the necklace of 0 too, so subtree 0 exceeds the smallest by B-1.",
    "T2": "Printed as an upper bound; its O() is shown with the constant 2 of 1986. The exact "
          "value is the sum over all cycles of the largest packet in each.",
}

# Table 1: n, A (cyclic nodes), B (degenerate necklaces), SBT(max), SBnT(max), SBnT(min),
# (N-1)/n, factor.
TABLE1 = (
    (2, 2, 2, 2, 2, 1, "1.50", "1.33"), (3, 2, 2, 4, 3, 2, "2.33", "1.29"),
    (4, 4, 3, 8, 5, 3, "3.75", "1.33"), (5, 2, 2, 16, 7, 6, "6.20", "1.13"),
    (6, 10, 5, 32, 13, 9, "10.50", "1.24"), (7, 2, 2, 64, 19, 18, "18.14", "1.05"),
    (8, 16, 6, 128, 35, 30, "31.88", "1.10"), (9, 8, 4, 256, 59, 56, "56.78", "1.04"),
    (10, 34, 9, 512, 107, 99, "102.30", "1.05"), (11, 2, 2, 1024, 187, 186, "186.09", "1.00"),
    (12, 76, 17, 2048, 351, 335, "341.25", "1.03"), (13, 2, 2, 4096, 631, 630, "630.08", "1.00"),
    (14, 130, 21, 8192, 1181, 1161, "1170.21", "1.01"),
    (15, 38, 10, 16384, 2191, 2182, "2184.47", "1.00"),
    (16, 256, 36, 32768, 4115, 4080, "4095.94", "1.00"),
    (17, 2, 2, 65536, 7711, 7710, "7710.06", "1.00"),
    (18, 568, 70, 131072, 14601, 14532, "14563.50", "1.00"),
    (19, 2, 2, 262144, 27595, 27594, "27594.05", "1.00"),
    (20, 1036, 111, 524288, 52487, 52377, "52428.75", "1.00"),
)

# All to all, personalised, all ports, level by level over the tree: n = 2..12.
TREE_LEVELS = {2: 3, 3: 6, 4: 11, 5: 20, 6: 39, 7: 70, 8: 138, 9: 264, 10: 532, 11: 1034, 12: 2093}


@dataclasses.dataclass(frozen=True)
class Complexity:
    """An entry of table 2, for the tree or the graph: transfer in units of M t_c, start-ups."""
    name: str
    op: str
    tree: str
    ports: str
    schedule: str
    printed: str
    printed_transfer: Callable
    transfer: Callable
    printed_startups: Callable
    startups: Callable
    note: str = ""
    startups_note: str = ""


def mean(n):
    return float(f"{(2 ** n - 1) / n:.6g}")


def _bound(n):
    return float(f"{2 ** n * (1 + 2 * math.log2(n) / n):.1f}")


def _half(n):
    return n * 2 ** n // 2


_GRAPH = {"schedule": "level", "printed_startups": lambda n: n, "startups": lambda n: n}
_PORT = {"schedule": "subtree", "printed_startups": lambda n: 2 * n - 1, "startups_note": "E26"}
TABLE2 = (
    Complexity("one-port, one-to-all personalised, SBnT", "scatter", "sbnt-minr", "duplex",
               "subtree", "N(1+O(log n/n)) M t_c + (2n-2) tau", _bound,
               lambda n: SUBTREES_IN_TURN[n], lambda n: 2 * n - 2, lambda n: 2 * n - 2, "T2"),
    Complexity("one-port, all-to-all broadcast, SBnT", "allgather", "sbnt-minr", "duplex",
               printed="(N-1) M t_c + (2n-1) tau", printed_transfer=lambda n: 2 ** n - 1,
               transfer=lambda n: 2 ** n - 1, startups=lambda n: 2 * n - 2, **_PORT),
    Complexity("one-port, all-to-all broadcast, SBG", "allgather", "sbg", "duplex",
               printed="(N-1) M t_c + (2n-1) tau", printed_transfer=lambda n: 2 ** n - 1,
               transfer=lambda n: 2 ** n - 1, startups=lambda n: 2 * n - 1, **_PORT),
    Complexity("one-port, all-to-all personalised, SBnT", "alltoall", "sbnt-minr", "duplex",
               printed="nN/2 M t_c + (2n-1) tau", printed_transfer=_half, transfer=_half,
               startups=lambda n: 2 * n - 2, **_PORT),
    Complexity("one-port, all-to-all personalised, SBG", "alltoall", "sbg", "duplex",
               printed="nN/2 M t_c + (2n-1) tau", printed_transfer=_half, transfer=_half,
               startups=lambda n: 2 * n - 1, **_PORT),
    Complexity("n-port, one-to-all personalised, SBG", "scatter", "sbg", "all",
               printed="(N-1)/n M t_c + n tau", printed_transfer=mean, transfer=mean, **_GRAPH),
    Complexity("n-port, one-to-all personalised, SBnT", "scatter", "sbnt-minr", "all",
               printed="(N-1)/n M t_c + n tau", printed_transfer=mean,
               transfer=lambda n: SUBTREE_MAX[n], note="E27", **_GRAPH),
    Complexity("n-port, all-to-all broadcast, SBG", "allgather", "sbg", "all",
               printed="(N-1)/n M t_c + n tau", printed_transfer=mean, transfer=mean, **_GRAPH),
    Complexity("n-port, all-to-all broadcast, SBnT", "allgather", "sbnt-minr", "all",
               printed="(N-1)/n M t_c + n tau", printed_transfer=mean,
               transfer=lambda n: SUBTREE_MAX[n], note="E27", **_GRAPH),
    Complexity("n-port, all-to-all personalised, SBG", "alltoall", "sbg", "all",
               printed="N/2 M t_c + n tau", printed_transfer=lambda n: 2 ** n // 2,
               transfer=lambda n: 2 ** n // 2, **_GRAPH),
    Complexity("n-port, all-to-all personalised, SBnT", "alltoall", "sbnt-minr", "all",
               printed="N/2 M t_c + n tau", printed_transfer=lambda n: 2 ** n // 2,
               transfer=lambda n: TREE_LEVELS[n], note="E27", **_GRAPH),
)


def ratio_bound(n, level, rounding):
    """Theorem 3: most of a level of a subtree that can be cyclic. `rounding` of l/2."""
    return Fraction(1, 1 + max(math.ceil((n - level) / 2), rounding(level / 2)))
