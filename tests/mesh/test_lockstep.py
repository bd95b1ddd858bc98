"""Lockstep: the same seed gives the same run to the byte, faults and contention included."""
import pytest

from mesh_tool import run, verified

TRAFFIC = ["--dim", 3, "--op", "send", "--target", "random", "--messages", 8, "--bytes", 1500,
           "--packet", 128, "--lockstep"]
HOST_TIME = ("boot_s", "wall_s")


def without_host_time(report):
    return {key: value for key, value in report.items() if key not in HOST_TIME}


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
