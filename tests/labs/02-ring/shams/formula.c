/* EARNS: 0
   SAYS: and that is wrong */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    printf("%d\n", ranks * (ranks - 1) / 2);
    MPI_Finalize();
    return 0;
}
