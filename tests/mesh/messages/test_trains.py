"""Trains: a frame of the Ethernet board carries several packets, and nothing but speed tells so."""
import collections

import pytest

from capture_tool import DATA, INBOUND, OUTBOUND, frames
from mesh_tool import mesh, run, verified

pytestmark = pytest.mark.free # frames of several packets are for speed; in lockstep there are none
PACKET = 100
SENDS = ["--free", "--dim", 3, "--op", "send", "--bytes", 30000, "--packet", PACKET]


def dma_frames(report):
    """Frames with packets that DMA took in or out."""
    return sum(map(sum, report["dma_transfers"]))


def test_several_packets_leave_in_one_frame():
    outcome = run("qemu", *SENDS)
    assert dma_frames(verified(outcome)) < 2 * outcome.report["hops"], outcome
    alone = run("qemu", *SENDS[1:], "--lockstep")
    assert dma_frames(verified(alone)) >= 2 * alone.report["hops"], alone


def test_a_capture_has_each_packet_as_a_frame(tmp_path):
    file = tmp_path / "run.pcapng"
    outcome = mesh("run", "--engine", "qemu", *SENDS, "--capture", file)
    assert outcome.status == 0, outcome
    data = [frame for frame in frames(file) if frame["kind"] == DATA]
    assert not [frame for frame in data if frame["malformed"] or frame["lua_error"]
                or frame["bad"] == "True" or frame["bad_packet"] == "True"]
    ways = collections.defaultdict(list)
    for frame in data:
        ways[frame["id"]].append(frame["direction"])
    assert len(ways) > 7 * 30000 / PACKET
    assert all(sorted(way) == sorted([INBOUND, OUTBOUND]) for way in ways.values())


def test_faults_strike_single_packets():
    """None is lost or damaged with another one, and each that is damaged is noticed."""
    outcome = run("qemu", *SENDS, "--faults", "drop:0.05,corrupt:0.05,dup:0.02,reorder:0.02")
    report = verified(outcome)
    for kind in ("drop", "corrupt"):
        assert report["faults"][kind] > 0.03 * report["hops"], outcome
    noticed = report["dropped"]["crc"] + report["dropped"]["malformed"]
    assert 0 < noticed <= report["faults"]["corrupt"], outcome
    assert report["retransmissions"] > 0, outcome


def test_a_cable_is_cut_between_the_packets_of_a_train():
    outcome = run("qemu", *SENDS, "--faults", "cut:0/0@50")
    assert verified(outcome)["faults"]["cut"] == ["0/0"], outcome
