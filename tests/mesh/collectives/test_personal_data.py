"""The data of scatter, gather, allgather and alltoall beyond the cube: every byte."""
import random

import pytest

from mesh_tool import collective, verified
from networks import nodes_of

SEED = 31
OPS = ("scatter", "gather", "allgather", "alltoall")


@pytest.mark.parametrize("size", [0, 1, 17, 1023, 1025, 3000])
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("topology, dim, copies", [("star", 3, 1), ("star", 3, 2), ("uhc", 2, 1),
                                                   ("uhc", 3, 1), ("uhc", 4, 2)])
def test_blocks_of_every_awkward_size_arrive(topology, dim, copies, op, size):
    verified(collective(topology, "sim", dim, op, "--copies", copies, "--bytes", size, "--root",
                        size % nodes_of(topology, dim)))


@pytest.mark.parametrize("topology, dim", [("star", 4), ("uhc", 5)])
def test_a_file_is_scattered_gathered_and_exchanged(topology, dim, tmp_path):
    nodes, size, root = nodes_of(topology, dim), 33, 9
    pairs = random.Random(SEED).randbytes(nodes * nodes * size)
    data = pairs[:nodes * size]
    mine = b"".join(pairs[(nodes * i + nodes - 1) * size:][:size] for i in range(nodes))
    (tmp_path / "in").write_bytes(pairs)
    for op, expected in (("scatter", data[-size:]), ("gather", data), ("allgather", data),
                         ("alltoall", mine)):
        verified(collective(topology, "sim", dim, op, "--copies", 2, "--root", root, "--bytes",
                            size, "--input", tmp_path / "in", "--output", tmp_path / op))
        assert (tmp_path / op).read_bytes() == expected, op
