"""The UHC and the star as the papers draw them, and what they claim, apart from the host tool."""
import functools
import itertools
import math

from regression import UHC_OWN_TREES


def parity(node):
    """1 if the address has an odd number of ones."""
    return bin(node).count("1") % 2


def uhc_out(dim, node):
    """Dimensions on which a node of the UHC sends: even ones at nodes of even weight."""
    return [port for port in range(dim) if port % 2 == parity(node)]


def uhc_arcs(dim):
    """Every link once, by the end that sends."""
    return [(node, port) for node in range(2 ** dim) for port in uhc_out(dim, node)]


def star_labels(symbols):
    """Permutations in lexicographic order: node number to label."""
    return list(itertools.permutations(range(1, symbols + 1)))


def star_cables(symbols):
    """Every cable once, by its lower end: node, port, far node."""
    labels = star_labels(symbols)
    rank = {label: node for node, label in enumerate(labels)}
    cables = []
    for node, label in enumerate(labels):
        for port in range(symbols - 1):
            other = list(label)
            other[0], other[port + 1] = other[port + 1], other[0]
            far = rank[tuple(other)]
            if node < far:
                cables.append((node, port, far))
    return cables


@functools.lru_cache(maxsize=None)
def neighbours(topology, dim):
    """Of every node, those that it sends to."""
    beside = [set() for _ in range(nodes_of(topology, dim))]
    arcs = ([(node, node ^ 1 << port) for node, port in uhc_arcs(dim)] if topology == "uhc" else
            [(node, far) for low, _, high in star_cables(dim)
             for node, far in ((low, high), (high, low))])
    for node, far in arcs:
        beside[node].add(far)
    return beside


def distance(topology, dim, start, end):
    """Links on a shortest path, by search."""
    beside = neighbours(topology, dim)
    reached, frontier, links = {start}, {start}, 0
    while end not in reached:
        frontier = set().union(*(beside[node] for node in frontier)) - reached
        reached |= frontier
        links += 1
    return links


def nodes_of(topology, dim):
    return math.factorial(dim) if topology == "star" else 2 ** dim


UHC_TREES = ("bt1", "bt1-counted", "bt2", "bt3", "bts", "bt4")
UHC_DISJOINT = ("adst", "ist")
STAR_DISJOINT = ("edt", "edt-v2")

# One packet from node 0, n = 2, 4, 6, 8, 10, 12: all ports, and one send and one receive.
# (huang-yang-tseng-2001, table 1; adst of n = 2 corrected: the leaf that would add a level is the
# source.)
UHC_FIGURES = UHC_OWN_TREES | {
    "bt1": ((3, 6, 9, 12, 15, 18), (3, 6, 9, 12, 15, 18)),
    "bt1-counted": ((3, 6, 9, 12, 15, 18), (3, 6, 9, 12, 15, 18)),
    "bt2": ((3, 5, 7, 9, 11, 13), (3, 6, 9, 12, 15, 18)),
    "bt3": ((3, 6, 7, 10, 13, 14), (3, 6, 8, 11, 14, 16)),
    "adst": ((3, 6, 10, 12, 16, 18), None),
}
DEPTHS = {"spt": {3: 3, 4: 4, 5: 6, 6: 7}, "edt": {3: 5, 4: 7, 5: 8, 6: 10},
          "edt-v2": {3: 5, 4: 6, 5: 8, 6: 10}}


def uhc_has(tree, dim):
    return dim % 2 == 0 or tree not in ("bt4", "adst")


def uhc_one_packet(tree, ports, dim, root):
    """The figure of the table; of an odd dim that of the even one below, and 1 or 2 more."""
    column = 0 if ports == "all" else 1
    if dim % 2 == 0:
        return UHC_FIGURES[tree][column][dim // 2 - 1]
    if tree == "ist":
        return dim + 3 + parity(root)
    if tree == "bts" and ports != "all":
        return -(-3 * dim // 2)
    return UHC_FIGURES[tree][column][dim // 2 - 1] + 1 + parity(root)


def uhc_steps(tree, ports, dim, packets, root=0, copies=1):
    """Steps until every node has all copies of all packets."""
    trees = dim // 2 if tree in UHC_DISJOINT else 1
    first = uhc_one_packet(tree, ports, dim, root)
    if ports == "all":
        return -(-packets * copies // trees) + first - 1
    return first + (packets - 1) * -(-dim // 2)


def star_steps(tree, dim, packets, copies=1):
    trees = dim - 1 if tree in STAR_DISJOINT else 1
    return -(-packets * copies // trees) + DEPTHS[tree][dim] - 1


def diameter(topology, dim):
    return dim + 1 + dim % 2 if topology == "uhc" else 3 * (dim - 1) // 2
