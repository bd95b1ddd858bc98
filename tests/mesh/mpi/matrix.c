/* A product of matrices: rows are scattered, the second matrix is broadcast, results are gathered. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 36 };

int main(int argc, char **argv) {
    static double left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];
    static double mine[SIDE][SIDE], result[SIDE][SIDE];
    int rank, size, row, column, at, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *counts = malloc(size * sizeof *counts), *places = malloc(size * sizeof *places);
    for (at = 0; at < size; ++at) {
        const int first = SIDE * at / size, end = SIDE * (at + 1) / size;
        counts[at] = (end - first) * SIDE;
        places[at] = first * SIDE;
    }
    if (rank == 0)
        for (row = 0; row < SIDE; ++row)
            for (column = 0; column < SIDE; ++column) {
                left[row][column] = row + column;
                right[row][column] = row == column ? 2 : 0;
            }
    MPI_Scatterv(left, counts, places, MPI_DOUBLE, mine, counts[rank], MPI_DOUBLE, 0,
                 MPI_COMM_WORLD);
    MPI_Bcast(right, SIDE * SIDE, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (row = 0; row < counts[rank] / SIDE; ++row)
        for (column = 0; column < SIDE; ++column)
            for (at = 0; at < SIDE; ++at)
                result[row][column] += mine[row][at] * right[at][column];
    MPI_Gatherv(result, counts[rank], MPI_DOUBLE, product, counts, places, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    if (rank == 0) {
        for (row = 0; row < SIDE; ++row)
            for (column = 0; column < SIDE; ++column)
                wrong += product[row][column] != 2 * (row + column);
        printf("%d wrong\n", wrong);
    }
    free(counts);
    free(places);
    MPI_Finalize();
    return wrong != 0;
}
