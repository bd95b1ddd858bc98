"""A node of the default board without the host tool: frames in and out of its interface."""
import os
import re
import select
import socket
import struct
import subprocess
import time
import zlib

import boards
import mesh_tool

HEAD_BYTES = 44
PACKET_HEADER_BYTES = 36
PACKET_CRC = PACKET_HEADER_BYTES - 4
PACKET_BYTES_MAX = PACKET_HEADER_BYTES + 1024
FRAME_BYTES_MAX = HEAD_BYTES + PACKET_BYTES_MAX
HOST_PORT = 0xFF
CABLE_PORT = 5
KIND_HOST = 5
TAG = {"console": 5, "report": 6, "fault": 7, "job": 8, "start": 9, "poll": 11}
EXIT_S = 60


def check_id(name):
    """The number of a failed check, as a crash record has it."""
    text = (mesh_tool.ROOT / "firmware" / "hal" / "check.hpp").read_text()
    for first, rest in re.findall(r"enum class \w+[^{]*\{[^=]*?(\w+ = \d+),(.*?)\}", text, re.S):
        names = [first.split()[0], *re.findall(r"^\s*(\w+),", rest, re.M)]
        if name in names:
            return int(first.split()[-1]) + names.index(name)
    raise KeyError(name)


def leaves_by(frame, port):
    """The frame as it must look when it goes out by this port."""
    return frame[:CABLE_PORT] + bytes([port]) + frame[CABLE_PORT + 1:]


def check_sums(frame):
    """Both checksums of a frame that the firmware made, see wire/frame.hpp."""
    packet = frame[HEAD_BYTES:]
    assert zlib.crc32(frame[12:40]) == struct.unpack_from("<I", frame, 40)[0]
    expected = zlib.crc32(packet[PACKET_HEADER_BYTES:], zlib.crc32(packet[:PACKET_CRC]))
    assert expected == struct.unpack_from("<I", packet, PACKET_CRC)[0]


class BoardNode:
    """A running node; use as a context manager."""

    def __init__(self, image, node=5, dim=8, topology=0):
        ours, theirs = socket.socketpair()
        words = (2, topology, dim, node >> 16, node >> 8 & 255, node & 255)
        mac = ":".join(f"{word:02x}" for word in words)
        self.socket = ours
        self.received = b""
        self.process = subprocess.Popen(
            [*boards.machine(mesh_tool.BUILD, mesh_tool.BOARD),
             "-kernel", str(mesh_tool.IMAGES / image),
             "-netdev", f"socket,id=n0,fd={theirs.fileno()}",
             "-net", f"nic,netdev=n0,macaddr={mac}",
             "-semihosting-config", "enable=on,target=gdb"],
            pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.kill()
        self.process.wait()

    def send(self, *frames):
        self.socket.sendall(b"".join(struct.pack(">I", len(f)) + f for f in frames))

    def receive(self, timeout=EXIT_S):
        """The next frame; None when there was none for so long, or the node has ended."""
        end = time.monotonic() + timeout
        while True:
            if len(self.received) >= 4:
                size = 4 + struct.unpack(">I", self.received[:4])[0]
                if len(self.received) >= size:
                    frame, self.received = self.received[4:size], self.received[size:]
                    return frame
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                return None
            data = self.socket.recv(65536)
            if not data:
                return None
            self.received += data

    def tell(self, tag, payload=b""):
        """A host frame; the bare images look at its tag and payload only."""
        head = bytearray(HEAD_BYTES)
        head[CABLE_PORT] = HOST_PORT
        head[12:16] = bytes([0x88, 0xB5, KIND_HOST, HOST_PORT])
        struct.pack_into("<H", head, 26, PACKET_HEADER_BYTES + len(payload))
        packet = bytearray(PACKET_HEADER_BYTES)
        struct.pack_into("<H", packet, 2, len(payload))
        struct.pack_into("<H", packet, 12, TAG[tag])
        self.send(bytes(head + packet) + payload)

    def hear(self, timeout=EXIT_S):
        """Tag and payload of the next host frame, or None; frames on cables are passed over."""
        while (frame := self.receive(timeout)) is not None:
            if frame[CABLE_PORT] == HOST_PORT:
                check_sums(frame)
                tag = struct.unpack_from("<H", frame, HEAD_BYTES + 12)[0]
                return tag, frame[HEAD_BYTES + PACKET_HEADER_BYTES:]
        return None

    def cpu_s(self):
        """Processor time that QEMU has used."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Forwarder(BoardNode):
    """A node that runs tests/bench/bare_forwarder, ready for frames."""

    FIELDS = "received forwarded short_frames last_frame_bytes sleeps transmit_errors".split()

    def __init__(self, ports=8, step=1):
        super().__init__("bare_forwarder.elf")
        if self.hear() is None:
            raise RuntimeError("the bare forwarder does not come up")
        self.tell("start", struct.pack("<5I", ports, step, 0, 0, 0))

    def drained(self):
        """Yields the frames on cables, until one that was sent behind all others is answered. It is
        lost where the interface is full, and then sent again."""
        while True:
            self.tell("poll")
            while (frame := self.receive(1)) is not None:
                if frame[CABLE_PORT] == HOST_PORT:
                    return
                yield frame

    def report(self):
        self.tell("poll")
        while (answer := self.hear()) is not None and answer[0] != TAG["report"]:
            pass
        values = struct.unpack("<14I", answer[1])
        return dict(zip(self.FIELDS, values), dma_transfers=values[6:])
