/* build: --engine sim
   Programs over MPI that are wrong in some order of what happens, and their right twins. The word
   of the command line says which. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static int taken(int source, int tag) {
    int number = -1;
    MPI_Recv(&number, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return number;
}

static void give(int number, int to, int tag) {
    MPI_Send(&number, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

/* The last of the numbers decides. */
static int last(void) {
    int number = 0;
    for (int left = ranks - 1; rank == 0 && left != 0; --left)
        number = taken(MPI_ANY_SOURCE, 0);
    if (rank != 0)
        give(rank, 0, 0);
    return rank == 0 && number == 1;
}

/* Their sum does not hang on it. */
static int sum(void) {
    int all = 0;
    for (int left = ranks - 1; rank == 0 && left != 0; --left)
        all += taken(MPI_ANY_SOURCE, 0);
    if (rank != 0)
        give(rank, 0, 0);
    return rank == 0 && all != ranks * (ranks - 1) / 2;
}

/* If rank 2's number is taken first, by the one for any source, the next one waits for ever. */
static int deadlock(void) {
    if (rank == 0)
        return taken(MPI_ANY_SOURCE, 0) + taken(2, 0) == 0;
    if (rank <= 2)
        give(rank, 0, 0);
    return 0;
}

/* Rank 0 looks only once: a right answer takes "nothing yet" as well. */
static int looks(int may_be_early) {
    int come = 0;
    if (rank == 1)
        give(1, 0, 0);
    if (rank != 0)
        return 0;
    MPI_Iprobe(1, 0, MPI_COMM_WORLD, &come, MPI_STATUS_IGNORE);
    taken(1, 0);
    return !come && !may_be_early;
}

/* A null pointer, if rank 2 comes before rank 1. */
static int crash(void) {
    int *volatile place = NULL;
    int number = 2;
    if (rank == 0) {
        if (taken(MPI_ANY_SOURCE, 0) == 1)
            place = &number;
        taken(MPI_ANY_SOURCE, 0);
        return *place != 2;
    }
    if (rank <= 2)
        give(rank, 0, 0);
    return 0;
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "";
    int wrong = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(word, "last") == 0)
        wrong = last();
    else if (strcmp(word, "sum") == 0)
        wrong = sum();
    else if (strcmp(word, "deadlock") == 0)
        wrong = deadlock();
    else if (strcmp(word, "impatient") == 0)
        wrong = looks(0);
    else if (strcmp(word, "patient") == 0)
        wrong = looks(1);
    else if (strcmp(word, "crash") == 0)
        wrong = crash();
    MPI_Finalize();
    return wrong;
}
