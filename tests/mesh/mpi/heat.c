/* Heat on a plate, 48 by 48: blocks of a grid of ranks, halos of rows and of columns, which are a
 * type of their own, by calls that do not wait. The sum is the same for any number of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 48, STEPS = 20 };

int main(int argc, char **argv) {
    int size, rank, dims[2] = {0, 0}, periods[2] = {0, 0}, at[2], step, row, column;
    int up, down, left, right;
    MPI_Comm grid;
    MPI_Datatype side;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, at);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    const int rows = SIDE / dims[0], columns = SIDE / dims[1], wide = columns + 2;
    double *now = calloc((size_t)(rows + 2) * wide, sizeof *now);
    double *next = calloc((size_t)(rows + 2) * wide, sizeof *next);
    MPI_Type_vector(rows, 1, wide, MPI_DOUBLE, &side);
    MPI_Type_commit(&side);
    for (row = 1; row <= rows; ++row)
        for (column = 1; column <= columns; ++column)
            now[row * wide + column] = (at[0] * rows + row) * (at[1] * columns + column) % 7;
    for (step = 0; step < STEPS; ++step) {
        MPI_Request requests[8];
        MPI_Irecv(now + 1, columns, MPI_DOUBLE, up, 0, grid, &requests[0]);
        MPI_Irecv(now + (rows + 1) * wide + 1, columns, MPI_DOUBLE, down, 1, grid, &requests[1]);
        MPI_Irecv(now + wide, 1, side, left, 2, grid, &requests[2]);
        MPI_Irecv(now + wide + columns + 1, 1, side, right, 3, grid, &requests[3]);
        MPI_Isend(now + rows * wide + 1, columns, MPI_DOUBLE, down, 0, grid, &requests[4]);
        MPI_Isend(now + wide + 1, columns, MPI_DOUBLE, up, 1, grid, &requests[5]);
        MPI_Isend(now + wide + columns, 1, side, right, 2, grid, &requests[6]);
        MPI_Isend(now + wide + 1, 1, side, left, 3, grid, &requests[7]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        for (row = 1; row <= rows; ++row)
            for (column = 1; column <= columns; ++column) {
                const double *here = now + row * wide + column;
                next[row * wide + column] =
                    here[0] / 2 + (here[-1] + here[1] + here[-wide] + here[wide]) / 8;
            }
        double *const other = now;
        now = next;
        next = other;
    }
    double sum = 0, all = 0;
    for (row = 1; row <= rows; ++row)
        for (column = 1; column <= columns; ++column)
            sum += now[row * wide + column];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
    if (rank == 0)
        printf("heat %.6f\n", all);
    MPI_Type_free(&side);
    MPI_Comm_free(&grid);
    free(now);
    free(next);
    MPI_Finalize();
    return 0;
}
