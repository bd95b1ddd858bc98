"""Duplicates of communicators that C programs make beside other calls, and without memory."""
import pytest

from mesh_tool import mesh
from mpi_programs import program_of, said_by, written

# The even ranks duplicate their half beside a duplicate of the world, which the odd ranks make
# late, after three others: a message of one duplicate is never received in the other.
BESIDE = """
MPI_Comm half, copy, all;
MPI_Request requests[2];
int one = 1, two = 2;
MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
if (rank % 2 == 0)
    MPI_Comm_idup(half, &copy, requests);
for (int at = 0; rank % 2 != 0 && at < 3; ++at) {
    MPI_Comm_dup(half, &copy);
    MPI_Comm_free(&copy);
}
if (rank % 2 != 0)
    for (double late = MPI_Wtime() + 0.2; MPI_Wtime() < late;)
        ;
MPI_Comm_dup(MPI_COMM_WORLD, &all);
if (rank % 2 == 0) {
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Isend(&one, 1, MPI_INT, 1 - rank / 2, 1, copy, &requests[0]);
    MPI_Isend(&two, 1, MPI_INT, 2 - rank, 1, all, &requests[1]);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all, MPI_STATUS_IGNORE);
    printf("%d\\n", value);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&copy);
}
MPI_Comm_free(&all);
MPI_Comm_free(&half);
value = 0;
"""
# Two duplicates of all ranks at once, whose first messages cross.
CROSSING = """
MPI_Comm back, copies[2];
MPI_Request requests[2];
MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
for (int at = 0; at < 2; ++at) {
    MPI_Ibarrier(MPI_COMM_WORLD, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
}
MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]);
MPI_Comm_idup(back, &copies[1], &requests[1]);
MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
MPI_Comm_free(&copies[0]);
MPI_Comm_free(&copies[1]);
MPI_Comm_free(&back);
if (rank == 0) printf("2\\n");
"""


@pytest.mark.parametrize("calls", [BESIDE, CROSSING])
def test_a_duplicate_beside_the_program_has_a_number_of_its_own(calls, tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app",
                   written(tmp_path, program_of(calls)), timeout=60)
    assert said_by(outcome, 0) == ["2"]


# The hole has room for a communicator with an attribute, not for the call that goes on beside it.
NO_ROOM = """
static int drops;
static int drop(MPI_Comm comm, int key, void *value, void *extra) {
    ++drops;
    return MPI_SUCCESS;
}
static void *volatile taken, *volatile hole, *volatile first;
""", """
int key, code;
MPI_Comm one, copy = MPI_COMM_SELF;
MPI_Request request;
MPI_Comm_create_keyval(MPI_COMM_DUP_FN, drop, &key, NULL);
MPI_Comm_dup(MPI_COMM_SELF, &one);
MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
MPI_Comm_set_attr(one, key, &value);
hole = malloc(400);
first = malloc(1 << 16);
for (int bytes = 1 << 22; bytes >= 8; bytes /= 2)
    while ((taken = malloc(bytes)) != NULL)
        ;
free(hole);
code = MPI_Comm_idup(one, &copy, &request);
printf("%d %d %d\\n", code == MPI_ERR_NO_MEM, copy == MPI_COMM_NULL, drops);
free(first);
MPI_Comm_free(&one);
"""


def test_a_duplicate_without_memory_leaves_nothing(tmp_path):
    outcome = mesh("run", "--dim", 1, "--app",
                   written(tmp_path, NO_ROOM[0] + program_of(NO_ROOM[1])))
    assert said_by(outcome, 0) == ["1 1 1"]
