/* What the MPI columns of `make osu` measure: a program in C over MPI, as programs.cpp is one over
 * the kernel. The last line is the time that all rounds took, by the clock of clock.cpp.
 * Words: WHAT BYTES ROUNDS, of
 *   latency, far, bandwidth  as in programs.cpp
 *   bcast, allreduce, alltoall, barrier  of all ranks, until the last one has done */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 16, WINDOW = 8 };

long long ticks(void); /* clock.cpp */

static int rank, size, bytes, rounds;
static char *mine, *all;

static void bounce(int other) {
    int round;
    for (round = 0; round < 2 * rounds; ++round)
        if ((round % 2 == 0) == (rank == 0))
            MPI_Send(mine, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(mine, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The word back tells that all have come. */
static void stream(int other) {
    MPI_Request requests[WINDOW];
    int round, at;
    for (round = 0; round < rounds; ++round) {
        for (at = 0; at < WINDOW; ++at)
            if (rank == 0)
                MPI_Isend(mine, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[at]);
            else
                MPI_Irecv(mine, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[at]);
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(all, 1, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(mine, 1, MPI_BYTE, other, 1, MPI_COMM_WORLD);
    }
}

static int operate(const char *what) {
    int round;
    for (round = 0; round < rounds; ++round)
        if (strcmp(what, "bcast") == 0)
            MPI_Bcast(mine, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        else if (strcmp(what, "allreduce") == 0)
            MPI_Allreduce(mine, all, bytes / (int)sizeof(int), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        else if (strcmp(what, "alltoall") == 0)
            MPI_Alltoall(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
        else if (strcmp(what, "barrier") == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        else
            return 1;
    return 0;
}

int main(int argc, char **argv) {
    long long times[2], bounds[2];
    int wrong = 0, is_operation = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 1);
    bytes = atoi(argv[2]);
    rounds = atoi(argv[3]);
    if (bytes < 0 || bytes > BYTES_MAX)
        MPI_Abort(MPI_COMM_WORLD, 1);
    mine = calloc((size_t)size, (size_t)bytes + 1);
    all = calloc((size_t)size, (size_t)bytes + 1);
    if (mine == NULL || all == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    times[0] = -ticks();
    if (strcmp(argv[1], "latency") == 0 || strcmp(argv[1], "far") == 0) {
        const int other = argv[1][0] == 'f' ? size - 1 : 1;
        if (rank == 0 || rank == other)
            bounce(rank == 0 ? other : 0);
    } else if (strcmp(argv[1], "bandwidth") == 0) {
        if (rank < 2)
            stream(1 - rank);
    } else {
        is_operation = 1;
        wrong = operate(argv[1]);
    }
    times[1] = ticks();
    if (is_operation) { /* from the first that begins to the last that ends */
        MPI_Allreduce(times, bounds, 2, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
        memcpy(times, bounds, sizeof times);
    }
    if (rank == 0)
        printf("%lld\n", times[0] + times[1]);
    MPI_Finalize();
    return wrong;
}
