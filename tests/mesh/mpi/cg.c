/* Conjugate gradient: each rank has some rows of a matrix with 4 on its diagonal and -1 beside it. The
 * edges go to the neighbours while the rows between are multiplied. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 8 };

static int rank, size;

/* out = A in; in[0] and in[ROWS + 1] are the neighbours' edges, 0 at the ends. */
static void multiply(double *in, double *out) {
    const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int behind = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Request edges[4];
    int row;
    MPI_Irecv(&in[0], 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &edges[0]);
    MPI_Irecv(&in[ROWS + 1], 1, MPI_DOUBLE, behind, 0, MPI_COMM_WORLD, &edges[1]);
    MPI_Isend(&in[1], 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &edges[2]);
    MPI_Isend(&in[ROWS], 1, MPI_DOUBLE, behind, 0, MPI_COMM_WORLD, &edges[3]);
    for (row = 2; row < ROWS; ++row)
        out[row] = 4 * in[row] - in[row - 1] - in[row + 1];
    MPI_Waitall(4, edges, MPI_STATUSES_IGNORE);
    out[1] = 4 * in[1] - in[0] - in[2];
    out[ROWS] = 4 * in[ROWS] - in[ROWS - 1] - in[ROWS + 1];
}

static double dot(const double *one, const double *other) {
    double sum = 0;
    int row;
    for (row = 1; row <= ROWS; ++row)
        sum += one[row] * other[row];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv) {
    double x[ROWS + 2] = {0}, rest[ROWS + 2], way[ROWS + 2] = {0}, product[ROWS + 2];
    double length, step, wrong = 0;
    int row, turns = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (row = 1; row <= ROWS; ++row)
        rest[row] = way[row] = rank + row;
    for (length = dot(rest, rest); length > 1e-24 && turns < 100; ++turns) {
        const double former = length;
        multiply(way, product);
        step = former / dot(way, product);
        for (row = 1; row <= ROWS; ++row) {
            x[row] += step * way[row];
            rest[row] -= step * product[row];
        }
        length = dot(rest, rest);
        for (row = 1; row <= ROWS; ++row)
            way[row] = rest[row] + length / former * way[row];
    }
    multiply(x, product);
    for (row = 1; row <= ROWS; ++row)
        wrong = fmax(wrong, fabs(product[row] - rank - row));
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &wrong, &wrong, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n", turns < 100 && wrong < 1e-9 ? "solved" : "not solved");
    MPI_Finalize();
    return 0;
}
