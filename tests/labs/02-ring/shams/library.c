/* EARNS: 0
   SAYS: the program calls PMPI_Allreduce(), which this check forbids */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int sum;
    MPI_Init(&argc, &argv);
    sum = argc > 1 ? atoi(argv[1]) : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
