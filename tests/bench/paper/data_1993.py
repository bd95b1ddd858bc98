"""Fragopoulou, Akl 1993: the printed values, and the right ones.

n symbols, n! nodes, D the star's diameter; k dimensions of the hypercube; x copies of each
message, M messages to each node. Times are steps with all ports.
"""
import dataclasses
import functools
import itertools
import math
from typing import Callable

KEY = "fragopoulou-akl-1993"
TITLE = ("Fragopoulou, Akl: Edge-disjoint spanning trees on the star network with applications to "
         "fault tolerance (1993), measured")

NOTES = {
    "A10": "True only if acknowledgements take no time. They take a step each, at whose end the "
           "sources stop, and as many transmissions as one message more would.",
    "A11": "Printed as a lower bound, which it is not: one message over a tree of shortest paths "
           "takes the diameter, one step less.",
    "A12": "The printed time is that of trees as deep as the diameter and one more. The trees have "
           "depth floor(3(n-2)/2)+4 and take ceil(Mx/(n-1)) + depth - 1 steps.",
    "A15": "The first hop is counted twice; for x = 1 the distances alone are enough.",
    "A17": "Transmissions divided by links give Mx 2^(k-1), not Mx 2^k; and for x = 1 the first "
           "hop is counted twice.",
    "A20": "The n-1 paths to a node are not all shortest paths. Exact is the sum of the depths of "
           "the nodes in the subtrees. Only for x = 1 are they distances, and then, as for all x "
           "below n-1, the printed sum counts the first hop twice.",
    "A21": "Exact for x = n-1 is M times the sum of the depths of one subtree, in which every link "
           "is busy in every step; for fewer copies the links of the x shortest paths to all "
           "nodes, divided by n-1. The printed sum counts the first hop twice for x < n-1.",
    "B5": "Each message is rounded up by itself, as all take the same trees.",
}


def ceil_div(number, by):
    return -(-number // by)


# ---- the trees, from the printed parent functions (1) to (11) ---------------------------------
def parent_dimension(label, tree):
    """The dimension that leads from a node to its parent in this subtree. Of definition 8 only the
    parent functions are used; all else follows from them."""
    n = len(label)
    at = {symbol: place for place, symbol in enumerate(label, 1)}
    hole, first = at[1], label[0]
    if hole == 1:
        return tree
    to_the_right = [2 + (hole - 1 + step) % (n - 1) for step in range(n - 2)]
    misplaced = [place for place in to_the_right if label[place - 1] != place] + [hole]
    turn = misplaced[0] if first == hole else first
    third = label[turn - 1]
    if tree == hole:
        return turn
    if first == hole:
        return hole if tree == third else at[tree]
    if third == hole or tree == first:
        return hole if tree == first else at[tree]
    return at[hole] if tree == third else at[tree]


@functools.lru_cache(maxsize=None)
def depths(n):
    """For every node but the root, its depths in the subtrees, the least first."""
    root = tuple(range(1, n + 1))

    def depth(label, tree):
        links = 0
        while label != root:
            place = parent_dimension(label, tree)
            label = (label[place - 1], *label[1:place - 1], label[0], *label[place:])
            links += 1
        return links
    return [sorted(depth(label, tree) for tree in range(2, n + 1))
            for label in itertools.permutations(root) if label != root]


def depth_of_trees(n):
    return max(node[-1] for node in depths(n))


def links_to_all(n, copies):
    """Links that one message to each node crosses, over the shortest of its paths."""
    return sum(sum(node[:copies]) for node in depths(n))


def distances(n):
    """t_n by the printed formula: the sum of the distances of all nodes."""
    harmonic = sum(math.factorial(n) // k for k in range(1, n + 1))
    return math.factorial(n) * (n - 4) + 2 * math.factorial(n - 1) + harmonic


def diameter(n):
    return 3 * (n - 1) // 2


# ---- tables 1 and 2 ---------------------------------------------------------------------------
@dataclasses.dataclass(frozen=True)
class Problem:
    """A row of tables 1 and 2; table 1 has x = n-1 in it. Functions of n, x, M."""
    name: str
    op: str
    printed: str
    printed_time: Callable
    time: Callable
    time_note: str
    printed_hops_text: str
    printed_hops: Callable
    hops: Callable
    hops_note: str = ""
    corrected: str = ""  # if not as printed
    hops_text: str = ""
    schedule: str = ""
    late: Callable = lambda n, x, m: 0  # how much more time a run may take

    def key(self, x, m):
        """Its name in the record of values."""
        return f"{self.name}, x = {x}, M = {m}"


def _others(n):
    return math.factorial(n) - 1


def _broadcast(n, x, m):
    return ceil_div(m * x, n - 1) + depth_of_trees(n) - 1


def _rounds(n, x, m):
    return ceil_div(m * x * _others(n), n - 1)


BROADCAST = Problem(
    "single node broadcasting", "bcast", "ceil(M/(n-1)) + floor(3(n-1)/2)",
    lambda n, x, m: ceil_div(m, n - 1) + diameter(n), _broadcast, "A12",
    "M(n!-1)", lambda n, x, m: m * _others(n), lambda n, x, m: m * _others(n),
    corrected="ceil(M/(n-1)) + floor(3(n-2)/2) + 3")
SAFE_BROADCAST = Problem(
    "fault tolerant single node broadcasting", "bcast", "ceil(Mx/(n-1)) + floor(3(n-1)/2)",
    lambda n, x, m: ceil_div(m * x, n - 1) + diameter(n), _broadcast, "A12",
    "Mx(n!-1)", lambda n, x, m: m * x * _others(n), lambda n, x, m: m * x * _others(n),
    corrected="ceil(Mx/(n-1)) + floor(3(n-2)/2) + 3")
MULTINODE = Problem(
    "fault tolerant multinode broadcasting", "allgather", "ceil(Mx(n!-1)/(n-1))", _rounds, _rounds,
    "", "Mxn!(n!-1)", lambda n, x, m: m * x * math.factorial(n) * _others(n),
    lambda n, x, m: m * x * math.factorial(n) * _others(n))
SCATTER = Problem(
    "fault tolerant single node scattering", "scatter", "ceil(Mx(n!-1)/(n-1))", _rounds,
    lambda n, x, m: m * _rounds(n, x, 1), "B5", "Mx(n!-1) + Mx t_n",
    lambda n, x, m: m * x * (_others(n) + distances(n)),
    lambda n, x, m: m * links_to_all(n, x), "A20", corrected="M ceil(x(n!-1)/(n-1))",
    hops_text="M depths(x)")
EXCHANGE = Problem(
    "fault tolerant total exchange", "alltoall", "ceil(Mx(n!-1)/(n-1)) + ceil(Mx t_n/(n-1))",
    lambda n, x, m: _rounds(n, x, m) + ceil_div(m * x * distances(n), n - 1),
    lambda n, x, m: m * ceil_div(links_to_all(n, x), n - 1), "A21", "Mxn!(n!-1) + Mxn! t_n",
    lambda n, x, m: m * x * math.factorial(n) * (_others(n) + distances(n)),
    lambda n, x, m: m * math.factorial(n) * links_to_all(n, x), "A20",
    corrected="M ceil(depths(x)/(n-1))", hops_text="Mn! depths(x)",
    late=lambda n, x, m: m if 1 < x < n - 1 else 0)
# The paper's own way: depth first, a subtree's next child when the last one has acknowledged.
DEPTH_FIRST = dataclasses.replace(
    MULTINODE, name="the same, depth first", schedule="dfs-ack",
    time=lambda n, x, m: (m + 1) * _others(n), time_note="A10",
    hops=lambda n, x, m: (m + 1) * x * math.factorial(n) * _others(n), hops_note="A10",
    corrected="(M+1)(n!-1), x = n-1", hops_text="(M+1)xn!(n!-1), acknowledgements included")
PROBLEMS = (SAFE_BROADCAST, MULTINODE, SCATTER, EXCHANGE)


# ---- table 3 ----------------------------------------------------------------------------------
@dataclasses.dataclass(frozen=True)
class CubeProblem(Problem):
    """A row of table 3. Functions of k, x, M."""
    tree: str = ""
    copies: bool = False  # whether x can be more than 1 on the cube


def _cube_rounds(k, x, m):
    return ceil_div(m * x * (2 ** k - 1), k)


CUBE_PROBLEMS = (
    CubeProblem("single node broadcasting", "bcast", "ceil(M/k) + k",
                lambda k, x, m: ceil_div(m, k) + k, lambda k, x, m: ceil_div(m, k) + k - 1, "A11",
                "M(2^k-1)", lambda k, x, m: m * (2 ** k - 1), lambda k, x, m: m * (2 ** k - 1),
                corrected="ceil(M/k) + k-1", tree="msbt-rot"),
    CubeProblem("fault tolerant single node broadcasting", "bcast", "ceil(Mx/k) + k",
                lambda k, x, m: ceil_div(m * x, k) + k, lambda k, x, m: ceil_div(m * x, k) + k, "",
                "Mx(2^k-1)", lambda k, x, m: m * x * (2 ** k - 1),
                lambda k, x, m: m * x * (2 ** k - 1), tree="msbt", copies=True),
    CubeProblem("fault tolerant multinode broadcasting", "allgather",
                "ceil(Mx(2^k-1)/k)", _cube_rounds, _cube_rounds, "", "Mx 2^k (2^k-1)",
                lambda k, x, m: m * x * 2 ** k * (2 ** k - 1),
                lambda k, x, m: m * x * 2 ** k * (2 ** k - 1), tree="sbg", schedule="level"),
    CubeProblem("fault tolerant single node scattering", "scatter",
                "ceil(Mx(2^k-1)/k)", _cube_rounds, _cube_rounds, "", "Mx(2^k-1) + Mx 2^(k-1) k",
                lambda k, x, m: m * x * (2 ** k - 1 + 2 ** (k - 1) * k),
                lambda k, x, m: m * 2 ** (k - 1) * k, "A15", hops_text="x = 1: M 2^(k-1) k",
                tree="sbg", schedule="level"),
    CubeProblem("fault tolerant total exchange", "alltoall",
                "ceil(Mx(2^k-1)/k) + Mx 2^k",
                lambda k, x, m: _cube_rounds(k, x, m) + m * x * 2 ** k,
                lambda k, x, m: m * 2 ** (k - 1), "A17", "Mx 2^k (2^k-1) + Mx 2^(2k-1) k",
                lambda k, x, m: m * x * 2 ** k * (2 ** k - 1 + 2 ** (k - 1) * k),
                lambda k, x, m: m * 2 ** (2 * k - 1) * k, "A15", "x = 1: M 2^(k-1)",
                "x = 1: M 2^(2k-1) k", tree="sbg", schedule="level"),
)

# ---- table 4: growth of time and transmissions, star and hypercube of as many nodes -----------
TABLE4 = (
    (BROADCAST.name, "M/n + n", "M/(n log n) + n log n", "Mn!", "Mn!"),
    (SAFE_BROADCAST.name, "Mx/n + n", "Mx/(n log n) + n log n", "Mxn!", "Mxn!"),
    (MULTINODE.name, "Mxn!/n", "Mxn!/(n log n)", "Mx(n!)^2", "Mx(n!)^2"),
    (SCATTER.name, "Mxn!/n", "Mxn!/(n log n)", "Mxn! + Mxn!n", "Mxn! + Mxn!n log n"),
    (EXCHANGE.name, "Mxn!/n + Mxn!", "Mxn!/(n log n) + Mxn!", "Mx(n!)^2 + Mx(n!)^2 n",
     "Mx(n!)^2 + Mx(n!)^2 n log n"),
)


def nearest_cube(n):
    """Dimension of the hypercube nearest in size, as a ratio, to the star of n! nodes."""
    return round(math.log2(math.factorial(n)))
