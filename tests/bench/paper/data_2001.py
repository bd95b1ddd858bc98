"""Huang, Yang, Tseng 2001: the printed values, and the right ones.

n = dimension; P = L/B packets; ports: duplex = one send and one receive at a time (the paper's
one-port), all. The paper's beta is tau here, its tau is t_c, its L is M.
"""
from data_1986 import Broadcast, Cost
from measure import networks

KEY = "huang-yang-tseng-2001"
TITLE = ("Huang, Yang, Tseng: Broadcasting on uni-directional hypercubes and its applications "
         "(2001), measured")
PORTS = {"duplex": "one port", "all": "all ports"}

NOTES = {
    "E14": "Printed for one port: the all-port formula with the height replaced by the steps T of "
           "one packet. But a source with n/2 children sends every packet n/2 times, so each "
           "further packet takes n/2 steps, not one. Only for n = 2 are the two the same.",
    "E17": "For n = 2 the height is 3: the leaf that would add a level is the source itself.",
}

EVEN = (2, 4, 6, 8, 10, 12)
TREES = {"bt1": "BT1", "bt2": "BT2", "bt3": "BT3", "adst": "ADST", "bt1-counted": "BT1 (counted)",
         "bts": "BTS", "bt4": "BT4", "ist": "IST"}
PRINTED_TREES = ("bt1", "bt2", "bt3", "adst")

# No tree can do it in fewer: so many nodes can be so deep after so many steps.
ONE_PORT_BOUND = dict(zip(EVEN, (3, 6, 8, 10, 13, 15)))


def _sixths(n, whole):
    """x1 and x2: whole steps for every six dimensions, 3/2 for each that is left."""
    return n // 6 * whole + n % 6 // 2 * 3


PRINTED = {
    ("bt1", "duplex"): ("3n/2", lambda n: 3 * n // 2),
    ("bt2", "duplex"): ("3n/2", lambda n: 3 * n // 2),
    ("bt3", "duplex"): ("x1 = 4/3 (n - n mod 6) + 3/2 (n mod 6)", lambda n: _sixths(n, 8)),
    ("bt1", "all"): ("3n/2", lambda n: 3 * n // 2),
    ("bt2", "all"): ("n+1", lambda n: n + 1),
    ("bt3", "all"): ("x2 = 7/6 (n - n mod 6) + 3/2 (n mod 6)", lambda n: _sixths(n, 7)),
    ("adst", "all"): ("x3 = 3n/2 + (n mod 4)/2", lambda n: 3 * n // 2 + n % 4 // 2),
}


def one_packet(tree, ports, n, root):
    """Steps of one packet; None where there is no figure to compare with."""
    if ports != "all" and tree in networks.UHC_DISJOINT:
        return None
    return networks.uhc_one_packet(tree, ports, n, root)


def printed(tree, ports, n):
    """The constant evaluation model's column; the paper gives no number for odd n."""
    entry = PRINTED.get((tree, ports))
    return entry[1](n) if entry and n % 2 == 0 else None


def _row(tree, ports):
    """One packet follows another through the tree. One port: n/2 steps later."""
    text, steps = PRINTED[tree, ports]
    name = text.split(" =")[0]
    less = "n" if name == "n+1" else f"({name}-1)"
    table = {"printed": f"P + {less.strip('()')}", "best": f"sqrt(M tau/({less} t_c))",
             "least": f"(sqrt(M t_c)+sqrt({less} tau))^2"}
    right = {"corrected": table["printed"], "best_corrected": table["best"],
             "least_corrected": table["least"]}
    if ports == "duplex":
        right = {"corrected": f"P n/2 + {name}-n/2",
                 "best_corrected": f"sqrt(M tau n/((2 {name}-n) t_c))",
                 "least_corrected": f"(sqrt(M t_c n/2)+sqrt(({name}-n/2) tau))^2"}

    def cost(n):
        each = n // 2 if ports == "duplex" else 1
        return Cost(each, one_packet(tree, ports, n, 0) - each)
    return Broadcast(f"{TREES[tree]}, {PORTS[ports]}", tree, ports,
                     printed_cost=lambda n: Cost(1, steps(n) - 1), cost=cost, note="E14",
                     topology="uhc", **table, **right)


def _disjoint(case, shared, copies):
    """ADST: the packets divide among n/2 trees, or each packet takes all of them."""
    steps = PRINTED["adst", "all"][1]
    part = "/(n/2)" if shared else ""
    table = {"printed": f"P{part} + x3-1", "best": f"sqrt(M{part} tau/((x3-1) t_c))",
             "least": f"(sqrt(M{part} t_c)+sqrt((x3-1) tau))^2"}
    right = {"corrected": table["printed"], "best_corrected": table["best"],
             "least_corrected": table["least"]}

    def trees(n):
        return n // 2 if shared else 1
    return Broadcast(f"ADST, {case}, all ports", "adst", "all",
                     printed_cost=lambda n: Cost(1, steps(n) - 1, trees(n)),
                     cost=lambda n: Cost(1, one_packet("adst", "all", n, 0) - 1, trees(n)),
                     note="E17", topology="uhc", copies=copies, case=case, **table, **right)


TABLE1 = (*(_row(tree, ports) for ports in ("duplex", "all") for tree in ("bt1", "bt2", "bt3")),
          _disjoint("f = 0", True, lambda n: 1),
          _disjoint("f = n/2-1", False, lambda n: n // 2))
