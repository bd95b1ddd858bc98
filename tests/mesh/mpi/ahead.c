/* The root of a broadcast of 1 MiB runs ahead; rank 1 first receives from the last rank. Then each
 * rank passes 3000 bytes, more than a packet has, to the next one in the order of their ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20, SOME = 3000 };

int main(int argc, char **argv) {
    int rank, size, value = 0, at, wrong = 0, all = 0;
    char *data = malloc(BYTES), *other = malloc(BYTES);
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(data, rank, BYTES);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == size - 1) {
        const double begin = MPI_Wtime();
        while (MPI_Wtime() < begin + 0.05)
            ;
        MPI_Send(&size, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(data, BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (at = 0; at < BYTES; ++at)
        wrong += data[at] != 0;
    memset(data, rank + 1, SOME);
    if (rank != 0) {
        MPI_Recv(other, BYTES, MPI_BYTE, rank - 1, 3, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &value);
        wrong += value != SOME || other[0] != rank || other[SOME - 1] != rank;
    }
    if (rank != size - 1)
        MPI_Send(data, SOME, MPI_BYTE, rank + 1, 3, MPI_COMM_WORLD);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    free(data);
    free(other);
    MPI_Finalize();
    return all;
}
