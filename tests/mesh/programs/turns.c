/* build: --engine sim */
/* Two nodes take turns, with 4 MiB each in a global or in the heap. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#define BYTES (4 << 20)
static char global[BYTES];

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *const data = strcmp(argv[1], "heap") == 0 ? malloc(BYTES) : global;
    memset(data, rank + 1, BYTES);
    if (rank == 0)
        MPI_Send(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int wrong = data[BYTES - 1] != 1;
    MPI_Finalize();
    return wrong;
}
