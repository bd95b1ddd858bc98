"""`mesh run --capture`: every frame at both ends of its cable, as Wireshark itself reads it."""
import collections
import json
import os
import re
import signal
import struct
import subprocess
import zlib

import pytest

from capture_tool import DATA, INBOUND, LUA, OUTBOUND, frames, tshark
from hostile_node import head, packet
from mesh_tool import (ENHANCED_PACKET, ROOT, blocks, mesh, program, refused, start, verified,
                       wait_until_full)

TIMELESS, HELLOS = 1, ("1", "2")
WORK = ["--dim", 3, "--op", "bcast", "--bytes", 4096, "--packet", 512, "--seed", 7]
FAULTS = ["--faults", "drop:0.05,corrupt:0.05,dup:0.05,reorder:0.05"]


def captured(folder, engine, *arguments):
    """A run with its report, and its capture."""
    file = folder / f"{engine}.pcapng"
    report = folder / f"{engine}.json"
    outcome = mesh("run", "--engine", engine, "--lockstep", "--capture", file, "--report", report,
                   *arguments)
    outcome.report = json.loads(report.read_text())
    return outcome, file


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """The same run with faults on both engines: {engine: (report, file)}."""
    folder = tmp_path_factory.mktemp("capture")
    runs = {engine: captured(folder, engine, *WORK, *FAULTS) for engine in ("sim", "qemu")}
    return {engine: (verified(outcome), file) for engine, (outcome, file) in runs.items()}


def snake(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def test_the_dissector_has_the_offsets_and_names_of_the_wire():
    lua, wire = LUA.read_text(), (ROOT / "firmware/wire/frame.hpp").read_text()
    services = (ROOT / "firmware/kernel/base/service.hpp").read_text()
    loads = (ROOT / "firmware/wire/load.hpp").read_text()

    def numbers(table):
        body = re.search(rf"local {table} = {{(.*?)}}\n", lua, re.S).group(1)
        return {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", body)}

    def constants(namespace):
        body = re.search(rf"namespace {namespace} {{(.*?)}} // namespace", wire, re.S).group(1)
        return {snake(name): int(value) for name, value in
                re.findall(r"constexpr std::size_t k(\w+) = (\d+);", body)}

    def names(table):
        body = re.search(rf"local {table} = {{(.*?)}}\n", lua, re.S).group(1)
        return [name for _, name in sorted((int(number), name) for number, name in
                                           re.findall(r'\[(\d+)\] = "(\w+)"', body))]

    def enumerators(text, name):
        body = re.search(rf"enum class {name}[^{{]*{{(.*?)}};", text, re.S).group(1)
        return re.findall(r"^\s*(\w+)", re.sub(r"//.*", "", body), re.M)

    head = {"head_bytes": int(re.search(r"kHeadBytes = (\d+)", wire).group(1))}
    header = {"header_bytes": int(re.search(r"kPacketHeaderBytes = (\d+)", wire).group(1))}
    cable = {"cable_to", "cable_port", "cable_from", "ether_type"} # Ethernet's own
    offsets = constants("offset") | head
    assert numbers("at") == {name: offset for name, offset in offsets.items() if name not in cable}
    assert numbers("packet_at") == constants("packet_offset") | header
    assert names("kinds") == enumerators(wire, "Kind")
    assert names("services") == enumerators(services, "Service")[:-1]
    assert names("load_tags") == enumerators(loads, "LoadTag")


def sealed_load(tag, position, block=b""):
    behind = struct.pack("<BBHIIIIIHH", tag, 0, 6, position, 0, 0, 5000, 3, 0, 8) + block
    return struct.pack("<I", zlib.crc32(behind)) + behind


def with_packet(kind, body, **words):
    return head(kind, 2, len(body), **words) + body


# A frame of each kind: its bytes, what the list of packets says of it, and some of its fields.
OF_KIND = {
    "hello": (head(1, 2, sequence=0x103, refused=5), "hello of node 5",
              {"hello.network": "0x0103", "hello.node": "5", "hello.known": "32"}),
    "hello_answer": (head(2, 2, refused=7, flags=0x0901), "hello_answer of node 7, start 9",
                     {"hello.node": "7", "flags": "0x0901"}),
    "data": (with_packet(3, packet(9, b"some words!!"), sequence=17),
             "data 17, expects 0, message 0 of node 0 at 0",
             {"sequence": "17", "packet.tag": "9", "packet.payload": b"some words!!".hex()}),
    "ack": (head(4, 2, sequence=6), "ack, expects 0", {"ack.session": "0x0006"}),
    "host": (with_packet(5, packet(4, b"")), "host, message 0 of node 0 at 0",
             {"packet.tag": "4", "packet.payload": ""}),
    "idle": (head(6, 2, refused=2**32 - 1, model_time=2**64 - 1), "idle",
             {"idle.consumed": "4294967295", "model_time": "18446744073709551615"}),
    "grant": (head(7, 2, model_time=3_000_000), "grant", {"model_time": "3000000", "hops": "1"}),
    "load": (with_packet(8, sealed_load(1, 2048, b"image")), "load, block at 2048",
             {"load.place": "6", "load.image_bytes": "5000", "load.nodes": "8",
              "load.block": b"image".hex()})}
CHECKSUMS = ("link_crc.bad", "packet.crc.bad", "load.checksum.bad")


def seen_by_wireshark(file, names):
    """The list of packets without its columns of addresses, and the fields of each frame."""
    fields = {name: f"meshputer.{name}" for name in names}
    fields.update({"malformed": "_ws.malformed", "lua_error": "_ws.lua.error"})
    return list(zip((line.split(" mesh ")[-1].split(maxsplit=1)[1] for line in tshark(file)),
                    frames(file, fields), strict=True))


def file_of(folder, all_frames):
    """They as Ethernet frames in a file that no mesh wrote."""
    file = folder / "frames.pcap"
    file.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + b"".join(
        struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame for frame in all_frames))
    return file


@pytest.mark.toolchain
def test_wireshark_reads_a_frame_of_each_kind(tmp_path):
    names = {name for *_, fields in OF_KIND.values() for name in fields} | {"kind", *CHECKSUMS}
    file = file_of(tmp_path, [frame for frame, *_ in OF_KIND.values()])
    seen = seen_by_wireshark(file, names)
    wrong = {*CHECKSUMS, "malformed", "lua_error"}
    for number, ((_, words, wanted), (shown, fields)) in enumerate(zip(OF_KIND.values(), seen), 1):
        assert shown == words and fields["kind"] == str(number), (shown, fields)
        assert wanted == {name: fields[name] for name in wanted}, fields
        assert not any(fields[name] for name in wrong), fields


@pytest.mark.toolchain
def test_wireshark_tells_frames_that_are_damaged_or_cut_short(tmp_path):
    damaged = [frame[:-1] + bytes([frame[-1] ^ 1]) for frame, *_ in OF_KIND.values()]
    short = [frame[:len(frame) - 1] for frame, *_ in OF_KIND.values() if len(frame) > 44]
    seen = seen_by_wireshark(file_of(tmp_path, damaged + short), CHECKSUMS)
    told = [[name for name in CHECKSUMS if fields[name]] for _, fields in seen]
    of_packet, of_load = ["packet.crc.bad"], ["load.checksum.bad"]
    of_link = ["link_crc.bad"]
    assert told == [of_link, of_link, of_packet, of_link, of_packet, of_link, of_link, of_load,
                    [], [], []]
    assert [shown.endswith("[wrong CRC]") for shown, _ in seen] == [bool(bad) for bad in told]
    assert not [fields for _, fields in seen if fields["malformed"] or fields["lua_error"]]


def test_behind_its_head_a_capture_has_the_same_bytes_on_both_engines(faulty):
    sim, qemu = (list(blocks(file.read_bytes())) for _, file in faulty.values())
    assert sim[1:] == qemu[1:] and len(sim) > 200
    assert b"--op bcast" in sim[0][1] and b"--engine sim" in sim[0][1]


@pytest.mark.toolchain
def test_processes_of_an_image_that_traces_are_captured_as_those_of_a_simulation(tmp_path):
    traces = program("traced_waits")
    for what, waits in (("circle", "1'1 waits for a message with tag 3 from node 2"),
                        ("parts", "1'2 waits for somebody to read a channel of its node")):
        found = []
        for engine in ("sim", "qemu"):
            outcome, file = captured(tmp_path, engine, "--dim", 2, "--app", traces, "--seed", 1,
                                     "--", what)
            assert outcome.status == 1 and waits in mesh("view", file).out, outcome
            found.append(list(blocks(file.read_bytes()))[1:])
        assert found[0] == found[1] and len([kind for kind, _ in found[0] if kind == 0xBAD]) > 4
    linked = [subprocess.run(["arm-none-eabi-nm", built], capture_output=True, text=True,
                             check=True).stdout for built in (traces, program("give_up"))]
    assert ["send_trace" in names for names in linked] == [True, False]


@pytest.mark.toolchain
def test_the_frames_of_a_capture_are_those_of_the_report(faulty):
    report, file = faulty["sim"]
    all_frames = frames(file)
    assert not [frame for frame in all_frames if frame["malformed"] or frame["lua_error"]]
    comments = collections.Counter(word.split()[0] for frame in all_frames if frame["comment"]
                                   for word in frame["comment"].split(", "))
    for fault in ("drop", "corrupt", "dup", "reorder"):
        assert comments[fault] == report["faults"][fault] > 0, fault
    assert comments["retransmission"] == report["retransmissions"] > 0
    first = [frame for frame in all_frames
             if frame["direction"] == OUTBOUND and frame["kind"] == DATA
             and "retransmission" not in frame["comment"]
             and not int(frame["packet_flags"], 16) & TIMELESS]
    assert len(first) == report["hops"]


@pytest.mark.toolchain
def test_checksums_are_wrong_exactly_where_frames_were_corrupted(faulty):
    for frame in frames(faulty["qemu"][1]):
        wrong = bool(frame["bad"] or frame["bad_packet"])
        assert wrong == frame["comment"].startswith("corrupt"), frame


@pytest.mark.toolchain
def test_a_frame_is_at_both_ends_of_its_cable_under_one_number(faulty):
    ends = collections.defaultdict(list)
    for frame in frames(faulty["sim"][1]):
        ends[frame["id"]].append(frame)
    for sent, *arrived in ends.values():
        node, port = map(int, sent["interface"].split("/"))
        assert sent["direction"] == OUTBOUND
        copies = 0 if "drop" in sent["comment"] else 2 if "dup" in sent["comment"] else 1
        assert [(frame["direction"], frame["interface"]) for frame in arrived] == \
            [(INBOUND, f"{node ^ 1 << port}/{port}")] * copies, sent


@pytest.mark.toolchain
def test_cut_cables_and_dead_nodes_are_named_on_their_frames(tmp_path):
    outcome, file = captured(tmp_path, "sim", "--dim", 3, "--op", "alltoall", "--bytes", 64,
                             "--faults", "cut:1/2@5,kill:6@20", "--seed", 3)
    all_frames = frames(file)
    comments = collections.Counter(frame["comment"].split(", ")[0] for frame in all_frames)
    hellos = [frame for frame in all_frames if frame["kind"] in HELLOS
              and frame["direction"] == OUTBOUND]
    assert hellos and all(frame["hello"] == frame["interface"].split("/")[0] and
                          not frame["refused"] for frame in hellos)
    assert comments["cut"] == outcome.report["faults"]["cut_frames"] > 0
    assert comments["nobody there"] > 0


@pytest.mark.toolchain
def test_a_short_capture_keeps_headers_and_wireshark_reads_it(tmp_path):
    _, whole = captured(tmp_path, "sim", *WORK)
    bytes_before, count = whole.stat().st_size, len(frames(whole))
    _, short = captured(tmp_path, "sim", *WORK, "--capture-bytes", 80)
    all_frames = frames(short)
    assert short.stat().st_size < bytes_before / 2 and len(all_frames) == count
    assert not [frame for frame in all_frames
                if frame["malformed"] or frame["bad"] or frame["bad_packet"]]


@pytest.mark.toolchain
def test_a_capture_to_standard_output_has_it_for_itself(tmp_path):
    command = mesh("run", "--engine", "sim", *WORK, "--capture", "-", "--report",
                   tmp_path / "report.json").command
    done = subprocess.run(command, capture_output=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0 and b"verified  8 of 8" in done.stderr
    piped = tmp_path / "piped.pcapng"
    piped.write_bytes(done.stdout)
    kinds = collections.Counter(frame["kind"] for frame in frames(piped))
    hops = json.loads((tmp_path / "report.json").read_text())["hops"]
    assert kinds[DATA] >= 2 * hops > 0


@pytest.mark.parametrize("dim, end, status, words", [
    (3, [], 130, "signal 2"), (7, ["--limit", 1], 1, "not done within --limit 1 s")])
def test_a_reader_that_stops_reading_does_not_keep_a_run_from_its_end(dim, end, status, words):
    """The pipe is full of frames of a run at work, to which the signal comes; or, however slow the
    machine is, of the names of 896 ports, which are written before the time of the run begins."""
    process = start("run", "--engine", "sim", "--dim", dim, "--op", "send", "--messages", 100_000,
                    "--bytes", 16, "--capture", "-", *end)
    try:
        wait_until_full(process.stdout)
        if not end:
            os.kill(process.pid, signal.SIGINT)
        assert process.wait(timeout=300) == status
        assert words in process.stderr.read()
    finally:
        process.kill()


def test_results_that_are_longer_than_an_option_come_whole(tmp_path):
    outcome, file = captured(tmp_path, "sim", "--dim", 13, "--op", "bcast", "--bytes", 16)
    assert len(json.dumps(outcome.report["delivery_hash"])) > 1 << 16
    shown = mesh("view", file, "--format", "text")
    assert shown.status == 0 and "has no end" not in shown.err, shown.err


def test_a_capture_is_viewed_as_it_comes_by_a_pipe(tmp_path):
    outcome, file = captured(tmp_path, "sim", *WORK)
    assert outcome.status == 0
    as_file = mesh("view", file, "--format", "text")
    with subprocess.Popen(["cat", file], stdout=subprocess.PIPE) as cat:
        piped = mesh("view", "-", "--format", "text", stdin=cat.stdout)
    assert as_file.status == piped.status == 0 and as_file.out == piped.out != ""


def test_a_full_disk_ends_the_capture_and_not_the_run():
    outcome = mesh("run", "--engine", "sim", *WORK, "--capture", "/dev/full")
    assert outcome.status == 1 and "verified  8 of 8 live nodes" in outcome.out
    assert re.search(r"--capture: No space left on device: it is cut off at frame \d+", outcome.err)


@pytest.mark.parametrize("arguments, allowed", [
    (["--capture", "/proc/nowhere/x"], "cannot be written"),
    (["--capture", "-", "--report", "-"], "one of them"),
    (["--capture-bytes", 100], "goes with"),
    (["--capture", "/dev/null", "--capture-bytes", 79], "80 or more")])
def test_a_capture_that_cannot_be_is_refused_before_anything_boots(arguments, allowed):
    refused(mesh("run", "--engine", "sim", *WORK, *arguments), allowed)


@pytest.mark.toolchain
def test_qemus_own_dump_has_the_same_frames(tmp_path):
    """Independent of the tool: what QEMU saw at the network interface of each node."""
    wrapper = tmp_path / "qemu"
    wrapper.write_text(
        "#!/bin/bash\n[ $# -gt 1 ] || exec qemu-system-arm \"$@\"\n"
        f"exec qemu-system-arm \"$@\" -object filter-dump,id=d,netdev=n,file={tmp_path}/$$.pcap\n")
    wrapper.chmod(0o755)
    outcome, file = captured(tmp_path, "qemu", "--dim", 1, "--op", "bcast", "--bytes", 2000,
                             "--packet", 256, "--faults", "drop:0.2", "--seed", 5,
                             "--qemu", wrapper)
    verified(outcome)
    dumped = collections.Counter()
    for dump in tmp_path.glob("*.pcap"):
        data, at = dump.read_bytes(), 24
        while at < len(data):
            length, = struct.unpack_from("<I", data, at + 8)
            dumped[data[at + 16:at + 16 + length]] += 1
            at += 16 + length
    ours = collections.Counter()
    for kind, block in blocks(file.read_bytes()):
        if kind == ENHANCED_PACKET:
            length, = struct.unpack_from("<I", block, 20)
            ours[block[28:28 + length]] += 1
    data_frames = {frame: count for frame, count in ours.items() if frame[14] == int(DATA)}
    assert data_frames == {frame: count for frame, count in dumped.items()
                           if frame[12:15] == b"\x88\xb5" + bytes([int(DATA)])}
    assert sum(data_frames.values()) >= 2 * 8 # packets


@pytest.mark.toolchain
@pytest.mark.parametrize("topology", ["cube", "uhc"])
def test_the_list_of_packets_names_both_ends_and_what_befell_a_frame(tmp_path, topology):
    outcome, file = captured(tmp_path, "sim", "--topology", topology, "--dim", 3, "--op", "bcast",
                             "--bytes", 64, "--faults", "drop:0.2", "--seed", 3)
    assert verified(outcome)
    marked = 0
    for frame, line in zip(frames(file), tshark(file), strict=True):
        node, port = frame["interface"].split("/")
        here, there = f"node {node} port {port}", f"node {int(node) ^ 1 << int(port)} port {port}"
        source, target = (there, here) if frame["direction"] == INBOUND else (here, there)
        assert re.search(f" {source} (→|->) {target} mesh ", line), line
        assert (f"[{frame['comment']}]" in line) == bool(frame["comment"]), line
        marked += bool(frame["comment"])
    assert marked > 0
