"""Lockstep: the same seed gives the same run to the byte, faults and contention included."""
import pytest

from mesh_tool import (ENHANCED_PACKET, HOST_TIME, blocks, console, mesh, probe, program, run,
                       verified, without_host_time)

TRAFFIC = ["--dim", 3, "--op", "send", "--target", "random", "--messages", 8, "--bytes", 1500,
           "--packet", 128, "--lockstep"]


@pytest.mark.parametrize("faults", [None, "drop:0.1,corrupt:0.05,dup:0.05,reorder:0.1"])
def test_two_runs_with_one_seed_are_the_same_run(engine, faults):
    arguments = [*TRAFFIC, "--seed", 7] + (["--faults", faults] if faults else [])
    first, second = (verified(run(engine, *arguments)) for _ in range(2))
    assert without_host_time(first) == without_host_time(second)
    assert len(first["delivery_hash"]) == 8 and any(first["delivery_hash"])


def test_another_seed_is_another_run(engine):
    first, second = (verified(run(engine, *TRAFFIC, "--seed", seed)) for seed in (7, 8))
    assert first["delivery_hash"] != second["delivery_hash"]


def test_both_engines_deliver_in_the_same_order():
    sim, qemu = (verified(run(engine, *TRAFFIC, "--seed", 11)) for engine in ("sim", "qemu"))
    for key in ("steps", "model_time", "link_packets", "delivery_hash"):
        assert sim[key] == qemu[key], key


def frames_of(capture):
    """The packets of a file, with their times; not the command that stands before them."""
    return [block for kind, block in blocks(capture.read_bytes()) if kind == ENHANCED_PACKET]


# Of an engine alone: how it was started, memory of a board, transfers of its DMA.
OF_ENGINE = {*HOST_TIME, "engine", "board", "boot", "counters", "dma_transfers", "cable_bytes"}


@pytest.mark.parametrize("what", [
    "--dim 3 --op bcast --copies 2 --seed 7", "--dim 3 --op bcast --copies 3 --tree msbt",
    "--topology uhc --dim 4 --op bcast --tree ist --copies 2",
    "--topology star --dim 3 --op bcast --copies 2",
    "--dim 3 --op fft", "--dim 2 --op fft --seed 3", "--topology uhc --dim 3 --op allgather",
    "--topology uhc --dim 3 --op send --messages 5", "--topology star --dim 3 --op alltoall",
    "--dim 3 --op allreduce --type f32", "--dim 3 --op sort", "--dim 3 --op ascend",
    "--dim 3 --op bcast --faults kill:5@20", "--dim 3 --op send --faults cut:0/0@9,mend:0/0@30",
    "--topology uhc --dim 3 --op scatter --faults restart:3@20"])
def test_both_engines_do_the_same_run_to_the_byte(what, tmp_path):
    seen = {}
    for engine in ("sim", "qemu"):
        capture = tmp_path / f"{engine}.pcapng"
        report = run(engine, "--lockstep", *what.split(), "--capture", capture).report
        counters = {key: value for key, value in report["counters"].items()
                    if key not in ("arena_bytes_max", "frames_received")}
        seen[engine] = ({key: value for key, value in report.items() if key not in OF_ENGINE},
                        counters, frames_of(capture))
    assert seen["sim"][0] == seen["qemu"][0]
    assert seen["sim"][1] == seen["qemu"][1]
    assert seen["sim"][2] == seen["qemu"][2] and len(seen["sim"][2]) > 10


HOW = ["sim"], ["qemu", "--lockstep"]
# Emulators answer in real time, in lockstep too.
TIMEOUTS = [(["sim"], 2), pytest.param(["qemu", "--lockstep"], 10, marks=pytest.mark.free)]


def polls(how, what, *options):
    """A program that waits otherwise than it should."""
    return probe(how[0], "polls", what, options=(*how[1:], *options))


@pytest.mark.parametrize("how", HOW)
def test_a_loop_that_looks_for_a_message_and_gives_way_gets_it(how):
    outcome = polls(how, "probe", "--dim", 2)
    assert outcome.status == 0 and console(outcome) == {1: ["got 7"]}, outcome


@pytest.mark.parametrize("how, timeout", TIMEOUTS)
def test_a_livelock_is_named(how, timeout):
    outcome = polls(how, "ever", "--dim", 1, "--timeout", timeout)
    assert outcome.status == 1, outcome
    for words in ("livelock: node 1 gives way",
                  "node 0 waits for a message with tag 2 from node 1"):
        assert words in outcome.err, outcome


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("faults", ["kill:3", "cut:3/0", "cut:3/1", None])
def test_who_waits_is_named_as_without_faults(how, faults):
    outcome = polls(how, "unwanted", "--dim", 2, *(["--faults", faults] if faults else []))
    assert outcome.status == 1, outcome
    assert ("node 2 waits for its message with tag 7 to be taken by node 1, which waits for a "
            "message with tag 2 from node 0, which waits for a message with tag 9"
            ) in outcome.err, outcome


def test_who_waits_for_a_dead_node_hears_so_and_the_healthy_are_not_blamed():
    for seed in range(1, 9):
        outcome = polls(["sim"], "unwanted", "--dim", 3, "--seed", seed,
                        "--faults", "kill:random@random,restart:random@random")
        assert "cannot be" not in outcome.err and "no rest" not in outcome.err, outcome
    outcome = polls(["sim"], "unwanted", "--dim", 2, "--faults", "kill:0")
    assert "nodes 1 2 ended with: unreachable" in outcome.err, outcome


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_chain_beside_a_killed_node_ends_from_its_end(seed):
    # Each node waits for the next one, and hears of its end as soon as that has ended.
    outcome = run("sim", "--dim", 5, "--app", "sieve", "--faults", "kill:random@100", "--seed",
                  seed)
    dead = outcome.report["faults"]["kill"]
    assert outcome.status == 1 and "cannot be" not in outcome.err, outcome
    assert dead and "did not end" not in outcome.err and "waits" not in outcome.err, outcome
    assert "and 15 more ended with: unreachable" in outcome.err, outcome


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("faults", ["kill:7", "cut:7/0,cut:7/1,cut:7/2", None])
def test_a_heartbeat_keeps_no_node_from_hearing_that_another_one_is_gone(how, faults):
    more = ["--faults", faults, "--", 0] if faults else ["--", 1]
    outcome = mesh("run", "--engine", *how, "--dim", 3, "--app", program("heartbeat"), *more)
    said = console(outcome)
    assert said[0] == ["unreachable"] and "beats" in said[1][0], outcome


@pytest.mark.free
def test_a_line_of_progress_says_who_waits_while_nothing_comes():
    outcome = polls(["qemu", "--free"], "ever", "--dim", 1, "--limit", 8)
    running = "\n".join(line for line in outcome.err.splitlines() if line.startswith("running:"))
    assert "node 0 waits for a message with tag 2 from node 1" in running, outcome
