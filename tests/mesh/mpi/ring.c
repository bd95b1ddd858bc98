/* A token goes round; each rank adds one. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, token = 0;
    double begin;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    begin = MPI_Wtime();
    if (rank != 0) {
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE != rank - 1 || status.MPI_TAG != 7)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ++token;
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(&token, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("token %d after %.0f ms\n", token, 1e3 * (MPI_Wtime() - begin));
    }
    MPI_Finalize();
    return 0;
}
