/* Rank 1 waits for rank 2, which is dead when its word says so, and all others wait for ranks that
 * send nothing: one that learns of the failure revokes the communicator, and all go on without the
 * dead. Words: the rank that waits for the dead one is the one that revokes; with "all" each rank
 * does. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *name_of(int code) {
    return code == MPI_SUCCESS                     ? "nothing"
           : code == MPIX_ERR_REVOKED              ? "revoked"
           : code == MPIX_ERR_PROC_FAILED          ? "failed"
           : code == MPIX_ERR_PROC_FAILED_PENDING  ? "perhaps failed"
                                                   : "another error";
}

int main(int argc, char **argv) {
    static char large[5000];
    int rank, size, value = 0, code, flag, left, other, sent;
    MPI_Comm comm, rest;
    MPI_Group group;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    /* Nobody receives this one. */
    MPI_Isend(large, sizeof large, MPI_CHAR, (rank + 1) % size, 8, comm, &request);
    other = rank == 1 ? 2 : rank == 0 ? 1 : 0;
    if (rank == 3)
        code = MPI_Probe(other, 9, comm, MPI_STATUS_IGNORE);
    else if (rank == 4)
        code = MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    else
        code = MPI_Recv(&value, 1, MPI_INT, other, 9, comm, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPIX_Comm_revoke(comm);
    MPIX_Comm_is_revoked(comm, &flag);
    sent = MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("receive: %s, send: %s, then: %s, %s\n", name_of(code), name_of(sent),
           name_of(MPI_Send(&rank, 1, MPI_INT, 0, 9, comm)), flag ? "revoked" : "not revoked");
    MPIX_Comm_shrink(comm, &rest);
    MPI_Comm_size(rest, &left);
    MPIX_Comm_failure_ack(comm);
    MPIX_Comm_failure_get_acked(comm, &group);
    MPI_Group_size(group, &size);
    MPI_Group_free(&group);
    flag = 0xFF & ~(1 << rank);
    code = MPIX_Comm_agree(comm, &flag);
    value = 1;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, rest);
    MPI_Comm_rank(rest, &rank);
    if (rank == 0)
        printf("%d left, %d failed, sum %d, agreed on %x: %s\n", left, size, value, flag,
               name_of(code));
    MPI_Comm_free(&rest);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
