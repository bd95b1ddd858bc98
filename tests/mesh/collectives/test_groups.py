"""Groups that are subcubes: each message of a collective crosses one link."""
import pytest

from mesh_tool import IMAGES, console, run

GRAY, ADDRESSES, EVEN = 0, 1, 2


def rings(engine, where, size, order):
    """Packets on links of a broadcast, a barrier and a reduction of each group, and their steps."""
    outcome = run(engine, *where, "--app", IMAGES / "app_rings.elf", "--", size, order)
    assert outcome.status == 0, outcome
    words = " / ".join(line for lines in console(outcome).values() for line in lines)
    return outcome.report, words


@pytest.mark.parametrize("order", [GRAY, ADDRESSES, EVEN])
@pytest.mark.parametrize("size", [1, 2, 4, 16, 128])
def test_in_a_subcube_each_message_crosses_one_link(size, order):
    if order == EVEN:
        size = 128
    report, words = rings("sim", ["--dim", 8], size, order)
    messages = 4 * (size - 1) * (256 // size) # one to and one from each, and a barrier has both
    assert report["counters"]["packets_forwarded"] == 0, words
    assert report["counters"]["packets_sent"] >= messages
    dimensions = size.bit_length() - 1
    assert f"up {dimensions} steps" in words and f"down {dimensions} steps" in words, words


def test_on_real_firmware_too():
    report, _ = rings("qemu", ["--dim", 3, "--lockstep"], 8, GRAY)
    assert report["counters"]["packets_forwarded"] == 0


@pytest.mark.parametrize("where", [["--topology", "uhc", "--dim", 4],
                                   ["--topology", "star", "--dim", 4]])
def test_on_other_networks_values_are_combined_by_ranks_as_well(where):
    rings("sim", where, 8, GRAY)
