/* The game of life on a torus, in rows of ranks, with persistent requests: a glider comes back. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 24, GENERATIONS = 4 * SIDE };

int main(int argc, char **argv) {
    static char now[SIDE + 2][SIDE], next[SIDE + 2][SIDE];
    int rank, size, dims[1] = {0}, periods[1] = {1}, up, down, row, column, step, alive = 0, all = 0;
    MPI_Comm ring;
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 1, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Comm_rank(ring, &rank);
    MPI_Cart_shift(ring, 0, 1, &up, &down);
    const int rows = SIDE / size;
    static const int glider[5][2] = {{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
    for (row = 0; row < 5; ++row)
        if (glider[row][0] / rows == rank)
            now[glider[row][0] % rows + 1][glider[row][1]] = 1;
    MPI_Recv_init(now[0], SIDE, MPI_CHAR, up, 0, ring, &requests[0]);
    MPI_Recv_init(now[rows + 1], SIDE, MPI_CHAR, down, 1, ring, &requests[1]);
    MPI_Send_init(now[rows], SIDE, MPI_CHAR, down, 0, ring, &requests[2]);
    MPI_Send_init(now[1], SIDE, MPI_CHAR, up, 1, ring, &requests[3]);
    for (step = 0; step < GENERATIONS; ++step) {
        MPI_Startall(4, requests);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (row = 1; row <= rows; ++row)
            for (column = 0; column < SIDE; ++column) {
                int near = -now[row][column], dy, dx;
                for (dy = -1; dy <= 1; ++dy)
                    for (dx = -1; dx <= 1; ++dx)
                        near += now[row + dy][(column + dx + SIDE) % SIDE];
                next[row][column] = near == 3 || (near == 2 && now[row][column]);
            }
        memcpy(now, next, sizeof now);
    }
    for (row = 0; row < 5; ++row) /* after 4 * SIDE generations it is where it began */
        if (glider[row][0] / rows == rank)
            alive += now[glider[row][0] % rows + 1][glider[row][1]];
    MPI_Allreduce(&alive, &all, 1, MPI_INT, MPI_SUM, ring);
    if (rank == 0)
        printf("%d of 5 alive\n", all);
    for (step = 0; step < 4; ++step)
        MPI_Request_free(&requests[step]);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
