"""Messages from any node to any node, by the e-cube route."""
import pytest

from mesh_tool import collective, run, survived, verified


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


@pytest.mark.parametrize("topology", ["uhc", "star"])
def test_messages_between_random_nodes_arrive(topology, engine):
    verified(collective(topology, engine, 3, "send", "--target", "random", "--messages", 3,
                        "--bytes", 3000))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_traffic_at_full_load_drains(engine, seed):
    outcome = run(engine, "--dim", 4, "--op", "send", "--target", "random", "--messages", 16,
                  "--bytes", 2000, "--packet", 256, "--seed", seed)
    verified(outcome)


def through(*arguments):
    """One message per pair and fault; all of them must arrive, some by another path."""
    outcome = run(*arguments, "--op", "send", "--bytes", 3000, "--packet", 256)
    assert outcome.status == 0 and survived(outcome), outcome
    return outcome.report["disjoint_retries"]


@pytest.mark.parametrize("topology,dim,cuts,target", [
    ("cube", 4, "cut:0/0,cut:0/1,cut:2/2", 15), ("cube", 4, "kill:1,kill:2,cut:0/2", 7),
    ("cube", 6, "kill:1,kill:2,kill:4,kill:8,cut:0/4", 63), ("cube", 1, None, 1),
    ("uhc", 4, "cut:0/0", 1), ("uhc", 6, "kill:1,cut:0/2", 63),
    ("star", 4, "kill:11,cut:0/1", 23), ("star", 5, "kill:45,kill:1,cut:0/2", 119)])
def test_a_message_takes_a_path_that_the_faults_have_left(topology, dim, cuts, target):
    retries = through("sim", "--topology", topology, "--dim", dim, "--root", 0, "--target", target,
                      *(["--faults", cuts] if cuts else []))
    assert retries == (1 if cuts else 0)


@pytest.mark.parametrize("seed", range(1, 13))
@pytest.mark.parametrize("topology,dim,most", [("cube", 5, 4), ("cube", 7, 6), ("uhc", 6, 2),
                                               ("uhc", 7, 2), ("star", 5, 3)])
def test_random_faults_fewer_than_the_paths_lose_no_message(topology, dim, most, seed):
    faults = f"cut:random@random x{most // 2},cut:random x{most - most // 2}"
    through("sim", "--topology", topology, "--dim", dim, "--target", "random", "--messages", 3,
            "--faults", faults, "--seed", seed)


@pytest.mark.parametrize("how", ["--lockstep", pytest.param("--free", marks=pytest.mark.free)])
@pytest.mark.parametrize("faults", ["cut:0/0,cut:0/1", "kill:1,cut:2/2@20"])
def test_on_the_board_a_message_takes_another_path(how, faults):
    assert through("qemu", how, "--dim", 3, "--root", 0, "--target", 7, "--faults", faults) == 1


def test_beside_a_sender_that_is_gone_the_receiver_takes_what_the_others_send():
    outcome = run("sim", "--topology", "star", "--dim", 3, "--seed", 438792276, "--op", "send",
                  "--bytes", 22278, "--packet", 100, "--faults",
                  "drop:0.15,corrupt:0.07,kill:random@random")
    assert outcome.status == 1 and "no memory" not in outcome.err, outcome
    # Each message goes to another node; those of the living arrive.
    assert outcome.report["verified_nodes"] == 2, outcome


@pytest.mark.parametrize("when", [40, 80, 120])
def test_only_the_messages_of_a_killed_sender_are_missing(when):
    outcome = run("sim", "--dim", 3, "--op", "send", "--target", "random", "--messages", 4,
                  "--bytes", 3000, "--packet", 100, "--seed", 3, "--faults", f"kill:5@{when}")
    report = outcome.report
    assert outcome.status == 1 and "no memory" not in outcome.err, outcome
    assert report["verified_nodes"] + len(report["failed_nodes"]) == 7, outcome
