#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int me, ranks, number, sum, round;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
    number = sum = argc > 1 ? atoi(argv[1]) : me;
    for (round = 1; round < ranks; ++round) {
        int theirs;
        MPI_Sendrecv(&number, 1, MPI_INT, right, 1, &theirs, 1, MPI_INT, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        number = theirs;
        sum += number;
    }
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
