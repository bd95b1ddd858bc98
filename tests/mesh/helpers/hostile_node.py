"""Nodes that are scripts, which `mesh run --qemu SCRIPT` starts in the place of an emulator.

A script gets QEMU's command line and socket. It can play a good node, which does no work and says
that all went well, up to the point where it turns bad.
"""
import pathlib
import re
import select
import socket
import struct
import sys
import textwrap
import time
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent
HOST_PORT = 0xFF
KIND = {"hello": 1, "data": 3, "host": 5, "idle": 6, "grant": 7}
TAG = {name: number for number, name in enumerate(
    "ready accepted pull push console report fault job start chunk poll hang abort trace "
    "no_carrier".split(), 1)}
NEVER = 2 ** 64 - 1
REPORT_BYTES = 1000  # at least as long as a NodeReport, whose counters are then all 0
CABLE_BYTES, HEAD_BYTES, PACKET_HEADER_BYTES = 14, 44, 36
KIND_AT, TAG_AT = 14, HEAD_BYTES + 12


def head(kind, port, packet_bytes=0, model_time=0, refused=0, sequence=0, flags=0):
    """Cable and link header with a right checksum."""
    link = struct.pack("<HBBHHIHHQHH", 0xB588, kind, port, sequence, 0, refused, 32, packet_bytes,
                       model_time, 1, flags)
    cable = bytes([2, 0, 0, 0, 0, port]) + bytes(6)
    return cable + link + struct.pack("<I", zlib.crc32(link))


def packet(tag, payload):
    start = struct.pack("<BBHIIHBBIIII", 0, 0, len(payload), 0, 0, tag, 0, 0, 0, 0, 0, 0)
    return start + struct.pack("<I", zlib.crc32(payload, zlib.crc32(start))) + payload


def host_frame(tag, payload=b""):
    body = packet(TAG[tag], payload)
    return head(KIND["host"], HOST_PORT, len(body)) + body


def report(done=1, status=0, finish_time=0):
    """A NodeReport."""
    words = struct.pack("<6IQ2I4IQ", *9 * [0], done, status, 0, 0, finish_time)
    return words + bytes(REPORT_BYTES - len(words))


class Node:
    """The node's side of the socket."""

    def __init__(self):
        mac = re.search(r"macaddr=([0-9a-f:]+)", " ".join(sys.argv)).group(1)
        self.number = int(mac.replace(":", "")[-6:], 16)
        self.socket = socket.socket(fileno=3)
        self.socket.setblocking(True)
        self.received = b""
        self.frames = 0
        self.ready = False

    def send(self, *frames):
        self.socket.sendall(b"".join(struct.pack(">I", len(f)) + f for f in frames))

    def say(self, tag, payload=b""):
        self.send(host_frame(tag, payload))

    def hear(self, timeout):
        """The next frame, or None if there is none for so long. Ends with the socket."""
        end = time.monotonic() + timeout
        while True:
            if len(self.received) >= 4:
                size = 4 + struct.unpack(">I", self.received[:4])[0]
                if len(self.received) >= size:
                    frame, self.received = self.received[4:size], self.received[size:]
                    self.frames += 1
                    return frame
            left = max(0, end - time.monotonic())
            if not select.select([self.socket], [], [], left)[0]:
                return None
            data = self.socket.recv(1 << 16)
            if not data:
                sys.exit(0)
            self.received += data

    def idle(self, timer=NEVER):
        """Lockstep: nothing left to do."""
        self.send(head(KIND["idle"], HOST_PORT, model_time=timer, refused=self.frames))

    def hello(self):
        self.send(head(KIND["hello"], 0))

    def play(self, until="", timer=NEVER, timeout=0.1, **result):
        """A good node up to what the host says in `until`: says hello whenever it has heard nothing
        for so long, as real ones do at boot, prepares any job, does it at once, and answers every
        question."""
        if not self.ready: # once in a life
            self.say("ready", bytes(20))
        self.ready = True
        while True:
            frame = self.hear(timeout)
            if frame is None:
                self.hello()
                continue
            word = ""
            if frame[KIND_AT] == KIND["host"] and frame[5] == HOST_PORT:
                tag = struct.unpack_from("<H", frame, TAG_AT)[0]
                word = [name for name, number in TAG.items() if number == tag][0]
            if word == until != "":
                return
            if word == "job":
                self.say("accepted")
            if word in ("start", "poll"):
                self.say("report", report(**result))
            self.idle(timer)


def write_script(folder, **bodies):
    """An emulator whose nodes run these bodies, by number: `node1="..."`; `others` for the rest."""
    path = pathlib.Path(folder) / "emulator"
    lines = ["#!/usr/bin/python3", "import os, sys, time", f"sys.path.insert(0, {str(FOLDER)!r})",
             "if '--version' in sys.argv:", "    print('QEMU emulator version 10.0.0')",
             "    sys.exit(0)", "from hostile_node import *", "node = Node()"]
    bodies.setdefault("others", "node.play()")
    for name, body in bodies.items():
        lines += [f"def {name}():", textwrap.indent(textwrap.dedent(body), "    ")]
    lines.append("globals().get(f'node{node.number}', others)()")
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o755)
    return path
