/* Sorting by samples: each rank sorts its numbers, splitters are found, all exchange with all. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { EACH = 500 };

static int compare(const void *one, const void *other) {
    const int a = *(const int *)one, b = *(const int *)other;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    int rank, size, at, to = 0, wrong = 0, bad = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *mine = malloc(EACH * sizeof *mine), *samples = malloc(size * sizeof *samples);
    int *all = malloc(size * size * sizeof *all);
    int *out = calloc(4 * size, sizeof *out);
    int *in = out + size, *out_places = in + size, *in_places = out_places + size;
    srand(rank + 1);
    for (at = 0; at < EACH; ++at)
        mine[at] = rand() % 100000;
    qsort(mine, EACH, sizeof *mine, compare);
    for (at = 0; at < size; ++at)
        samples[at] = mine[at * EACH / size];
    MPI_Allgather(samples, size, MPI_INT, all, size, MPI_INT, MPI_COMM_WORLD);
    qsort(all, size * size, sizeof *all, compare);
    for (at = 0; at < EACH; ++at) {
        while (to + 1 < size && mine[at] >= all[(to + 1) * size])
            ++to;
        ++out[to];
    }
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    for (at = 1; at < size; ++at) {
        out_places[at] = out_places[at - 1] + out[at - 1];
        in_places[at] = in_places[at - 1] + in[at - 1];
    }
    const int count = in_places[size - 1] + in[size - 1];
    int *sorted = malloc((count + 1) * sizeof *sorted);
    MPI_Alltoallv(mine, out, out_places, MPI_INT, sorted, in, in_places, MPI_INT, MPI_COMM_WORLD);
    qsort(sorted, count, sizeof *sorted, compare);
    int greatest = count == 0 ? -1 : sorted[count - 1], before = -1, sum = 0;
    MPI_Exscan(&greatest, &before, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    wrong = rank != 0 && count != 0 && sorted[0] < before;
    MPI_Reduce(&wrong, &bad, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&count, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s, %s\n", bad == 0 ? "sorted" : "not sorted",
               sum == EACH * size ? "all there" : "some lost");
    free(mine);
    free(samples);
    free(all);
    free(out);
    free(sorted);
    MPI_Finalize();
    return 0;
}
