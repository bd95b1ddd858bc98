"""Broadcasts of whole rigs: every byte at every node, links, sizes of packets, both engines."""
import pytest

from formulas import PORTS, TREES, broadcast_steps
from mesh_tool import ROOT, run, tree, verified

PACKET = 16


def broadcast(engine, dim, name, ports, packets, root):
    """A broadcast of `packets` packets, the last of them not full."""
    return run(engine, "--topology", "cube", "--dim", dim, "--op", "bcast", "--tree", name,
               "--root", root, "--ports", ports, "--bytes", packets * PACKET - 5,
               "--packet", PACKET)


@pytest.mark.parametrize("name", TREES)
def test_every_link_of_the_tree_carries_every_packet_and_no_other_link_carries_any(engine, name):
    dim, root, packets = 3, 5, 7
    outcome = broadcast(engine, dim, name, "all", packets, root)
    report = verified(outcome)
    _, whole = tree(dim, name, root)
    count = len(whole["subtrees"])  # packet p goes down tree p mod count
    expected = [[0] * dim for _ in range(2 ** dim)]
    for number, subtree in enumerate(whole["subtrees"]):
        for node, children in enumerate(subtree["children"]):
            for child in children:
                port = (node ^ child).bit_length() - 1
                expected[node][port] += len(range(number, packets, count))
    assert [links[:dim] for links in report["link_packets"]] == expected, outcome
    assert report["max_link_load"] == -(-packets // count), outcome


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("ports", PORTS)
@pytest.mark.parametrize("dim", [2, 4])
def test_the_same_job_gives_the_same_on_both_engines(dim, name, ports):
    root, packets = 2 ** dim - 1, dim - 1
    sim, qemu = (verified(broadcast(engine, dim, name, ports, packets, root))
                 for engine in ("sim", "qemu"))
    for key in ("steps", "model_time", "hops", "link_packets", "max_link_load", "packets",
                "verified_nodes"):
        assert sim[key] == qemu[key], key


def test_a_file_arrives_at_every_node_and_can_be_read_back_from_one(engine, tmp_path):
    copy = tmp_path / "copy"
    outcome = run(engine, "--dim", 3, "--op", "bcast", "--tree", "sbt", "--input", "LICENSE",
                  "--output", copy)
    report = verified(outcome)
    assert report["bytes"] == (ROOT / "LICENSE").stat().st_size
    assert copy.read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 1023, 1024, 1025])
def test_messages_of_every_awkward_size_arrive(engine, size, tmp_path):
    file = tmp_path / "input"
    file.write_bytes(bytes((17 * i) % 251 for i in range(size)))
    outcome = run(engine, "--dim", 2, "--op", "bcast", "--tree", "bs", "--input", file)
    assert verified(outcome)["bytes"] == size


def test_model_time_counts_start_up_and_bytes():
    """P packets of B bytes down a path of one link take P (tau + B tc)."""
    outcome = run("sim", "--dim", 1, "--op", "bcast", "--tree", "sbt", "--bytes", 4 * 64,
                  "--packet", 64, "--tau", 2, "--tc", "0.5")
    assert verified(outcome)["model_time"] == 4 * (2 + 64 * 0.5), outcome


# External packets ------------------------------------------------------------------------------

@pytest.mark.parametrize("size", [0, 1, 4095, 4097, 65536, 65537])
def test_external_packets_of_every_awkward_size_arrive(size):
    for name in TREES:
        report = verified(run("sim", "--dim", 3, "--op", "bcast", "--tree", name, "--ports",
                              "duplex", "--bytes", size, "--packet", 65536))
        assert report["packets"] == (2 if size > 65536 else 1)


@pytest.mark.parametrize("ports", PORTS)
@pytest.mark.parametrize("name", TREES)
def test_auto_takes_the_size_of_packet_with_the_shortest_time(name, ports):
    total, dim = 20_000, 4
    for tau, tc in ((1, 0.001), (5, 0.01), (0.1, 1)):
        def time(packets, size):
            return broadcast_steps(name, ports, dim, packets) * (tau + size * tc)
        best = min(time(packets, -(-total // packets)) for packets in range(1, total // 16 + 1))
        outcome = run("sim", "--dim", dim, "--op", "bcast", "--tree", name, "--ports", ports,
                      "--bytes", total, "--packet", "auto", "--tau", tau, "--tc", tc)
        report = verified(outcome)
        assert time(report["packets"], report["packet"]) <= best * 1.0001, outcome
        assert report["model_time"] <= time(report["packets"], report["packet"]) + 1e-6, outcome


def test_a_barrier_ends_at_every_node(engine):
    report = verified(run(engine, "--dim", 4, "--op", "barrier"))
    assert report["op"] == "barrier"


def test_the_report_has_the_keys_that_are_promised():
    report = verified(broadcast("sim", 3, "sbt", "all", 4, 0))
    for key in ("engine", "board", "topology", "dim", "nodes", "op", "tree", "root", "ports",
                "bytes", "packet", "packets", "copies", "tau", "tc", "seed", "steps", "formula",
                "formula_steps", "model_time", "hops", "link_packets", "max_link_load",
                "verified_nodes", "failed_nodes", "unreachable_nodes", "retransmissions", "dropped",
                "faults", "boot_s", "wall_s", "instructions_per_hop"):
        assert key in report, key


def test_each_port_of_a_node_uses_a_dma_channel_of_its_own():
    outcome = run("qemu", "--dim", 3, "--op", "bcast", "--tree", "sbt", "--bytes", 4096)
    report = verified(outcome)
    subtree, _ = tree(3, "sbt", 0)
    for node, transfers in enumerate(report["dma_transfers"]):
        for port in range(3):
            peer = node ^ (1 << port)
            if peer in subtree["children"][node] or subtree["parent"][node] == peer:
                assert transfers[port] >= 4, outcome


