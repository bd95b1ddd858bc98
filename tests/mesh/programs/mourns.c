/* The last rank dies: each kind of call with it, or of its communicator, ends with an error at those
 * who need it, and none waits for ever. Then the others go on by themselves. */
#include "../mpi/check.h"

#define FAILED(call) CHECK(class_of(call) == MPIX_ERR_PROC_FAILED)

static int dead, value, values[64];
static char large[5000];

static void messages(void) {
    MPI_Message message;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int flag = 0, code;
    const int next = (rank + 1) % dead, before = (rank + dead - 1) % dead;
    if (rank % 2 == 0)
        FAILED(MPI_Recv(&value, 1, MPI_INT, dead, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    else
        FAILED(MPI_Probe(dead, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    FAILED(MPI_Send(&value, 1, MPI_INT, dead, 1, MPI_COMM_WORLD));
    FAILED(MPI_Ssend(&value, 1, MPI_INT, dead, 1, MPI_COMM_WORLD));
    FAILED(MPI_Send(large, sizeof large, MPI_CHAR, dead, 1, MPI_COMM_WORLD));
    FAILED(MPI_Probe(dead, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    FAILED(MPI_Iprobe(dead, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    FAILED(MPI_Mprobe(dead, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    FAILED(MPI_Improbe(dead, 1, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
    MPI_Irecv(&values[0], 1, MPI_INT, before, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, dead, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[2]);
    CHECK(MPI_Waitall(3, requests, statuses) == MPI_ERR_IN_STATUS);
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && values[0] == before);
    CHECK(class_of(statuses[1].MPI_ERROR) == MPIX_ERR_PROC_FAILED);
    /* The dead rank might have sent it, until that is acknowledged. */
    code = MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(class_of(code) == MPIX_ERR_PROC_FAILED_PENDING);
    MPIX_Comm_failure_ack(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
    CHECK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
          MPI_SUCCESS);
    CHECK(value == before);
}

static void collectives(MPI_Comm comm, int is_whole) {
    int members, all = 1, codes[8], at;
    MPI_Request request;
    MPI_Comm_size(comm, &members);
    codes[0] = MPI_Barrier(comm);
    codes[1] = MPI_Bcast(&all, 1, MPI_INT, 0, comm);
    codes[2] = MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, comm);
    codes[3] = MPI_Allgather(&rank, 1, MPI_INT, values, 1, MPI_INT, comm);
    codes[4] = MPI_Alltoall(values, 1, MPI_INT, values + 32, 1, MPI_INT, comm);
    codes[5] = MPI_Gather(&rank, 1, MPI_INT, values, 1, MPI_INT, 0, comm);
    codes[6] = MPI_Scan(&rank, &value, 1, MPI_INT, MPI_SUM, comm);
    MPI_Ibarrier(comm, &request);
    codes[7] = MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (at = 0; at < 8; ++at)
        CHECK(codes[at] == MPI_SUCCESS ||
              (!is_whole && class_of(codes[at]) == MPIX_ERR_PROC_FAILED));
    /* All ranks need the data of the dead one in these. */
    for (at = 2; at < 5; ++at)
        CHECK((codes[at] == MPI_SUCCESS) == is_whole);
    if (is_whole)
        CHECK(all == members);
}

int main(int argc, char **argv) {
    int left = 0, count = 0, flag = 7;
    MPI_Comm rest, again;
    MPI_Group failed;
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    dead = size - 1;
    if (rank == dead)
        MPI_Recv(&value, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    messages();
    collectives(MPI_COMM_WORLD, 0);
    CHECK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag) == MPI_SUCCESS && flag == 7);
    CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest) == MPI_SUCCESS);
    MPI_Comm_size(rest, &left);
    CHECK(left == size - 1);
    MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed);
    MPI_Group_size(failed, &count);
    MPI_Group_free(&failed);
    CHECK(count == 1);
    collectives(rest, 1);
    MPI_Comm_dup(rest, &again);
    collectives(again, 1);
    MPI_Comm_free(&again);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, rest);
    if (rank == 0)
        printf("%d wrong\n", wrong);
    MPI_Comm_free(&rest);
    MPI_Finalize();
    return 0;
}
