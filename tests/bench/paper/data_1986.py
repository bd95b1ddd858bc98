"""Ho, Johnsson 1986 (Yale TR-483): the printed values, and the right ones.

n = log N; P = ceil(M/B) packets; ports: half = one send or receive, duplex = one send and receive.
"""
import dataclasses
import fractions
import math
from typing import Callable

KEY = "ho-johnsson-1986"
TITLE = ("Ho, Johnsson: Distributed routing algorithms for broadcasting and personalized "
         "communication in hypercubes (1986), measured")
PORTS = {"half": "1 s or r", "duplex": "1 s & r", "all": "all ports"}

NOTES = {
    "E2": "A path of N nodes has N-1 links. The last node therefore has the first packet after N-1 "
          "steps and one more in each step from then on, which makes P+N-2. The printed N-3 is one "
          "short for every P, and at P = 1 it contradicts table 1.",
    "E3": "The other rows are for one packet; with one port this one is for n packets, one down "
          "each of the n trees, and is measured so. A single packet needs n+1 steps under every "
          "port model.",
    "E6": "Level by level, deepest first, the busiest links carry N/4, N/4, N/8, ..., 1 units, "
          "which sum to 3N/4-1. Whole subtrees at once take 3N/2-n-1. The printed value is "
          "neither; its 3/2 is probably a misprint of 3/4.",
    "E9": "In the smallest cube that has one, no node below the source has two children, so "
          "nothing ever waits for a second send: 2P steps.",
    "E12": "Printed as an approximation. Exactly, the time is set by the largest subtree of the "
           "root, which cyclic addresses make larger than the mean.",
    "T4": "A limit for large n and extreme message sizes. The middle column is the ratio of the "
          "corrected formulas at the n, M, B, tau and t_c of the run, which the run must meet.",
    "F7": "A limit for P much larger than n. With P packets it is nP/(P+n) with one send and one "
          "receive at a time, nP/(2P+n-1) where a node does only one of the two, and "
          "(P+n-1)/(ceil(P/n)+n) with all ports, which for 60 packets is far from n.",
    "T6": "Printed as an upper bound. The middle column is exact: the sum over all cycles of the "
          "largest packet in each.",
}


@dataclasses.dataclass(frozen=True)
class Cost:
    """steps(P) = each * ceil(P / shared) + delay."""
    each: int
    delay: int
    shared: int = 1

    def steps(self, packets):
        return self.each * math.ceil(packets / self.shared) + self.delay

    def per_packet(self):
        return fractions.Fraction(self.each, self.shared)

    def time_min(self, size, tau, tc):
        """T_min: the time at the packet size at which start-ups and transfers balance."""
        if self.delay == 0:  # one packet is best
            return self.each * (size * tc / self.shared + tau)
        return (math.sqrt(self.each * size * tc / self.shared) + math.sqrt(self.delay * tau)) ** 2

    def balance(self, packets):
        """The tau, in transfer times of one packet, at which so many packets are best."""
        return self.delay * self.shared / (self.each * packets)


@dataclasses.dataclass(frozen=True)
class Broadcast:
    """A row of table 3; of tables 1 and 2 too. copies(n): disjoint trees that carry each packet."""
    name: str
    tree: str
    ports: str
    printed: str
    corrected: str
    printed_cost: Callable
    cost: Callable
    note: str = ""
    best: str = ""  # B_opt as printed
    best_corrected: str = ""
    least: str = ""  # T_min as printed
    least_corrected: str = ""
    topology: str = "cube"
    copies: Callable = lambda n: 1
    case: str = ""

    def key(self):
        """Its name in the record of values."""
        return f"{self.tree} {self.ports}{self.case and ', ' + self.case}"


def _row(name, tree, ports, text, cost, best, least, note="", **printed):
    return Broadcast(name, tree, ports, printed.get("printed", text), text,
                     printed.get("printed_cost", cost), cost, note,
                     printed.get("printed_best", best), best,
                     printed.get("printed_least", least), least)


def _tcbt_half(n):
    return Cost(2, 0) if n == 2 else Cost(3, 2 * n - 5)


TABLE3 = (
    _row("HP, 1 s or r", "hp", "half", "2P+N-3", lambda n: Cost(2, 2 ** n - 3),
         "sqrt(2M tau/((N-3)t_c))", "(sqrt(2M t_c)+sqrt((N-3)tau))^2"),
    _row("HP, 1 s & r", "hp", "duplex", "P+N-2", lambda n: Cost(1, 2 ** n - 2),
         "sqrt(M tau/((N-2)t_c))", "(sqrt(M t_c)+sqrt((N-2)tau))^2", "E2", printed="P+N-3",
         printed_cost=lambda n: Cost(1, 2 ** n - 3), printed_best="sqrt(M tau/((N-3)t_c))",
         printed_least="(sqrt(M t_c)+sqrt((N-3)tau))^2"),
    _row("SBT, 1 port (s or r)", "sbt", "half", "nP", lambda n: Cost(n, 0), "M", "n(M t_c+tau)"),
    _row("SBT, 1 port (s & r)", "sbt", "duplex", "nP", lambda n: Cost(n, 0), "M", "n(M t_c+tau)"),
    _row("SBT, all ports", "sbt", "all", "P+n-1", lambda n: Cost(1, n - 1),
         "sqrt(M tau/((n-1)t_c))", "(sqrt(M t_c)+sqrt((n-1)tau))^2"),
    _row("TCBT, 1 s or r", "tcbt", "half", "3P+2n-5 (n = 2: 2P)", _tcbt_half,
         "sqrt(3M tau/((2n-5)t_c))", "(sqrt(3M t_c)+sqrt((2n-5)tau))^2", "E9",
         printed="3P+2n-5", printed_cost=lambda n: Cost(3, 2 * n - 5)),
    _row("TCBT, 1 s & r", "tcbt", "duplex", "2(P+n-2)", lambda n: Cost(2, 2 * (n - 2)),
         "sqrt(M tau/((n-2)t_c))", "2(sqrt(M t_c)+sqrt((n-2)tau))^2"),
    _row("TCBT, all ports", "tcbt", "all", "P+n-1", lambda n: Cost(1, n - 1),
         "sqrt(M tau/((n-1)t_c))", "(sqrt(M t_c)+sqrt((n-1)tau))^2"),
    _row("MSBT, 1 s or r", "msbt", "half", "2P+n-1", lambda n: Cost(2, n - 1),
         "sqrt(2M tau/((n-1)t_c))", "(sqrt(2M t_c)+sqrt((n-1)tau))^2"),
    _row("MSBT, 1 s & r", "msbt", "duplex", "P+n", lambda n: Cost(1, n), "sqrt(M tau/(n t_c))",
         "(sqrt(M t_c)+sqrt(n tau))^2"),
    _row("MSBT, all ports", "msbt", "all", "ceil(P/n)+n", lambda n: Cost(1, n, n),
         "sqrt(M tau/t_c)/n", "(sqrt(M t_c/n)+sqrt(n tau))^2"),
)


def row_of(tree, ports):
    return next(row for row in TABLE3 if (row.tree, row.ports) == (tree, ports))


TREES = {"hp": "HP", "sbt": "SBT", "tcbt": "TCBT", "msbt": "MSBT"}

# Printed steps until one packet (msbt with one port: n packets) has reached every node.
TABLE1 = {
    ("hp", "half"): ("N-1", lambda n: 2 ** n - 1),
    ("hp", "duplex"): ("N-1", lambda n: 2 ** n - 1),
    ("hp", "all"): ("N-1", lambda n: 2 ** n - 1),
    ("sbt", "half"): ("n", lambda n: n),
    ("sbt", "duplex"): ("n", lambda n: n),
    ("sbt", "all"): ("n", lambda n: n),
    ("tcbt", "half"): ("2n-2", lambda n: 2 * n - 2),
    ("tcbt", "duplex"): ("2n-2", lambda n: 2 * n - 2),
    ("tcbt", "all"): ("n", lambda n: n),
    ("msbt", "half"): ("3n-1", lambda n: 3 * n - 1),
    ("msbt", "duplex"): ("2n", lambda n: 2 * n),
    ("msbt", "all"): ("n+1", lambda n: n + 1),
}

# Printed cycles per further packet.
TABLE2 = {
    ("hp", "half"): ("2", lambda n: 2), ("hp", "duplex"): ("1", lambda n: 1),
    ("hp", "all"): ("1", lambda n: 1),
    ("sbt", "half"): ("n", lambda n: n), ("sbt", "duplex"): ("n", lambda n: n),
    ("sbt", "all"): ("1", lambda n: 1),
    ("tcbt", "half"): ("3", lambda n: 3), ("tcbt", "duplex"): ("2", lambda n: 2),
    ("tcbt", "all"): ("1", lambda n: 1),
    ("msbt", "half"): ("2", lambda n: 2), ("msbt", "duplex"): ("1", lambda n: 1),
    ("msbt", "all"): ("1/n", lambda n: fractions.Fraction(1, n)),
}
# HP with all ports has no row in table 3; it is the same as with one send and one receive.
HP_ALL = lambda n: Cost(1, 2 ** n - 2)  # noqa: E731


def cost_of(tree, ports):
    return HP_ALL if (tree, ports) == ("hp", "all") else row_of(tree, ports).cost


# Table 4, ratios to msbt: tree, ports, then as printed: one packet, M/B >> n, and B = B_opt with
# n tau >> M t_c and n tau << M t_c.
_ONE_SBT = ("n/(n+1)", lambda n: fractions.Fraction(n, n + 1))
_ONE_TCBT = ("(2n-2)/(n+1)", lambda n: fractions.Fraction(2 * n - 2, n + 1))
TABLE4 = (
    ("sbt", "half", (_ONE_SBT, ("n/2", lambda n: n / 2), ("1", lambda n: 1.0),
                     ("n/2", lambda n: n / 2))),
    ("tcbt", "half", (_ONE_TCBT, ("1.5", lambda n: 1.5), ("2", lambda n: 2.0),
                      ("1.5", lambda n: 1.5))),
    ("sbt", "duplex", (_ONE_SBT, ("n", float), ("1", lambda n: 1.0), ("n", float))),
    ("tcbt", "duplex", (_ONE_TCBT, ("2", lambda n: 2.0), ("2", lambda n: 2.0),
                        ("2", lambda n: 2.0))),
    ("sbt", "all", (_ONE_SBT, ("n", float), ("1", lambda n: 1.0), ("n", float))),
    ("tcbt", "all", (_ONE_SBT, ("n", float), ("1", lambda n: 1.0), ("n", float))),
)

# Table 5: n, BST(max), (N-1)/log N, ratio.
TABLE5 = (
    (2, 2, "1.50", "1.33"), (3, 3, "2.33", "1.29"), (4, 5, "3.75", "1.33"),
    (5, 7, "6.20", "1.13"), (6, 13, "10.50", "1.24"), (7, 19, "18.14", "1.05"),
    (8, 35, "31.88", "1.10"), (9, 59, "56.78", "1.04"), (10, 107, "102.30", "1.05"),
    (11, 187, "186.09", "1.00"), (12, 351, "341.25", "1.03"), (13, 631, "630.08", "1.00"),
    (14, 1181, "1170.21", "1.01"), (15, 2191, "2184.47", "1.00"), (16, 4115, "4095.94", "1.00"),
    (17, 7711, "7710.06", "1.00"), (18, 14601, "14563.50", "1.00"), (19, 27595, "27594.05", "1.00"),
    (20, 52487, "52428.75", "1.00"),
)
SUBTREE_MAX = {row[0]: row[1] for row in TABLE5}

# Largest packet of each one-port cycle, summed, when the balanced tree sends whole subtrees.
SUBTREES_IN_TURN = {2: 3, 3: 8, 4: 18, 5: 38, 6: 76, 7: 153, 8: 300, 9: 595, 10: 1169, 11: 2317,
                    12: 4568}


@dataclasses.dataclass(frozen=True)
class Personalised:
    """A row of table 6: transfer in units of M t_c, start-ups in tau."""
    name: str
    tree: str
    ports: str
    schedule: str
    printed: str
    printed_transfer: Callable
    corrected: str
    transfer: Callable
    startups: tuple
    note: str = ""


TABLE6 = (
    Personalised("SBT, 1 port", "sbt", "duplex", "subtree", "N-1", lambda n: 2 ** n - 1, "N-1",
                 lambda n: 2 ** n - 1, ("n", lambda n: n)),
    Personalised("SBT, all ports", "sbt", "all", "level", "N/2", lambda n: 2 ** n // 2, "N/2",
                 lambda n: 2 ** n // 2, ("n", lambda n: n)),
    Personalised("TCBT, 1 port", "tcbt", "duplex", "subtree", "2N-2n-1",
                 lambda n: 2 * 2 ** n - 2 * n - 1, "2N-2n-1", lambda n: 2 * 2 ** n - 2 * n - 1,
                 ("2n-2", lambda n: 2 * n - 2)),
    Personalised("TCBT, all ports", "tcbt", "all", "level", "3N/2-1",
                 lambda n: 3 * 2 ** n // 2 - 1, "3N/4-1", lambda n: 3 * 2 ** n // 4 - 1,
                 ("n", lambda n: n), "E6"),
    Personalised("BST, 1 port", "sbnt-minr", "duplex", "subtree", "N(1+2 log n/n)",
                 lambda n: float(f"{2 ** n * (1 + 2 * math.log2(n) / n):.1f}"),
                 "sum of largest packets", lambda n: SUBTREES_IN_TURN[n],
                 ("2n-2", lambda n: 2 * n - 2), "T6"),
    Personalised("BST, all ports", "sbnt-minr", "all", "level", "(N-1)/n",
                 lambda n: float(f"{(2 ** n - 1) / n:.2f}"), "BST(max)", lambda n: SUBTREE_MAX[n],
                 ("n", lambda n: n), "E12"),
)
