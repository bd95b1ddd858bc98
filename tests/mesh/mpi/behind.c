/* All send to rank 0, which first wants the last message of the last rank, behind all others. */
#include <mpi.h>
#include <stdio.h>

enum { BEFORE = 10 };

int main(int argc, char **argv) {
    int rank, size, at, value = 5, got = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0) {
        for (at = 0; at < BEFORE; ++at)
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&got, 1, MPI_INT, size - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (at = 0; at < BEFORE * (size - 1) + size - 2; ++at) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            sum += value;
        }
        printf("first from %d, then %d\n", got, sum);
    }
    MPI_Finalize();
    return 0;
}
