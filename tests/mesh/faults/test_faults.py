"""Faults: the mesh mends and counts some, and names the rest, in bounded time."""
import re

import pytest

from mesh_tool import ROOT, mesh, run, tree, verified

SIM, LOCKSTEP, FREE = "sim", "qemu --lockstep", "qemu --free"
STORM = "drop:0.2,corrupt:0.1,dup:0.05,reorder:0.1"


def lost(dim, name, root, top):
    """The nodes of the subtree whose top node is `top`, itself included."""
    children = tree(dim, name, root)[0]["children"]
    nodes, frontier = [], [top]
    while frontier:
        nodes += frontier
        frontier = [child for node in frontier for child in children[node]]
    return sorted(nodes)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("job", [["--op", "bcast", "--tree", "sbt", "--bytes", 6000],
                                 ["--op", "bcast", "--tree", "hp", "--bytes", 3000],
                                 ["--op", "send", "--root", 1, "--target", 6, "--bytes", 20000]])
def test_a_storm_of_frame_faults_is_mended_and_counted(engine, job, seed):
    outcome = run(engine, "--dim", 3, *job, "--packet", 256, "--faults", STORM, "--seed", seed)
    report = verified(outcome)
    faults = report["faults"]
    for kind in ("drop", "corrupt", "dup", "reorder"):
        assert faults[kind] > 0, outcome
    assert report["retransmissions"] > 0, outcome
    # Every corrupted frame that reached a node was noticed there, and nothing else was.
    assert report["dropped"]["crc"] + report["dropped"]["malformed"] <= faults["corrupt"], outcome


def everywhere(*cases):
    """Each case in simulation and in lockstep; free running waits long for the dead, so once."""
    return [(how, *case) for case in cases for how in (SIM, LOCKSTEP)] + [(FREE, *cases[0])]


@pytest.mark.parametrize("how,name,node,port", everywhere(("sbt", 0, 2), ("sbt", 1, 3),
                                                          ("bs", 0, 1), ("hp", 3, 0)))
def test_a_cut_link_loses_exactly_the_subtree_behind_it(how, name, node, port):
    dim = 4
    peer = node ^ (1 << port)
    parent = tree(dim, name, 0)[0]["parent"]
    top = peer if parent[peer] == node else node
    behind = lost(dim, name, 0, top) if parent[top] == (node if top == peer else peer) else []
    outcome = run(*how.split(), "--dim", dim, "--op", "bcast", "--tree", name, "--bytes", 4000,
                  "--packet", 256, "--faults", f"cut:{node}/{port}")
    assert outcome.status == (1 if behind else 0), outcome
    assert sorted(outcome.report["failed_nodes"]) == behind, outcome
    assert outcome.report["verified_nodes"] == 16 - len(behind), outcome


@pytest.mark.parametrize("how,name,node", everywhere(("sbt", 2), ("bs", 1), ("hp", 6)))
def test_a_killed_node_loses_exactly_what_hangs_below_it(how, name, node):
    below = [other for other in lost(4, name, 0, node) if other != node]
    outcome = run(*how.split(), "--dim", 4, "--op", "bcast", "--tree", name, "--bytes", 4000,
                  "--packet", 256, "--faults", f"kill:{node}")
    assert sorted(outcome.report["failed_nodes"]) == below, outcome
    assert outcome.report["verified_nodes"] == 15 - len(below), outcome
    assert outcome.status == (1 if below else 0), outcome


@pytest.mark.free
def test_all_neighbours_of_a_node_that_dies_know_it_at_once():
    # Node 3 sends nothing to node 2, so it would not find out by silence.
    outcome = run(*FREE.split(), "--dim", 4, "--op", "bcast", "--faults", "kill:2")
    assert "links declared dead: 0/1 3/0 6/2 10/3" in outcome.err, outcome


@pytest.mark.parametrize("how", [SIM, LOCKSTEP, FREE])
def test_a_link_cut_in_mid_run_ends_the_run_and_is_named(how):
    outcome = run(*how.split(), "--dim", 3, "--op", "bcast", "--tree", "sbt", "--bytes", 100000,
                  "--packet", 256, "--faults", "cut:0/2@100")
    assert outcome.status == 1, outcome
    assert sorted(outcome.report["failed_nodes"]) == lost(3, "sbt", 0, 4), outcome


def test_nodes_that_miss_one_of_three_trees_take_the_packets_of_the_others(engine):
    # So these fill nobody's buffers for ever, and every node ends by itself.
    outcome = run(engine, "--dim", 3, "--op", "bcast", "--tree", "msbt", "--bytes", 150000,
                  "--packet", 256, "--faults", "cut:0/1@50")
    assert outcome.status == 1, outcome
    assert outcome.report["verified_nodes"] == 1, outcome  # the root
    assert "did not get all of it" in outcome.err, outcome


NETWORKS = {"cube": (3, 8), "uhc": (4, 16), "star": (3, 6)}
OPS = ["bcast", "scatter", "gather", "reduce", "allreduce", "scan", "allgather", "alltoall",
       "barrier", "sort", "ascend", "descend", "fft"]


def joins(topology, op):
    return topology == "cube" or (op not in ("scan",) and
                                  not (topology == "star" and op in ("sort", "ascend", "descend",
                                                                     "fft")))


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("topology", NETWORKS)
def test_beside_a_node_that_is_killed_every_node_ends_and_is_named(topology, op):
    if not joins(topology, op):
        return
    dim, nodes = NETWORKS[topology]
    size = [] if op == "barrier" else ["--bytes", 64 * nodes]
    for node in range(nodes):
        for when in ("", "@15"):
            outcome = run("sim", "--topology", topology, "--dim", dim, "--op", op, *size,
                          "--faults", f"kill:{node}{when}")
            failed = outcome.report["failed_nodes"]
            assert outcome.status == (1 if failed else 0), outcome
            told = outcome.report["verified_nodes"] + len(failed)
            assert told == nodes - 1 or (when and told == nodes), outcome  # or it was over before


@pytest.mark.parametrize("how", [LOCKSTEP, FREE])
@pytest.mark.parametrize("op", ["bcast", "allreduce", "barrier"])
def test_on_emulated_boards_too(how, op):
    size = [] if op == "barrier" else ["--bytes", 512]
    outcome = run(*how.split(), "--dim", 3, "--op", op, *size, "--faults", "kill:1")
    assert outcome.status == 1, outcome
    assert outcome.report["failed_nodes"], outcome


@pytest.mark.parametrize("engine", ["sim", pytest.param("qemu", marks=pytest.mark.free)])
def test_a_hanging_node_is_named_in_bounded_time(engine):
    outcome = run(engine, "--dim", 3, "--op", "bcast", "--tree", "sbt", "--bytes", 4000, "--faults",
                  "hang:5")
    assert outcome.status == 1, outcome
    assert 5 in outcome.report["failed_nodes"], outcome
    last = outcome.err.strip().splitlines()[-1]
    assert "5" in last and re.search("mesh'? run", last), outcome


def test_random_faults_are_drawn_from_the_seed():
    def failed(seed):
        outcome = run("sim", "--dim", 4, "--op", "bcast", "--tree", "sbt", "--bytes", 1000,
                      "--faults", "kill:random x2", "--seed", seed)
        return outcome.report["failed_nodes"], outcome.report["faults"]

    assert failed(3) == failed(3)
    assert len({str(failed(seed)) for seed in range(1, 7)}) > 1


def test_faults_can_come_from_a_file(tmp_path):
    file = tmp_path / "faults"
    file.write_text("drop:0.1\ncorrupt:0.05\n")
    report = verified(run("sim", "--dim", 3, "--op", "bcast", "--tree", "sbt", "--bytes", 20000,
                          "--packet", 64, "--faults", f"@{file}"))
    assert report["faults"]["drop"] > 0 and report["faults"]["corrupt"] > 0


def test_a_packet_that_ends_early_is_noticed_and_sent_again(engine):
    report = verified(run(engine, "--dim", 3, "--op", "bcast", "--bytes", 6000, "--packet", 256,
                          "--faults", "truncate:0.2"))
    assert report["faults"]["truncate"] > 0
    assert report["retransmissions"] > 0
    dropped = report["dropped"]
    assert 0 < dropped["crc"] + dropped["malformed"] <= report["faults"]["truncate"], dropped


def test_every_kind_of_fault_is_in_help_report_and_page():
    kinds = {line.split(":")[0] for line in mesh("list", "faults").out.splitlines()}
    assert {"cut", "drop", "truncate", "kill"} <= kinds
    report = verified(run(SIM, "--dim", 2, "--op", "bcast"))
    page = (ROOT / "host-tools" / "mesh" / "README.md").read_text()
    usage = mesh("run", "--help").out
    for kind in kinds:
        assert f"`{kind}:" in page, kind
        assert f"{kind}:" in usage, kind
    # A dimension is cut cable by cable, and reported so.
    assert kinds - {"cutdim"} <= report["faults"].keys()
