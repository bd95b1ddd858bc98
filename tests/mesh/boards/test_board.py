"""The default board's driver by itself: every length, every port, overflow, sleep, faults, printf.

The bare forwarder sends what comes in by port p out by port p + 1; the probe image does what no
ordinary program should.
"""
import random
import struct
import time

import pytest

import board_node
import boards
from board_node import (FRAME_BYTES_MAX, HEAD_BYTES, PACKET_HEADER_BYTES, BoardNode, Forwarder,
                        leaves_by)
from mesh_tool import BOARD, BUILD

PORTS = 8
LATE_US_MAX = 60_000_000  # an alarm beside other work of the machine
NIC_FRAME_BYTES = (14, 2047)  # what the interface takes


@pytest.fixture
def forwarder():
    with Forwarder(PORTS) as node:
        yield node


def random_frame(rng, size, port):
    return leaves_by(rng.randbytes(size), port)


@pytest.mark.toolchain
@pytest.mark.parametrize("port", range(PORTS))
def test_frames_of_every_length_cross_the_node_unchanged(forwarder, port):
    rng = random.Random(port)
    for size in range(HEAD_BYTES, FRAME_BYTES_MAX + 1):
        frame = random_frame(rng, size, port)
        forwarder.send(frame)
        assert forwarder.receive() == leaves_by(frame, (port + 1) % PORTS), f"{size} bytes"
    # one transfer in by its own channel, for what can be a packet, and one out by the next one's,
    # for whatever is behind a head
    expected = [0] * PORTS
    expected[port] = sum(1 for behind in range(1, FRAME_BYTES_MAX - HEAD_BYTES + 1)
                         if (behind + 3) // 4 >= PACKET_HEADER_BYTES // 4)
    expected[(port + 1) % PORTS] = FRAME_BYTES_MAX - HEAD_BYTES
    assert list(forwarder.report()["dma_transfers"]) == expected


def test_frames_shorter_than_a_head_are_reported_with_their_length(forwarder):
    for count, size in enumerate(range(NIC_FRAME_BYTES[0], HEAD_BYTES), 1):
        forwarder.send(random_frame(random.Random(size), size, 3))
        report = forwarder.report()
        assert (report["last_frame_bytes"], report["short_frames"]) == (size, count)
        assert report["forwarded"] == 0


def test_frames_longer_than_the_buffer_lose_their_tail_only(forwarder):
    rng = random.Random(1)
    for size in [*range(FRAME_BYTES_MAX + 1, FRAME_BYTES_MAX + 20), 1518, NIC_FRAME_BYTES[1]]:
        frame = random_frame(rng, size, 2)
        forwarder.send(frame)
        assert forwarder.receive() == leaves_by(frame, 3)[:FRAME_BYTES_MAX]
        assert forwarder.report()["last_frame_bytes"] == size


def test_frames_that_the_interface_cannot_take_do_no_harm(forwarder):
    for size in (0, 1, NIC_FRAME_BYTES[0] - 1, NIC_FRAME_BYTES[1] + 1, 4000):
        forwarder.send(bytes(size))
    frame = random_frame(random.Random(2), 700, 1)
    forwarder.send(frame)
    assert forwarder.receive() == leaves_by(frame, 2)
    assert forwarder.report()["received"] == 1


def test_ports_without_a_channel_work_without_dma(forwarder):
    for port in (PORTS, 100, 254):
        frame = random_frame(random.Random(port), 600, port)
        forwarder.send(frame)
        assert forwarder.receive()[6:] == frame[6:]
    assert sum(forwarder.report()["dma_transfers"]) <= 3  # some of them go out by a real port


def test_overflow_loses_whole_frames_and_nothing_else(forwarder):
    rng = random.Random(3)
    sent = returned = 0
    for _ in range(20):
        burst = [random_frame(rng, rng.choice([44, 60, 140, 1100, rng.randrange(44, 1101)]),
                              rng.randrange(PORTS)) for _ in range(64)]
        expected = [leaves_by(f, (f[board_node.CABLE_PORT] + 1) % PORTS) for f in burst]
        forwarder.send(*burst)
        sent += len(burst)
        for frame in forwarder.drained():
            while expected and expected[0] != frame:
                expected.pop(0)  # lost
            assert expected, "a frame that was not sent, or out of order"
            expected.pop(0)
            returned += 1
    assert 0 < returned < sent, "the test is to overflow the FIFO"
    report = forwarder.report()
    assert report["forwarded"] == report["received"] == returned
    assert report["transmit_errors"] == 0


@pytest.mark.free # and measured
def test_an_idle_node_costs_no_processor_time(forwarder):
    forwarder.report()
    for _ in range(5):  # a machine with other work counts its ticks late, now and then
        before = forwarder.cpu_s()
        time.sleep(2)
        spent = round(forwarder.cpu_s() - before, 3)
        if spent <= 0.02:  # two ticks of the system's clock
            break
    assert spent <= 0.02
    assert forwarder.report()["forwarded"] == 0


# ---- the probe image -----------------------------------------------------------------------------

WHAT = {name: number for number, name in enumerate(
    "print alarm wrap_awake wrap_asleep undefined_instruction write stack_overflow check "
    "unexpected_interrupt hang leave stack_use".split(), 1)}
EXCEPTION = 0xF000_0000
MEMORY, BUS, USAGE = EXCEPTION + 4, EXCEPTION + 5, EXCEPTION + 6
NO_DEVICE, NO_REGION = 0x5F00_0000, 0x6000_0000
FAULT_STATUS = 3


@pytest.fixture
def probe():
    with BoardNode("board_probe.elf", node=5, dim=8) as node:
        assert line(node) == "probe ready"
        yield node


def line(node):
    """The next console frame, without the newline that it must end with."""
    tag, text = node.hear()
    assert tag == board_node.TAG["console"] and text.endswith(b"\n")
    return text.decode()[:-1]


def command(node, what, argument=0):
    node.tell("job", struct.pack("<II", WHAT[what], argument))


@pytest.mark.toolchain
def test_printf_comes_out_whole(probe):
    for _ in range(3):
        command(probe, "print")
        assert line(probe) == "node 5 of dim 8"
        text = b""
        while not text.endswith(b"\n"):
            text += probe.hear()[1]
        assert text.decode() == "".join(f"{n:05d}" for n in range(60)) + "\n"
        window = [int(word) for word in line(probe).split()[1:]]
        assert window == boards.facts(BUILD, BOARD)["windows"]
        assert len(window) == PORTS and window == sorted(window, reverse=True)
        assert window[-1] >= FRAME_BYTES_MAX


@pytest.mark.parametrize("us", [0, 1, 1000, 100_000])
def test_the_alarm_is_never_early_and_needs_no_tick(probe, us):
    command(probe, "alarm", us)
    words = line(probe).split()
    assert us <= int(words[1]) < us + LATE_US_MAX
    assert int(words[3]) <= 2


def test_time_goes_on_over_the_end_of_the_counter(probe):
    command(probe, "wrap_awake")
    words = line(probe).split()
    assert words[:5] == ["end", "in", "period", "1", "backward"]
    assert int(words[5]) == 0 and int(words[7]) < LATE_US_MAX
    command(probe, "wrap_asleep")
    words = line(probe).split()
    assert int(words[1]) == 3 and int(words[3]) < LATE_US_MAX


@pytest.mark.toolchain
@pytest.mark.parametrize("what, argument, cause", [
    ("undefined_instruction", 0, USAGE),
    ("write", 0, MEMORY),
    ("write", NO_DEVICE, BUS),
    ("write", NO_REGION, MEMORY),
    ("stack_overflow", 100_000, USAGE),
    ("check", 7, 3),
    ("unexpected_interrupt", 7, EXCEPTION + 16 + 7),
])
def test_a_fault_ends_the_node_with_a_record(probe, what, argument, cause):
    command(probe, what, argument)
    tag, payload = probe.hear()
    assert tag == board_node.TAG["fault"]
    record = dict(zip("cause pc lr status address".split(), struct.unpack("<5I", payload)))
    assert record["cause"] == cause
    assert 0x1000_0000 < record["pc"] < 0x1001_0000
    assert record["address"] == (argument if what == "write" else 0)
    assert probe.process.wait(board_node.EXIT_S) == FAULT_STATUS


@pytest.mark.parametrize("status", [0, 9])
def test_the_exit_status_of_main_is_that_of_the_emulator(probe, status):
    command(probe, "leave", status)
    assert probe.process.wait(board_node.EXIT_S) == status


@pytest.mark.free # and measured
def test_a_node_that_hangs_says_nothing_and_costs_nothing(probe):
    command(probe, "hang")
    before = probe.cpu_s()
    command(probe, "print")
    assert probe.hear(1) is None
    assert probe.cpu_s() - before <= 0.05
    assert probe.process.poll() is None


def test_the_stack_keeps_its_high_water_mark(probe):
    command(probe, "stack_use")
    shallow = int(line(probe).split()[1])
    command(probe, "stack_overflow", 10)
    line(probe)
    command(probe, "stack_use")
    assert shallow + 10 * 256 <= int(line(probe).split()[1]) < 16 * 1024


@pytest.mark.parametrize("node,dim", [(5, 21), (8, 3)])
def test_an_address_that_no_node_has_ends_the_node_with_a_record(node, dim):
    with BoardNode("hello.elf", node, dim) as board:
        tag, record = board.hear()
        assert tag == board_node.TAG["fault"]
        assert struct.unpack_from("<I", record)[0] == board_node.check_id("no_such_node")


STAR = 2  # of Topology


def test_a_node_has_memory_for_the_star_of_7_and_says_so_of_a_larger_one():
    with BoardNode("job.elf", 5039, 7, STAR) as board:
        said = {board.receive()[board_node.CABLE_PORT] for _ in range(6)}
        assert said == set(range(6)), "hello by each port, and no record of a fault"
    with BoardNode("job.elf", 5040, 8, STAR) as board:
        tag, record = board.hear()
        assert tag == board_node.TAG["fault"]
        assert struct.unpack_from("<I", record)[0] == board_node.check_id("too_many_nodes")
