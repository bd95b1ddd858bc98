"""Meshes with one host cable: everything between host tool and nodes crosses the mesh, which gives
the nodes their numbers. Emulated by the host tool, or there already, behind a terminal device."""
import re
import subprocess

import pytest

import boards
from direct_mesh import DirectMesh, silent_device
from mesh_tool import BUILD, ROOT, console, mesh, refused, run, verified

ALL = boards.names(BUILD)
FEW = boards.with_few_images() | boards.with_no_images()
SERIAL = [board for board in ALL
          if "serial" in boards.facts(BUILD, board)["lines"] and board not in FEW]
OPS = {
    "cube": ["--dim", 2, "--op", "bcast", "--bytes", 4000],
    "uhc": ["--topology", "uhc", "--dim", 3, "--op", "bcast", "--bytes", 1000],
    "star": ["--topology", "star", "--dim", 3, "--op", "scatter", "--bytes", 300],
}


@pytest.mark.parametrize("board, op", [
    pytest.param(ALL[0], "cube", marks=pytest.mark.free(gate=True)),
    *(pytest.param(*case, marks=pytest.mark.free) for case in (
        *((board, "cube") for board in ALL[1:]), (ALL[0], "uhc"), (SERIAL[0], "star")))])
def test_every_node_has_everything_in_the_steps_of_the_formula(board, op):
    report = verified(run("qemu", "--board", board, "--host-at", 0, "--timeout", 60, *OPS[op]))
    assert report["steps"] == report["formula_steps"]


@pytest.mark.free
@pytest.mark.parametrize("board", [ALL[0], SERIAL[0]])
def test_consoles_cross_the_mesh(board):
    outcome = mesh("run", "--board", board, "--dim", 2, "--host-at", 0, "--app", "hello")
    assert outcome.status == 0 and console(outcome).keys() == {0, 1, 2, 3}, outcome


@pytest.mark.free
def test_input_and_output_of_other_nodes_cross_a_mesh_whose_cables_are_bad(tmp_path):
    """The data starts at node 5 and ends at node 7."""
    verified(run("qemu", "--host-at", 0, "--dim", 3, "--op", "bcast", "--root", 5,
                 "--input", ROOT / "LICENSE", "--output", tmp_path / "out", "--faults",
                 "drop:0.1,corrupt:0.05,dup:0.05,reorder:0.05"))
    assert (tmp_path / "out").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.free
def test_frames_that_nodes_on_the_way_have_no_room_for_are_counted():
    """All say at once who they are and what their programs print."""
    report = run("qemu", "--dim", 4, "--host-at", 0, "--app", "hello").report
    assert report["dropped"]["relay"] > 0, report["dropped"]


@pytest.mark.free
@pytest.mark.parametrize("board", [ALL[0], SERIAL[0]])
def test_a_node_without_a_host_cable_tells_its_end_by_its_neighbours(board):
    outcome = mesh("run", "--board", board, "--dim", 1, "--host-at", 0, "--app",
                   BUILD / board / "relay" / "app_crash.elf", "--", "divide")
    assert outcome.status == 1, outcome
    assert "mesh: node 1 firmware stopped: division by zero, in " in outcome.err, outcome


PROGRAM = """#include "meshputer.hpp"
mesh::Process app_main(mesh::Kernel& node) {
    unsigned sum = 1;
    const mesh::Status status = co_await mesh::allreduce_value(node, sum);
    mesh::print("one of {}\\n", sum);
    co_return status;
}
"""


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    source = tmp_path_factory.mktemp("mine") / "mine.cpp"
    source.write_text(PROGRAM)
    return source


@pytest.mark.free
@pytest.mark.parametrize("kind, other", [("relay", "loaded"), ("loaded", "relay")])
def test_a_program_of_ones_own_is_built_for_a_mesh_with_one_host_cable(kind, other, mine):
    image = mine.parent / kind
    words = {"relay": ["run", "--host-at", 0, "--app"], "loaded": ["load"]}
    if kind == "relay":  # from its source
        ended = mesh(*words[kind], mine, "--dim", 1)
    else:
        made = mesh("build", mine, "-o", image, "--as", kind, "--engine", "qemu")
        assert made.status == 0, made
        refused(mesh(*words[other], image, "--dim", 1), f"was built for board {ALL[0]}/{kind}, not "
                f"for {ALL[0]}/{other}: mesh build --as {other}")
        ended = mesh(*words[kind], image, "--dim", 1)
    assert ended.status == 0 and console(ended) == {0: ["one of 2"], 1: ["one of 2"]}, ended


@pytest.mark.parametrize("words, reason", [
    (["--as", "both"], "allowed: relay, for a mesh with one host cable"),
    (["--as", "relay", "--engine", "sim"], "goes without --engine sim"),
    (["--as", "loaded", "--board", "mps2-an385"], "has no loader"),
])
def test_kinds_of_images_that_there_are_not_are_refused(words, reason, mine):
    refused(mesh("build", mine, "-o", mine.parent / "other", *words), reason)


@pytest.mark.free
def test_a_tree_of_ones_own_goes_over_a_mesh_with_one_host_cable(exhaustive):
    if not exhaustive:
        pytest.skip("links the program of all ops: --exhaustive")
    rule = ROOT / "firmware" / "ops" / "own" / "mirrored.hpp"
    report = verified(run("qemu", "--host-at", 0, "--dim", 2, "--op", "bcast", "--tree", rule))
    assert report["steps"] > 0


@pytest.mark.free
@pytest.mark.parametrize("fault, live", [
    ("kill:4", 7),  # all nodes from 4 on are heard by way of 4
    ("cut:0/0", 8),  # no other neighbour of node 1 is nearer to the host
    ("restart:4@20", 7),
])
def test_nodes_whose_way_to_the_host_is_dead_are_heard_by_another_one(fault, live):
    outcome = run("qemu", "--host-at", 0, "--dim", 3, "--op", "bcast", "--bytes", 4000, "--tree",
                  "msbt", "--copies", 2, "--faults", fault)
    assert outcome.status == 0 and outcome.report["verified_nodes"] == live, outcome


@pytest.mark.free
def test_a_node_that_hangs_beside_one_host_cable_is_named_alone():
    outcome = run("qemu", "--host-at", 0, "--dim", 2, "--op", "bcast", "--bytes", 4000, "--tree",
                  "msbt", "--copies", 2, "--faults", "hang:2")
    assert outcome.status == 1 and outcome.report["failed_nodes"] == [2], outcome


@pytest.mark.free
def test_a_cable_in_the_wrong_port_is_named():
    outcome = mesh("run", "--host-at", 0, "--dim", 3, "--op", "barrier", "--miswire", "5/0", "6/1")
    assert outcome.status == 1, outcome
    assert "the cable leads to node" in outcome.err, outcome


@pytest.mark.parametrize("words, reason", [
    (["--host-at", 1], "--host-at 1: allowed: 0"),
    (["--host-at", 0, "--engine", "sim"], "--engine qemu only"),
    (["--host-at", 0, "--lockstep"], "--lockstep needs a host cable at each node"),
    (["--host-at", 0, "--faults", "kill:0"], "kill strikes node 0, which has the one host cable"),
    (["--host-at", 0, "--faults", "restart:0@3"], "restart strikes node 0"),
    (["--serial", "/dev/there_is_none"], "no such device"),
    (["--serial", "/etc/hostname"], "not a serial line"),
    (["--serial", "/dev/null"], "has no serial lines"),
    (["--serial", "/dev/null", "--faults", "drop:0.1"], "--faults goes with an emulated mesh"),
    (["--serial", "/dev/null", "--baud", 12345], "--baud 12345: allowed: 9600"),
    (["--baud", 9600], "--baud goes with --serial"),
])
def test_what_cannot_be_is_refused(words, reason):
    refused(mesh("run", "--dim", 2, "--op", "barrier", *words), reason)


@pytest.mark.free
def test_a_line_behind_which_nobody_answers_is_named():
    with silent_device() as device:
        outcome = mesh("run", "--serial", device, "--board", SERIAL[0], "--dim", 1, "--op",
                       "barrier")
    assert outcome.status == 1 and f"{device}: no answer at" in outcome.err, outcome


@pytest.mark.free
@pytest.mark.parametrize("board", SERIAL[:1])
def test_a_mesh_that_is_there_already_does_one_run_after_the_other(board):
    """The second one finds it as the first one left it; later a node is off, then one of another
    board."""
    with DirectMesh(board, 2, BUILD / board / "relay" / "job.elf") as there:
        on = ["run", "--serial", there.device, "--board", board, "--dim", 2]
        for op in (["bcast", "--bytes", 2000], ["allreduce", "--bytes", 100]):
            outcome = mesh(*on, "--op", *op)
            assert outcome.status == 0 and "verified  4 of 4" in outcome.out, outcome
        there.power_off(2)
        outcome = mesh(*on, "--op", "barrier")
        assert outcome.status == 1 and "mesh: node 2: no answer" in outcome.err, outcome
        there.power_on(2, SERIAL[1])
        outcome = mesh(*on, "--op", "barrier")
        refused(outcome, "all nodes of a mesh are of one --board")
        assert f"node 2 has an image made for '{SERIAL[1]}/relay" in outcome.err, outcome


@pytest.mark.free
@pytest.mark.parametrize("board", SERIAL)
def test_neighbours_whose_lines_were_not_silent_send_each_other_whole_frames_at_once(board):
    """Bytes that come before a node is on must not make it deaf."""
    with DirectMesh(board, 1, BUILD / board / "relay" / "job.elf", b"noise" * 20) as there:
        outcome = mesh("run", "--serial", there.device, "--board", board, "--dim", 1, "--op",
                       "alltoall", "--bytes", 1000)
    assert outcome.status == 0 and "verified  2 of 2" in outcome.out, outcome


@pytest.mark.free
def test_a_mesh_whose_emulators_end_says_why_and_does_not_hang(tmp_path):
    with pytest.raises(AssertionError, match="(?s)node 0 ended with 1 and said '.*ould not load"):
        with DirectMesh(SERIAL[0], 1, tmp_path / "none.elf", b"noise"):
            pass


@pytest.mark.free
@pytest.mark.parametrize("board", SERIAL[:1])
def test_a_mesh_of_another_image_is_told(board, tmp_path):
    image = (BUILD / board / "relay" / "job.elf").read_bytes()
    stamp = (BUILD / board / "relay" / "program.stamp").read_bytes().split()[1]
    (tmp_path / "old.elf").write_bytes(image.replace(stamp, b"0" * len(stamp)))
    with DirectMesh(board, 1, tmp_path / "old.elf") as there:
        outcome = mesh("run", "--serial", there.device, "--board", board, "--dim", 1, "--op",
                       "barrier")
    # A mesh that takes long to answer has its progress shown before.
    assert outcome.status == 2 and "image made for" in outcome.err.splitlines()[-1], outcome


@pytest.mark.free
def test_a_node_whose_power_fails_in_a_run_comes_back_and_is_heard(tmp_path):
    """Each worker in turn, and two at once: node 0 hears of each start, though what counts starts
    is lost with the power. Neighbours and others hear the node: node 3 is none of node 0."""
    image = tmp_path / "lives.elf"
    built = mesh("build", ROOT / "tests/mesh/apps/lives.cpp", "--board", SERIAL[0], "--as", "relay",
                 "-o", image)
    assert built.status == 0, built
    starts = 5
    with DirectMesh(SERIAL[0], 2, image) as there:
        with subprocess.Popen([BUILD / "host/mesh", "run", "--serial", there.device, "--board",
                               SERIAL[0], "--dim", "2", "--timeout", "60", "--app", image, "--",
                               str(starts)], stdout=subprocess.PIPE, text=True) as going:
            heard = {node: [] for node in (1, 2, 3)}
            for line in going.stdout:
                if said := re.fullmatch(r"\[0\] node (\d) start (\d)\n", line):
                    node, start = map(int, said.groups())
                    heard[node].append(start)
                    early = heard[3] and heard[3][-1] < starts - 2
                    cut = {node, 3} if node == 1 and early else {node}
                    if start < starts:
                        for at in cut:
                            there.power_off(at)
                        for at in cut:
                            there.power_on(at)
        assert going.returncode == 0, heard
    assert all(said[0] == 0 and said[-1] >= starts for said in heard.values()), heard
