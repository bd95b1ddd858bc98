"""Collectives that ranks do not call alike are told with the calls and the lines of both sides, and
what is left at the end with its line."""
import re

import pytest

from mesh_tool import ROOT, console, mesh, program

SOURCE = "tests/mesh/programs/unlike.c"


def lines_of(name):
    """{mark: line} of a case of unlike.c."""
    text = (ROOT / SOURCE).read_text().splitlines()
    begin = text.index(f"static void {name}(void) {{")
    end = text.index("}", begin)
    return {mark: number + 1 for number in range(begin, end)
            for marks in re.findall(r"/\* ([01 ]+) \*/", text[number]) for mark in marks.split()}


def run(name):
    return mesh("run", "--engine", "sim", "--dim", 1, "--app", program("unlike"), "--", name)


WORLD, ROW = "MPI_COMM_WORLD", "a communicator of 2 ranks"
# What is not alike; the calls of both ranks; which collective it is.
UNLIKE = {
    "order": ("call", "MPI_Scan", "MPI_Bcast", 2, WORLD),
    "order_in_row": ("call", "MPI_Gather", "MPI_Bcast", 2, ROW),
    "wait_or_not": ("call", "MPI_Ibarrier", "MPI_Barrier", 2, WORLD),
    "roots": ("root", "MPI_Gather with root 0", "MPI_Gather with root 1", 2, WORLD),
    "roots_in_row": ("root", "MPI_Ibcast with root 0", "MPI_Ibcast with root 1", 1, ROW),
    "operations": ("operation", "MPI_Reduce with MPI_SUM", "MPI_Reduce with MPI_MAX", 2, WORLD),
    "operations_later": ("operation", "MPI_Iscan with MPI_MIN", "MPI_Iscan with MPI_BAND", 1, ROW),
    "types": ("datatype", "MPI_Bcast of MPI_INT", "MPI_Bcast of MPI_FLOAT", 2, WORLD),
    "types_of_all": ("datatype", "MPI_Allgather of MPI_INT", "MPI_Allgather of MPI_FLOAT", 1, ROW),
    "sizes": ("size", "MPI_Scatter of 8 bytes", "MPI_Scatter of 4 bytes", 2, WORLD),
    "sizes_of_all": ("size", "MPI_Alltoall of 4 bytes", "MPI_Alltoall of 8 bytes", 1, ROW),
}


def told_of(outcome):
    """What is told of the two sides: ({rank: (call, function, line)}, the rest)."""
    side = r"rank (\d): ([^,;]*), in (\w+), [^,;]*unlike\.c:(\d+)(?:, called from [^;]*:\d+)?"
    said = re.search(rf"mesh: {side}; {side}: (collective \d of [\w ]+); node \d has ended the "
                     r"run: rank \d: MPI_\w+: the ranks do not agree about the (\w+)", outcome.err)
    assert outcome.status == 1 and said, outcome
    sides = {said[at]: (said[at + 1], said[at + 2], int(said[at + 3])) for at in (1, 5)}
    return sides, said[9], said[10]


@pytest.mark.parametrize("name", UNLIKE)
def test_ranks_whose_collectives_are_not_alike_are_told_with_both_lines(name):
    what, *calls, number, communicator = UNLIKE[name]
    lines = lines_of(name)
    assert told_of(run(name)) == (
        {rank: (call, name, lines[rank]) for rank, call in zip("01", calls)},
        f"collective {number} of {communicator}", what)


@pytest.mark.parametrize("name, communicator", [("left_out", ROW), ("left_out_of_world", WORLD)])
def test_a_rank_that_leaves_out_a_collective_is_told_with_the_line_of_its_end(name, communicator):
    text = (ROOT / SOURCE).read_text().splitlines()
    end = next(number for number, line in enumerate(text, 1) if line.endswith("/* end */"))
    number = 1 if communicator == ROW else 2
    assert told_of(run(name)) == ({"0": ("MPI_Bcast", name, lines_of(name)["0"]),
                                   "1": ("MPI_Finalize", "main", end)},
                                  f"collective {number} of {communicator}", "call")


@pytest.mark.parametrize("name", ["group", "operation", "window", "type", "communicator"])
def test_what_is_left_is_told_with_its_kind_and_its_line(name):
    outcome = run(f"{name}_left")
    kind = {"type": "datatype"}.get(name, name)
    for rank, lines in console(outcome).items():
        place = rf", in {name}_left, [^,;]*unlike\.c:{lines_of(f'{name}_left')[str(rank)]}"
        assert re.fullmatch(rf"MPI_Finalize\(\): {kind}s not freed: 1{place}(, called from .*)?",
                            *lines), outcome
    assert outcome.status == 0 and len(console(outcome)) == 2, outcome


def test_collectives_that_are_alike_where_they_must_be_are_right():
    outcome = run("right")
    assert outcome.status == 0 and console(outcome) == {}, outcome
