"""Step counts, from the corrected tables of the papers, independent of the tool.

P packets, n dimensions, N = 2^n nodes. Nothing (None) where the papers give no figure.
"""
import fractions
import math

TREES = ("sbt", "bs", "hp", "tcbt", "msbt")
PORTS = ("all", "duplex", "half")

BALANCED = ("sbnt-minr", "sbnt-maxl", "sbnt-minbl", "sbnt-maxbr")
PERSONAL_TREES = ("sbt", "tcbt", *BALANCED, "sbg")
CYCLES = ("level", "subtree")
# Nodes in the largest subtree of an SBnT, n = 1..12. (ho-johnsson-1988, table 1)
SBNT_MAX = (1, 2, 3, 5, 7, 13, 19, 35, 59, 107, 187, 351)
# Its maxl level by level; lemma 17's sums of largest packets; all-to-all level by level.
MAXL_LEVELS = (1, 2, 3, 5, 7, 13, 20, 38, 64, 119, 211, 401)
LEMMA_17 = (1, 3, 8, 18, 38, 76, 153, 300, 595, 1169, 2317, 4568)
ALL_TO_ALL_LEVELS = (1, 3, 6, 11, 20, 39, 70, 138, 264, 532, 1034, 2093)


def broadcast_steps(tree, ports, dim, packets):
    """Routing steps until every node of a cube of `dim` dimensions has all packets."""
    nodes = 2 ** dim
    if dim == 1:
        return packets
    if tree == "hp":
        return 2 * packets + nodes - 3 if ports == "half" else packets + nodes - 2
    if tree == "msbt":
        return {"all": -(-packets // dim) + dim, "duplex": packets + dim,
                "half": 2 * packets + dim - 1}[ports]
    if ports == "all":
        return packets + dim - 1
    if tree == "tcbt":
        if ports == "duplex":
            return 2 * (packets + dim - 2)
        return 2 * packets if dim == 2 else 3 * packets + 2 * dim - 5
    return dim * packets


def schedules(op, tree, ports):
    """The schedules for which the papers give step counts."""
    if op in ("allgather", "alltoall"):
        if ports == "all":
            return CYCLES
        return () if tree == "tcbt" else ("subtree",)
    lists = ("postorder", "rbf", "roundrobin")
    orders = {"sbt": ("gray", "port", *lists), "tcbt": (), "sbg": ()}.get(tree, lists)
    return orders + (CYCLES if ports == "all" else ("subtree",))


def personal_steps(op, tree, schedule, ports, dim, packets):
    """Of single packets to (or from) each node; in cycles of bundles without a bound."""
    nodes = 2 ** dim
    if schedule in CYCLES:
        turns = 2 if ports == "half" and op in ("allgather", "alltoall") else 1
        if dim == 1 or ports == "all" or tree == "sbt":
            return turns * dim
        return turns * (2 * dim - 1 if tree == "sbg" else 2 * dim - 2)
    in_sequence = schedule in ("gray", "port")
    if ports == "all":
        if in_sequence:
            return None
        return packets * (nodes // 2 if tree == "sbt" else SBNT_MAX[dim - 1])
    if tree == "sbt" and not in_sequence:
        return None
    return packets * (nodes - 1)


def scatter_volume(tree, schedule, ports, dim):
    """Blocks that cross the busiest link of each cycle of a scatter or gather, added up."""
    nodes = 2 ** dim
    if tree == "tcbt":
        if dim == 1:
            return 1
        if schedule == "level":
            return 3 * nodes // 4 - 1
        return 3 * nodes // 2 - dim - 1 if ports == "all" else 2 * nodes - 2 * dim - 1
    if schedule == "level":
        return {"sbt": nodes // 2, "sbg": fractions.Fraction(nodes - 1, dim),
                "sbnt-minr": SBNT_MAX[dim - 1], "sbnt-minbl": SBNT_MAX[dim - 1],
                "sbnt-maxl": MAXL_LEVELS[dim - 1]}.get(tree)
    if ports == "all":
        return None
    return {"sbt": nodes - 1, "sbnt-minr": LEMMA_17[dim - 1]}.get(tree)


def all_to_all_volume(op, tree, schedule, ports, dim):
    """The same when all nodes exchange at once, pairs one after the other under half."""
    nodes = 2 ** dim
    if ports != "all":
        once = nodes - 1 if op == "allgather" else dim * nodes // 2
        return 2 * once if ports == "half" else once
    if schedule != "level":
        return None
    if op == "allgather":
        return {"sbt": nodes // 2, "sbg": fractions.Fraction(nodes - 1, dim),
                "sbnt-minr": SBNT_MAX[dim - 1]}.get(tree)
    return {"sbg": nodes // 2, "sbnt-minr": ALL_TO_ALL_LEVELS[dim - 1]}.get(tree)


def scan_steps(ports, dim, packets):
    """Neighbours exchange all packets in each dimension in turn."""
    return dim * packets * (2 if ports == "half" else 1)


# Star: links of all nodes from the root in one tree of edt, added up.
EDT_DEPTHS = {3: 15, 4: 96, 5: 648, 6: 4838}


def star_personal_steps(op, schedule, dim, copies, packets):
    """On the star over the trees of edt, all ports."""
    others = math.factorial(dim) - 1
    if op in ("scatter", "gather"):
        return packets * -(-copies * others // (dim - 1))
    if schedule == "dfs-ack":
        return (packets + 1) * others
    if op == "allgather":
        return packets * copies * others // (dim - 1) if packets * copies % (dim - 1) == 0 else None
    return packets * EDT_DEPTHS[dim] if copies == dim - 1 else None


def uhc_personal_bound(op, dim, copies, packets):
    """The least number of packets that the links must carry; met where it is said."""
    others = 2 ** dim - 1
    if op != "alltoall":
        return -(-packets * copies * others // (dim // 2))
    out = 0x5555 & others # dimensions on which node 0 sends
    distances = sum(uhc_distance(node & out, node & ~out) for node in range(2 ** dim))
    return -(-packets * copies * distances // (dim // 2))


def uhc_distance(own, foreign):
    """Links to a node that differs in these dimensions: own and foreign ones take turns."""
    own, foreign = bin(own).count("1"), bin(foreign).count("1")
    if (own + foreign) % 2 == 0:
        return 2 * max(own, foreign)
    return 2 * own - 1 if own > foreign else 2 * foreign + 1


def ascend_steps(topology, ports, dim):
    """Of values of one packet. The uhc takes the dimensions in pairs. (huang-yang-tseng-2001, 7)"""
    even = dim + dim % 2
    if topology == "uhc":
        return 2 * even if ports == "half" else 3 * even // 2
    return 2 * dim if ports == "half" else dim


def sort_steps(topology, ports, dim):
    """Of bitonic sorting, blocks of one packet. (errata 24, R11)"""
    if topology == "uhc":
        half = (dim + 1) ** 2 if dim % 2 else dim * (dim + 2)
        return half if ports == "half" else 3 * half // 4
    return dim * (dim + 1) // (1 if ports == "half" else 2)
