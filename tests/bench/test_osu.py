"""The figures that `make osu` prints are those that it measures."""
import os
import pathlib

import pytest

from osu.osu import TICKS_PER_UNIT, WINDOW, Bench

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(ROOT / os.environ.get("BUILD", "build"), True, tmp_path_factory.mktemp("osu"))


def test_a_message_takes_a_start_up_and_its_bytes_on_each_link(bench):
    there_and_back = 2 * 3 * (1 + 100 * 0.001) * TICKS_PER_UNIT
    assert bench.app("sim", 1, "latency", 100, 3) == pytest.approx(there_and_back)
    assert bench.app("sim", 4, "far", 100, 3) == pytest.approx(4 * there_and_back)
    assert bench.app("sim", 1, "bandwidth", 100, 3) == pytest.approx(
        WINDOW * 3 * (1 + 100 * 0.001) * TICKS_PER_UNIT)


def test_a_message_of_mpi_has_an_envelope_more(bench):
    envelope = 24
    each_way = 1 + (100 + envelope) * 0.001
    for dim, what, links in ((1, "latency", 1), (4, "far", 4)):
        assert bench.app("sim", dim, what, 100, 3, program="osu-mpi") == pytest.approx(
            2 * 3 * links * each_way * TICKS_PER_UNIT)
    # The word back, too.
    assert bench.app("sim", 1, "bandwidth", 100, 3, program="osu-mpi") == pytest.approx(
        3 * (WINDOW * each_way + 1 + (1 + envelope) * 0.001) * TICKS_PER_UNIT)
    assert bench.app("sim", 4, "bcast", 1000, 1, program="osu-mpi") == pytest.approx(
        4 * (1 + 1000 * 0.001) * TICKS_PER_UNIT, rel=0.2)


@pytest.mark.parametrize("what, processes", [("alt", 15), ("ring", 16)])
def test_nothing_is_lost_or_out_of_order_between_processes_of_a_node(bench, what, processes):
    assert bench.app("sim", 1, what, processes, 200) == 0
