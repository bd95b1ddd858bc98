/* A farm: the master probes for workers that ask, and gives each the next task; messages of sizes
 * that only their status tells. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 40, ASK, TASK, END };

int main(int argc, char **argv) {
    int rank, size, next = 0, ended = 0, count, at, flag;
    long sum = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        while (ended < size - 1) {
            do
                MPI_Iprobe(MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &flag, &status);
            while (!flag);
            MPI_Get_count(&status, MPI_LONG, &count);
            long *results = malloc((count + 1) * sizeof *results);
            MPI_Recv(results, count, MPI_LONG, status.MPI_SOURCE, ASK, MPI_COMM_WORLD, &status);
            for (at = 0; at < count; ++at)
                sum += results[at];
            free(results);
            if (next < TASKS) {
                MPI_Ssend(&next, 1, MPI_INT, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
                ++next;
            } else {
                MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, END, MPI_COMM_WORLD);
                ++ended;
            }
        }
        printf("sum %ld\n", sum);
    } else {
        long results[TASKS] = {0};
        int task = 0, has = 0;
        for (;;) {
            MPI_Send(results, has, MPI_LONG, 0, ASK, MPI_COMM_WORLD);
            MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == END)
                break;
            MPI_Recv(&task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            has = task % 3 + 1; /* as many results as the task has parts */
            for (at = 0; at < has; ++at)
                results[at] = task * 10 + at;
        }
        MPI_Recv(NULL, 0, MPI_INT, 0, END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
