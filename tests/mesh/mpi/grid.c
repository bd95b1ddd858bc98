/* How many links a message to a neighbour in a grid crosses at most, by model time: with ranks in the
 * order of the nodes, and with ranks that MPI_Cart_create may reorder. */
#include "check.h"

#include <unistd.h>

/* Each rank tells the next one on each axis when it has sent; in milliseconds, the longest way. */
static int links(int reorder) {
    int dims[2] = {0, 0}, periods[2] = {1, 1}, axis, from, to, most = 0, ms, point[2], its;
    double sent, came, begun;
    MPI_Comm grid;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder, &grid);
    MPI_Comm_rank(grid, &its);
    MPI_Cart_coords(grid, its, 2, point);
    CHECK(its == point[0] * dims[1] + point[1]);
    for (axis = 0; axis < 2; ++axis) {
        MPI_Cart_shift(grid, axis, 1, &from, &to);
        MPI_Barrier(grid);
        usleep(50000); /* what the barrier has sent is there */
        begun = MPI_Wtime();
        MPI_Sendrecv(&begun, 1, MPI_DOUBLE, to, 0, &sent, 1, MPI_DOUBLE, from, 0, grid,
                     MPI_STATUS_IGNORE);
        came = MPI_Wtime() - (sent > begun ? sent : begun);
        ms = (int)(came * 1000 + 0.5);
        most = ms > most ? ms : most;
    }
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, grid);
    MPI_Comm_free(&grid);
    return most;
}

int main(int argc, char **argv) {
    int one, other;
    begin(&argc, &argv);
    one = links(1);
    other = links(0);
    if (rank == 0)
        printf("%d and %d\n", one, other);
    return end();
}
