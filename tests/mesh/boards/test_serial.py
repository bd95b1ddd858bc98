"""Whole runs on boards whose links are serial lines, and what every board.json promises.

With --exhaustive (`make conform`) every op on every network of --nodes that a board carries.
"""
import sys

import pytest

import boards
from mesh_tool import BUILD, console, mesh, refused, run, some, verified
from networks import nodes_of

ALL = boards.names(BUILD)
FEW = boards.with_few_images() | boards.with_no_images()
SERIAL = [board for board in ALL if "serial" in boards.facts(BUILD, board)["lines"]]
SAME = "steps hops retransmissions delivery_hash link_packets faults".split()
# Blocks that fit the smallest board.
SIZES = {
    "bcast": ["--bytes", 3000], "scatter": ["--bytes", 200], "gather": ["--bytes", 200],
    "allgather": ["--bytes", 200], "alltoall": ["--bytes", 100], "reduce": ["--bytes", 1000],
    "allreduce": ["--bytes", 1000], "scan": ["--bytes", 1000],
    "send": ["--messages", 2, "--bytes", 1500], "barrier": [], "ascend": ["--bytes", 1024],
    "descend": ["--bytes", 1024], "sort": ["--bytes", 1024], "fft": ["--bytes", 1024],
}
# A node has a block of every node, three times, in 18 KB.
OF_EVERY_NODE, BYTES_OF_EVERY_NODE = ("allgather", "alltoall"), 5000
STEP_OPS = ("ascend", "descend", "sort", "fft")
FAULTS = "drop:0.1,dup:0.05,reorder:0.05"
NODES_OF_A_SAMPLE = 8
SMALL = [board for board in SERIAL if "buffers" in boards.facts(BUILD, board)]
CONTENDING = {
    "send": ["--dim", 3, "--op", "send", "--faults", "drop:0.1"],
    "alltoall": ["--dim", 2, "--op", "alltoall", "--bytes", 100],
    # An answer leaves by another port than its question came in by, and that port may be busy.
    "answers": ["--topology", "uhc", "--dim", 3, "--op", "bcast", "--bytes", 3000, "--lockstep",
                "--faults", "drop:0.1,dup:0.05,reorder:0.05", "--seed", 2],
    "all faults": ["--dim", 2, "--op", "bcast", "--bytes", 3000, "--lockstep", "--faults",
                   "drop:0.2,corrupt:0.1,dup:0.1,reorder:0.1"],
}


def says_hello(board):
    """Runs free: a mesh of the board boots, and each node prints."""
    outcome = mesh("run", "--board", board, "--free", "--timeout", 60, "--dim", 2, "--app", "hello")
    assert outcome.status == 0 and console(outcome).keys() == {0, 1, 2, 3}, outcome


@pytest.mark.free(gate=True)
@pytest.mark.parametrize("board", ALL)
def test_a_board_boots_and_runs_free(board):
    says_hello(board)


def test_there_are_boards_with_serial_lines():
    assert SERIAL and len(ALL) > len(SERIAL)


@pytest.mark.free(gate=True)
def test_boards_with_few_images_say_hello_in_a_mesh():
    assert FEW < set(ALL)
    for board in boards.with_few_images():
        says_hello(board)


@pytest.mark.parametrize("board", SERIAL)
@pytest.mark.parametrize("op", CONTENDING)
def test_lockstep_is_the_same_as_simulated_to_the_byte(board, op):
    same_as_simulated(board, *on_ports(board, CONTENDING[op]))


@pytest.mark.parametrize("board", SMALL)
def test_a_simulation_of_a_small_board_runs_out_of_buffers_where_that_does(board):
    same_as_simulated(board, *on_ports(board, ["--topology", "star", "--dim", 4, "--op", "gather",
                                               "--bytes", 200, "--lockstep", "--faults", FAULTS]))


def on_ports(board, arguments):
    """The same on the largest network of the kind that the board has ports for; a damaged frame
    tells a serial line less than a simulation, so that where frames are damaged the packets are as
    many as they are elsewhere."""
    words = list(arguments)
    if "corrupt" in " ".join(map(str, words)):
        size = words.index("--bytes") + 1
        words[size] = words[size] * boards.facts(BUILD, board).get("payload", 1024) // 1024
    at = words.index("--dim") + 1
    words[at] = min(words[at], boards.ports(BUILD, board) + ("star" in words))
    return words


def same_as_simulated(board, *arguments):
    real, simulated = (verified(run(engine, "--board", board, *arguments))
                       for engine in ("qemu", "sim"))
    for what in SAME:
        # The sines of two libraries differ in the last bit.
        rounds = what == "delivery_hash" and real["op"] == "fft"
        assert rounds or real[what] == simulated[what], (what, arguments)


def every_op(board, least, most):
    """Arguments of each op, on all networks of `least` to `most` nodes that the board carries."""
    ports = boards.ports(BUILD, board)
    for topology in ("cube", "uhc", "star"):
        first, beyond = (3, ports + 2) if topology == "star" else (1, ports + 1)
        for dim in range(first + (topology == "uhc"), beyond):
            nodes = nodes_of(topology, dim)
            if not least <= nodes <= most:
                continue
            for op, size in SIZES.items():
                if op in OF_EVERY_NODE:
                    size = ["--bytes", min(size[1], BYTES_OF_EVERY_NODE // nodes)]
                if topology != "star" or op not in STEP_OPS:
                    yield ["--topology", topology, "--dim", dim, "--op", op, *size]


@pytest.mark.parametrize("board", ALL)
def test_ops_take_the_steps_of_the_simulation_and_the_same_with_faults(board, exhaustive, request):
    asked = request.config.getoption("--nodes").split("-")
    least, most = map(int, asked) if exhaustive else (1, NODES_OF_A_SAMPLE)
    for arguments in some(every_op(board, least, most), 2, exhaustive, board):
        real, simulated = (verified(run(engine, "--board", board, "--lockstep", *arguments))
                           for engine in ("qemu", "sim"))
        assert real["board"] == board
        if simulated["formula_steps"] is not None:
            assert real["steps"] == simulated["steps"], arguments
        same_as_simulated(board, *arguments, "--lockstep", "--faults", FAULTS)


def test_a_packet_takes_fewer_bytes_on_a_line_than_on_ethernet():
    packets = 16 # of more the root first hears that all have begun
    bytes_a_hop = {}
    for board in (ALL[0], SERIAL[0]):
        # In lockstep nothing is late, so nothing is sent twice.
        report = verified(run("qemu", "--board", board, "--dim", 1, "--op", "bcast", "--tree",
                              "sbt", "--packet", 64, "--bytes", 64 * packets, "--lockstep"))
        assert report["hops"] == packets
        bytes_a_hop[board] = report["cable_bytes"] / packets
    # Headers of 44 and 36 bytes, and an acknowledgement of 44 for each packet.
    assert bytes_a_hop[ALL[0]] == 64 + 44 + 36 + 44, bytes_a_hop
    # All of that is less here than the header of a link alone is there.
    assert 64 < bytes_a_hop[SERIAL[0]] < 64 + 44, bytes_a_hop


@pytest.mark.parametrize("board", [pytest.param(ALL[0], marks=pytest.mark.toolchain), *ALL[1:]])
def test_a_node_has_the_window_that_its_board_json_says(board):
    windows = boards.facts(BUILD, board)["windows"]
    outcome = mesh("run", "--board", board, "--lockstep", "--dim", 2, "--app",
                   BUILD / board / "app_windows.elf")
    assert set(sum(console(outcome).values(), [])) == {f"window {windows[1]}"}, outcome


@pytest.mark.parametrize("board", SERIAL)
def test_a_crash_is_told_over_the_line_of_the_host(board):
    outcome = mesh("run", "--board", board, "--lockstep", "--dim", 1, "--app",
                   BUILD / board / "app_crash.elf", "--", "divide")
    assert outcome.status == 1 and "stopped: division by zero" in outcome.err, outcome


# An emulator whose words to the host, by its first socket, come late: when it has ended and its
# other sockets with it.
LATE = """#!{python}
import ctypes, os, shutil, signal, socket, subprocess, sys, threading, time
PR_SET_PDEATHSIG = 1
emulator = [shutil.which("qemu-system-arm"), *sys.argv[1:]]
if sys.argv[1:] == ["--version"]:
    os.execv(emulator[0], emulator)
host = socket.socket(fileno=os.dup(3))
host.setblocking(True)
near, far = socket.socketpair()
os.dup2(far.fileno(), 3)
given = range(3, host.fileno())
process = subprocess.Popen(emulator, pass_fds=given, preexec_fn=lambda: ctypes.CDLL(None).prctl(
    PR_SET_PDEATHSIG, signal.SIGKILL))
for descriptor in given:
    os.close(descriptor)
far.close()
def forward():
    while data := host.recv(65536):
        near.sendall(data)
threading.Thread(target=forward, daemon=True).start()
while True:
    time.sleep(0.1)
    if not (data := near.recv(65536)):
        break
    time.sleep(0.2)
    host.sendall(data)
os._exit(process.wait())
"""


def test_a_crash_record_is_heard_after_the_end_of_the_ports(tmp_path):
    late = tmp_path / "late"
    late.write_text(LATE.replace("{python}", sys.executable))
    late.chmod(0o755)
    board = SERIAL[0]
    outcome = mesh("run", "--qemu", late, "--lockstep", "--board", board, "--dim", 1, "--app",
                   BUILD / board / "app_crash.elf", "--", "divide")
    assert outcome.status == 1 and "stopped: division by zero" in outcome.err, outcome


@pytest.mark.parametrize("board", SERIAL)
def test_a_full_stack_is_told_as_one(board):
    outcome = mesh("run", "--board", board, "--lockstep", "--dim", 1, "--app",
                   BUILD / board / "app_crash.elf", "--", "recurse")
    assert outcome.status == 1 and "stopped: stack overflow" in outcome.err, outcome


def test_a_mesh_of_boards_that_differ_is_refused():
    one, other = [board for board in SERIAL if board not in FEW][:2]
    refused(mesh("run", "--board", one, "--dim", 1, "--app", BUILD / one / "hello.elf", "--app",
                 f"{BUILD / other / 'hello.elf'}@1"), f"was built for board {other}, not for {one}")


@pytest.mark.parametrize("board", SERIAL)
def test_more_dimensions_than_lines_are_refused(board):
    lines = len(boards.facts(BUILD, board)["lines"]["serial"])
    refused(mesh("run", "--board", board, "--dim", lines, "--op", "barrier"), "--dim up to")


SMALLEST = [board for board in ALL if boards.facts(BUILD, board).get("payload", 1024) < 1024]


def test_a_board_with_small_packets_is_simulated_with_as_small_ones():
    board, payload = SMALLEST[0], boards.facts(BUILD, SMALLEST[0])["payload"]
    report = verified(run("sim", "--board", board, "--dim", 2, "--op", "bcast", "--bytes", 3000))
    assert (report["packet"], report["packets"]) == (payload, -(-3000 // payload))
    # Packets of a message, which nobody cuts but the nodes themselves.
    send = ["--dim", 1, "--op", "send", "--target", 1, "--bytes", 3000]
    hops = [verified(run("sim", *more, *send))["hops"] for more in (["--board", board], [])]
    assert hops[0] > 2 * hops[1], hops


@pytest.mark.parametrize("op", ["send", "reduce", "gather"])
def test_a_packet_that_the_board_does_not_have_is_refused_with_the_largest(op):
    board, payload = SMALLEST[0], boards.facts(BUILD, SMALLEST[0])["payload"]
    for engine in ("sim", "qemu"):
        refused(mesh("run", "--engine", engine, "--board", board, "--dim", 1, "--op", op, "--bytes",
                     400, "--packet", payload + 4),
                f"allowed: 16 to {payload}; {board} has no larger packets")


def test_more_words_than_the_job_of_a_small_packet_holds_are_refused():
    board, payload = SMALLEST[0], boards.facts(BUILD, SMALLEST[0])["payload"]
    refused(mesh("run", "--engine", "sim", "--board", board, "--dim", 1, "--app", "hello", "--",
                 "x" * (payload - 64)), f"at most {payload - 64} are allowed")
