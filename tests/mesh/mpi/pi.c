/* The area below 4/(1+x^2), in strips that the ranks share: the first program of many courses. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, strips = 0, at;
    double sum = 0, mine, pi = 0, again = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        strips = argc > 1 ? atoi(argv[1]) : 1000;
    MPI_Bcast(&strips, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (at = rank; at < strips; at += size) {
        const double x = (at + 0.5) / strips;
        sum += 4 / (1 + x * x);
    }
    mine = sum / strips;
    MPI_Reduce(&mine, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &again, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (fabs(again - 3.14159265358979) > 1e-5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (rank == 0)
        printf("pi %.6f\n", pi);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
