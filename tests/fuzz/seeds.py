#!/usr/bin/python3
"""Writes the seed corpus of every target: well-formed frames of each kind, and a few broken ones.

    seeds.py FOLDER

The corpus in the repository was made by it; run it again when the frame layout changes.
"""
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


def main():
    for target in ("frame_parser", "link_receive", "loom_input", "node_input", "session_input"):
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
