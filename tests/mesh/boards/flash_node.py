"""A lone node of a board whose loader keeps images in flash: an emulator whose flash is a file, and
the script in the place of the host, which speaks as wire/load.hpp says. Its images are a few
instructions that print their version on the host's line."""
import pathlib
import select
import socket
import struct
import subprocess
import time
import zlib

import boards
from mesh_tool import BUILD

BOARD = "ast1030-evb"
BLOCK_BYTES = 1024
FILL = 14  # bytes at a time
HOST_LINE = bytes([0xF0])  # a loader's message by the host's line
BLOCK, START, HAVE, STARTED, REFUSED = range(1, 6)
HEADER = struct.Struct("<IBBHIIIIIHH")
TREE = b"\0"  # of one node
ANSWER_S = 60
# In place of -nodefaults, without which there is no flash either.
WITH_FLASH = ["-nic", "none", "-parallel", "none"]


def stuffed(frame):
    """The bytes of a frame on the line (wire/cobs.hpp), filled up so that no receiver waits."""
    out, block = bytearray([0]), bytearray()
    for at, byte in enumerate(frame):
        if byte:
            block.append(byte)
        if not byte or len(block) == 254 and at + 1 < len(frame):
            out += bytes([len(block) + 1]) + block
            block = bytearray()
    out += bytes([len(block) + 1]) + block + b"\0"
    return bytes(out) + bytes(-len(out) % FILL)


def plain(line):
    """A frame of the bytes between two zeroes."""
    out = bytearray()
    while line:
        code, line = line[0], line[1:]
        out += line[:code - 1]
        line = line[code - 1:]
        if code < 255 and line:
            out.append(0)
    return bytes(out)


def image(version, size):
    """Behind the loader: a vector table, then instructions that write the version to the host line
    and sleep."""
    at, line = 0x4000, 0x7E784000
    code = struct.pack("<II", 0x80000, at + 9)  # stack; the reset handler, in Thumb
    code += struct.pack("<7H", 0x4802, 0x2100 | version, 0x6001, 0xBF30, 0xE7FD, 0xBF00, 0)[:12]
    code += struct.pack("<I", line)
    return code + bytes((7 * number + version) % 251 for number in range(size - len(code)))


class FlashNode:
    """From power-on to power-off; what is in `flash`, a file, stays."""

    def __init__(self, flash, size=0x100000):
        self.flash = pathlib.Path(flash)
        if not self.flash.exists():
            self.flash.write_bytes(b"\xff" * size)
        self.process = self.socket = None

    def power_on(self):
        ours, theirs = socket.socketpair()
        self.socket = ours
        self.process = subprocess.Popen(
            ["qemu-system-arm", *boards.facts(BUILD, BOARD)["flash"]["machine"], "-accel",
             "tcg,tb-size=2", *WITH_FLASH, "-monitor", "none", "-display", "none",
             "-kernel", str(BUILD / BOARD / "loader" / "loader.elf"),
             "-drive", f"if=mtd,format=raw,file={self.flash}",
             "-chardev", f"socket,id=l0,fd={theirs.fileno()}", "-serial", "chardev:l0"],
            pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        self.received = b""
        return self

    def power_off(self):
        """Without a warning to the node. What its flash was told to write comes to the file: the
        emulator writes behind the node's back, and would leave it out if it were killed."""
        self.process.terminate()
        self.process.wait()
        self.socket.close()

    def __enter__(self):
        return self.power_on()

    def __exit__(self, *_):
        self.power_off()

    def read(self, seconds):
        if select.select([self.socket], [], [], seconds)[0]:
            self.received += self.socket.recv(65536)

    def says(self):
        """The first byte that is no loader's, of the image that it has booted."""
        until = time.monotonic() + ANSWER_S
        while not self.received and time.monotonic() < until:
            self.read(1)
        assert self.received, "it boots nothing"
        return self.received[0]

    def tell(self, tag, told, position=0, block=b"", version=0, older=0):
        whole = TREE + told
        words = (tag, 0, 0, position, zlib.crc32(whole), zlib.crc32(told), len(told), version,
                 older, len(TREE))
        behind = HEADER.pack(0, *words)[4:] + block
        self.socket.sendall(stuffed(HOST_LINE + struct.pack("<I", zlib.crc32(behind)) + behind))

    def answer(self):
        """(tag, position) of the next answer; None if there is none for a while."""
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            line, zero, rest = self.received.partition(b"\0")
            if not zero:
                self.read(0.1)
                continue
            self.received = rest
            message = plain(line)[1:]
            if len(message) == HEADER.size:
                _, tag, _, _, position, *_ = HEADER.unpack(message)
                return tag, position
        return None

    def asked(self, wanted, *words, **more):
        """Says it until it is answered so; else what the last answer was."""
        until, got = time.monotonic() + ANSWER_S, None
        while got != wanted and time.monotonic() < until:
            self.tell(*words, **more)
            while (heard := self.answer()) is not None:
                got = heard
                if got[0] == REFUSED or got == wanted:
                    return got
        return got

    def update(self, version, told, steps=None, older=0):
        """Gives it an image of one node's mesh, or only so many steps of that: the tree, the
        blocks, and the word to start, which is answered: all of it is (STARTED, len(TREE + told)).
        """
        blocks = [TREE] + [told[at:at + BLOCK_BYTES] for at in range(0, len(told), BLOCK_BYTES)]
        got, at = None, 0
        for block in blocks[:steps]:
            got = self.asked((HAVE, at + len(block)), BLOCK, told, at, block, version=version,
                             older=older)
            if got is not None and got[0] == REFUSED:
                return got
            at += len(block)
        if steps is None or steps > len(blocks):
            got = self.asked((STARTED, at), START, told, version=version, older=older)
        return got
