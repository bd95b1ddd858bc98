/* The ranks sum squares; those that are left when others die end with the right sum. After each
 * part of the sum they agree on whether all have it; if members have died, a communicator of those
 * that are left goes on, and shares the numbers of the dead. */
#include <mpi.h>
#include <stdio.h>

enum { PARTS = 12, NUMBERS = 240 };

int main(int argc, char **argv) {
    MPI_Comm comm = MPI_COMM_WORLD, next;
    MPI_Group failed;
    long long total = 0;
    int part = 0, rank, size, before, count;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    while (part < PARTS) {
        long long mine = 0, sum = 0;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        for (int at = rank; at < NUMBERS; at += size)
            mine += (long long)(part * NUMBERS + at) * (part * NUMBERS + at);
        int all_have = MPI_Allreduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm) == MPI_SUCCESS;
        const int agreed = MPIX_Comm_agree(comm, &all_have);
        if (all_have) {
            total += sum;
            ++part;
        }
        if (agreed == MPI_SUCCESS)
            continue;
        before = size;
        MPIX_Comm_get_failed(comm, &failed);
        MPI_Group_size(failed, &count);
        MPI_Group_free(&failed);
        MPIX_Comm_shrink(comm, &next);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = next;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        if (rank == 0)
            printf("%d of %d are left in part %d\n", size, before, part);
        if (count > before - size)
            printf("%d have failed, and %d are left out\n", count, before - size);
    }
    if (rank == 0)
        printf("the sum is %lld\n", total);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
