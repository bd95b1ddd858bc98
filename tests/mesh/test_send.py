"""Messages from any node to any node, by the e-cube route."""
import pytest

from mesh_tool import run, verified


@pytest.mark.parametrize("source,target", [(0, 15), (5, 10), (3, 2), (9, 9 ^ 4)])
def test_a_message_takes_one_link_for_each_differing_bit(engine, source, target):
    outcome = run(engine, "--dim", 4, "--op", "send", "--root", source, "--target", target,
                  "--bytes", 16, "--packet", 16)
    report = verified(outcome)
    expected = [[0] * 4 for _ in range(16)]
    node = source
    for port in range(4):
        if (source ^ target) >> port & 1:
            expected[node][port] = 1
            node ^= 1 << port
    assert [row[:4] for row in report["link_packets"]] == expected, outcome
    assert report["hops"] == (source ^ target).bit_count(), outcome


@pytest.mark.parametrize("size", [0, 1, 1024, 1025, 1 << 20])
def test_messages_of_0_bytes_to_1_mib_arrive(engine, size):
    outcome = run(engine, "--dim", 2, "--op", "send", "--root", 0, "--target", 3, "--bytes", size,
                  "--packet", 1024)
    verified(outcome)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_traffic_at_full_load_drains(engine, seed):
    outcome = run(engine, "--dim", 4, "--op", "send", "--target", "random", "--messages", 16,
                  "--bytes", 2000, "--packet", 256, "--seed", seed)
    verified(outcome)
