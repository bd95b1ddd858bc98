"""Step counts of broadcasts, from the corrected tables of the papers, independent of the tool."""

TREES = ("sbt", "bs", "hp", "tcbt", "msbt")
PORTS = ("all", "duplex", "half")


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
    if tree == "tcbt" and ports == "half":
        return 2 * packets if dim == 2 else 3 * packets + 2 * dim - 5
    if tree == "tcbt" and ports == "duplex":
        return 2 * (packets + dim - 2)
    return packets + dim - 1 if ports == "all" else dim * packets
