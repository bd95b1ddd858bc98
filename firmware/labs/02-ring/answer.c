/* Lab 2: each rank sends its number round the ring, and adds up the numbers that come by. At the
   end it prints the sum. As it stands nobody ever receives anything: find out why, and mend it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int me, ranks, number, sum, round;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
    number = sum = argc > 1 ? atoi(argv[1]) : me; /* its first word, which it alone knows */
    for (round = 1; round < ranks; ++round) {
        MPI_Ssend(&number, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += number;
    }
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
