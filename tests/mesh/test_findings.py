"""What a command leaves behind: exit status, standard output, report and output files."""
import pytest

from mesh_tool import mesh, refused, run


@pytest.mark.parametrize("op", ["send", "sort"])
def test_all_64_bits_of_a_seed_count(op):
    found = [run("sim", "--dim", 3, "--op", op, "--seed", seed)
             for seed in (1, 1 + 2 ** 32, 1, 1 + 2 ** 63)]
    assert all(outcome.status == 0 for outcome in found)
    hashes = [outcome.report["delivery_hash"] for outcome in found]
    assert hashes[0] == hashes[2] and len(set(map(str, hashes))) == 3
    assert found[3].report["seed"] == 1 + 2 ** 63


def test_messages_that_nobody_could_check_are_refused():
    refused(mesh("run", "--engine", "sim", "--dim", 8, "--op", "send", "--messages", 100000,
                 "--bytes", 1 << 20, timeout=10), "16 GiB")
