"""Trees of the UHC and the star: the links that their packets cross, one port, reductions."""
import itertools

import pytest

from mesh_tool import collective, tree, verified
from networks import (STAR_DISJOINT, UHC_DISJOINT, UHC_TREES, nodes_of, parity, star_cables,
                      uhc_arcs, uhc_has)

STAR_TREES = ("spt", *STAR_DISJOINT)
TREES = ([("uhc", name) for name in UHC_TREES + UHC_DISJOINT]
         + [("star", name) for name in STAR_TREES])


def bcast(topology, engine, dim, name, packets, *more, root=0):
    return collective(topology, engine, dim, "bcast", "--tree", name, "--root", root, *more,
                      packets=packets)


def sending_ports(topology, dim):
    """{(node, next node): the port between them}"""
    if topology == "uhc":
        return {(node, node ^ 1 << port): port for node, port in uhc_arcs(dim)}
    return {ends: port for node, port, far in star_cables(dim)
            for ends in ((node, far), (far, node))}


@pytest.mark.parametrize("topology, name", TREES)
def test_packets_cross_the_links_of_the_tree_and_none_against_its_direction(engine, topology, name):
    dim, root, packets = 4, {"uhc": 6, "star": 17}[topology], 7
    report = verified(bcast(topology, engine, dim, name, packets, root=root))
    _, whole = tree(dim, name, root, topology)
    ports = sending_ports(topology, dim)
    expected = [[0] * (dim if topology == "uhc" else dim - 1) for _ in range(report["nodes"])]
    for number, subtree in enumerate(whole["subtrees"]):
        for node, children in enumerate(subtree["children"]):
            for child in children:
                expected[node][ports[node, child]] += len(range(number, packets,
                                                                len(whole["subtrees"])))
    assert report["link_packets"] == expected


@pytest.mark.parametrize("topology, name", TREES)
def test_every_subtree_that_is_printed_spans_all_nodes(topology, name):
    for dim, root in ((2, 1), (3, 1), (4, 11), (5, 4)):
        if uhc_has(name, dim) if topology == "uhc" else dim > 2:
            _, whole = tree(dim, name, root, topology)
            assert topology == "uhc" or len(whole["subtrees"]) == (1 if name == "spt" else dim - 1)
            for subtree in whole["subtrees"]:
                children = sorted(itertools.chain(*subtree["children"], [root]))
                assert children == list(range(nodes_of(topology, dim)))
                assert all(node in subtree["children"][parent]
                           for node, parent in enumerate(subtree["parent"]) if parent != -1)


def test_bt2_needs_no_source_and_both_forms_of_bt1_are_one_tree():
    for dim, root in itertools.product((4, 5), (0, 3, 14)):
        _, plain = tree(dim, "bt1", root, "uhc")
        _, counted = tree(dim, "bt1-counted", root, "uhc")
        assert plain["subtrees"] == counted["subtrees"]


@pytest.mark.parametrize("topology, name, ports", [
    ("uhc", "bts", "half"), ("uhc", "ist", "half"),
    *(("star", name, ports) for name in STAR_TREES for ports in ("duplex", "half"))])
def test_one_port_works_too(topology, name, ports):
    for dim in (2, 3, 5) if topology == "uhc" else (3, 4):
        verified(bcast(topology, "sim", dim, name, 5, "--ports", ports, root=1))


def test_a_cut_names_the_link_at_a_port_whichever_way_it_points():
    """Node 4 receives by its even ports: 4/2 and 0/2 are the same link."""
    for cut in ("cut:0/2", "cut:4/2"):
        outcome = bcast("uhc", "sim", 4, "bts", 2, "--faults", cut)
        assert outcome.report["faults"]["cut_frames"] > 0, outcome
        assert 4 in outcome.report["failed_nodes"], outcome
    refused = bcast("uhc", "sim", 4, "bts", 2, "--faults", "cut:4>2")
    assert refused.status == 2 and "sends nothing" in refused.err, refused


@pytest.mark.parametrize("arguments", [["reduce"], ["allreduce"], ["allreduce", "--tree", "other"],
                                       ["allreduce", "--tree", "one", "--ports", "duplex"],
                                       ["reduce", "--ports", "half", "--type", "f32"]])
@pytest.mark.parametrize("topology", ["uhc", "star"])
def test_reductions_give_the_right_answer(engine, topology, arguments):
    names = {"uhc": {"other": "ist", "one": "bt2"}, "star": {"other": "edt", "one": "edt-v2"}}
    words = [names[topology].get(word, word) for word in arguments]
    dims = {"uhc": (2, 3, 4, 5, 6), "star": (3, 4, 5)}[topology]
    for dim in dims[:2 if topology == "uhc" else 1] if engine == "qemu" else dims:
        verified(collective(topology, engine, dim, *words, "--root", dim, "--bytes", 500,
                            "--packet", 64))


def test_the_two_ends_of_every_link_agree():
    for dim in (2, 3, 4, 5):
        arcs = uhc_arcs(dim)
        assert len(arcs) == dim * 2 ** (dim - 1)
        assert all(parity(node ^ 1 << port) != port % 2 for node, port in arcs)
