"""Figures that the programs here made themselves, once, where no paper gives one.

They say that nothing has changed, not that it is right: whoever changes a schedule or a tree of
our own may change them, and says why. Figures of the papers, as printed or corrected, are in
formulas.py and networks.py.
"""

# One packet from node 0 over trees of our own, n = 2, 4, 6, 8, 10, 12: all ports, and one send and
# one receive.
UHC_OWN_TREES = {
    "bts": ((3, 5, 7, 9, 11, 13), (3, 6, 9, 12, 15, 18)),
    "bt4": ((3, 6, 7, 9, 12, 15), (3, 6, 8, 10, 13, 16)),
    "ist": ((3, 6, 9, 11, 13, 15), None),
}

# All nodes of an even UHC at once with one copy of one packet, where the links' bound is not met.
UHC_EXCHANGES = {
    ("allgather", "bts", 4): 8, ("allgather", "bts", 6): 32, ("allgather", "ist", 4): 10,
    ("allgather", "ist", 6): 27, ("alltoall", "adst", 8): 332, ("alltoall", "ist", 4): 24,
    ("alltoall", "ist", 6): 88,
}

# An odd UHC: op, dim, copies and tree; two packets each, one where dim is 7. Roots 0, 1, and 2 with
# copies over all trees.
UHC_ODD = {
    "scatter": {(3, 1, "bts", 0): 10, (3, 1, "ist", 1): 14, (3, 1, "ist", 2): 14,
                (5, 1, "bts", 0): 42, (5, 1, "ist", 1): 34, (5, 2, "ist", 2): 62,
                (7, 1, "bts", 0): 86, (7, 1, "ist", 1): 43, (7, 3, "ist", 2): 127},
    "gather": {(3, 1, "bts", 0): 14, (3, 1, "ist", 1): 14, (3, 1, "ist", 2): 14,
               (5, 1, "bts", 0): 54, (5, 1, "ist", 1): 34, (5, 2, "ist", 2): 62,
               (7, 1, "bts", 0): 106, (7, 1, "ist", 1): 43, (7, 3, "ist", 2): 127},
    "allgather": {(3, 1, "bts", 0): 14, (3, 1, "ist", 1): 14, (3, 1, "ist", 2): 14,
                  (5, 1, "bts", 0): 32, (5, 1, "ist", 1): 31, (5, 2, "ist", 2): 62,
                  (7, 1, "bts", 0): 64, (7, 1, "ist", 1): 50, (7, 3, "ist", 2): 127},
    "alltoall": {(3, 1, "bts", 0): 36, (3, 1, "ist", 1): 52, (3, 1, "ist", 2): 52,
                 (5, 1, "bts", 0): 156, (5, 1, "ist", 1): 128, (5, 2, "ist", 2): 304,
                 (7, 1, "bts", 0): 332, (7, 1, "ist", 1): 218, (7, 3, "ist", 2): 800},
}

# A total exchange on a star with few copies, all of it queued at once: each packet takes as long.
# Keys: dim, copies.
STAR_EXCHANGES = {(3, 1): 5, (4, 1): 21, (4, 2): 54, (5, 1): 111, (5, 2): 262, (5, 3): 445,
                  (6, 1): 689}

# The same over the trees of edt-v2, dim 4 with three copies.
STAR_EXCHANGE_SHALLOW = 94

# From each node of a star to all, over trees turned from node to node, where copies times packets
# do not divide among the trees. Keys: dim, copies, packets.
STAR_ALLGATHERS = {
    (3, 1, 1): 5, (3, 1, 3): 9, (3, 1, 7): 19, (4, 1, 1): 12, (4, 1, 2): 21, (4, 1, 7): 56,
    (4, 2, 1): 21, (4, 2, 2): 33, (4, 2, 7): 112, (5, 1, 1): 43, (5, 2, 1): 69, (5, 3, 1): 101,
    (6, 1, 1): 174, (6, 2, 1): 337, (6, 3, 1): 480, (6, 4, 1): 607,
}

# Blocks that one dead node of 24 costs a depth-first exchange, beside its own.
STAR_DEPTH_FIRST_LOSS = 19



def cube_scatter_wait(op, tree, schedule, ports, dim):
    """Steps beyond those in which the root's links carry everything."""
    waits = (op, tree, ports) == ("scatter", "sbt", "half") and schedule not in ("gray", "port")
    return 2 ** (dim - 2) - 1 if waits and dim > 1 else 0
