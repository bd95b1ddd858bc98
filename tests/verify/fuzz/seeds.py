#!/usr/bin/python3
"""Writes the seed corpus of every target: well-formed frames, files and a few broken ones.

    seeds.py FOLDER

The corpus in the repository was made by it; run it again when a layout changes.
"""
import json
import pathlib
import struct
import sys
import zlib

KINDS = {"hello": 1, "hello_answer": 2, "data": 3, "ack": 4, "host": 5, "idle": 6, "grant": 7}


def packet(rule=1, payload=b"", source=0, destination=3, tag=0, service=0):
    head = struct.pack("<BBHIIHBBIIII", rule, 0, len(payload), source, destination, tag, service, 0,
                       1, 0, len(payload), 0)
    return head + struct.pack("<I", zlib.crc32(payload, zlib.crc32(head))) + payload


def frame(kind, port=0, body=b"", sequence=0):
    cable = bytes([2, 0, 0, 0, 0, port, 2, 0, 3, 0, 0, 5])
    head = struct.pack("<HBBHHIHHQHH", 0xB588, kind, port, sequence, 0, 0, 32, len(body), 1, 1, 0)
    return cable + head + struct.pack("<I", zlib.crc32(head)) + body


def seeds():
    for name, kind in KINDS.items():
        body = packet(payload=b"mesh" * 4) if name in ("data", "host") else b""
        yield name, frame(kind, port=0xFF if name in ("host", "idle", "grant") else 1, body=body)
    yield "packet", packet(payload=bytes(range(64)))
    yield "empty_packet", packet()
    yield "full_packet", frame(3, body=packet(payload=bytes(1024)))
    yield "broken_crc", frame(3, body=packet(payload=b"x"))[:-1] + b"y"
    yield "short", frame(4)[:20]
    yield "empty", b""


def padded(data):
    return data + bytes(-len(data) % 4)


def block(kind, body):
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def option(code, data):
    return struct.pack("<HH", code, len(data)) + padded(data)


def captures():
    """A cube of two nodes: a packet from node 0 to node 1, and what node 1 prints."""
    plan = {"topology": "cube", "dim": 1, "tau": 1.0, "tc": 0.0}
    section = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) +
                    option(1, json.dumps(plan).encode()) + option(4, b"mesh run") + bytes(4))
    ends = [block(1, struct.pack("<HHI", 1, 0, 0) +
                  option(3, f"node {node} port 0 -> node {1 - node} port 0".encode()) + bytes(4))
            for node in (0, 1)]
    wire = frame(3, body=packet(payload=b"mesh", destination=1))
    passages = [block(6, struct.pack("<IIIII", end, 0, 5, len(wire), len(wire)) + padded(wire) +
                      option(2, struct.pack("<I", way)) + option(5, struct.pack("<Q", 1)) +
                      bytes(4))
                for end, way in ((0, 2), (1, 1))]
    event = block(0xBAD, struct.pack("<IQIBBHI", 32473, 7, 1, 3, 0, 0, 2) + padded(b"hi"))
    end = block(5, bytes(12) + option(1, b'{"steps": 1}') + bytes(4))
    whole = section + b"".join(ends) + b"".join(passages)
    yield "whole", whole + event + end
    yield "without_end", whole[:-3]
    yield "head", section
    yield "empty", b""


def programs():
    """An image with a stamp, a function and a variable."""
    parts = {".mesh.stamp": b"mps2-an505 0123456789ab\n",
             ".strtab": b"\0app_main\0_ZN4mesh11node_memoryE\0end\0", ".mesh_waits": bytes(64),
             ".mesh_memory": bytes(32),
             ".symtab": bytes(16) + struct.pack("<IIIBBH", 1, 0x1001, 8, 2, 0, 1) +
             struct.pack("<IIIBBH", 10, 0x2000, 64, 1, 0, 1) +
             struct.pack("<IIIBBH", 34, 0x3000, 0, 0, 0, 1)}
    names = b"\0" + b"".join(name.encode() + b"\0" for name in parts) + b".shstrtab\0"
    parts[".shstrtab"] = names
    body, table = b"", bytes(40)
    for name, content in parts.items():
        table += struct.pack("<10I", names.index(name.encode()), 1, 0, 0, 52 + len(body),
                             len(content), 0, 0, 4, 0)
        body += padded(content)
    head = b"\x7fELF\1\1\1" + bytes(9) + struct.pack(
        "<HHIIIIIHHHHHH", 2, 40, 1, 0, 0, 52 + len(body), 0, 52, 0, 0, 40, len(parts) + 1,
        len(parts))
    yield "image", head + body + table
    yield "head", head
    yield "other_machine", head[:18] + b"\x03" + head[19:] + body + table
    yield "empty", b""


def boards():
    for file in sorted(pathlib.Path(__file__).resolve().parents[3].glob("boards/*/board.json")):
        yield file.parent.name, file.read_bytes()
    yield "text", b"[1]"


def main():
    frames = ("frame_parser", "link_receive", "loom_input", "node_input", "session_input")
    for target, contents in {**{name: seeds for name in frames}, "capture_view": captures,
                             "program_elf": programs, "board_file": boards}.items():
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
