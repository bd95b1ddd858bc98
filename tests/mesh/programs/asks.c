/* Rank 0 asks for numbers, one at a time, and all ranks add them up; the name of the host is that
   which MPI knows. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** words) {
    char host[64], processor[MPI_MAX_PROCESSOR_NAME];
    int rank, length, more = 1, number = 0, sum = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;) {
        if (rank == 0) {
            printf("a number: ");
            more = scanf("%d", &number);
        }
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (more != 1)
            break;
        MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
        sum += number;
    }
    if (rank == 0)
        printf("none\n");
    MPI_Get_processor_name(processor, &length);
    gethostname(host, sizeof host);
    printf("%d at %s, %s\n", sum, host, strcmp(host, processor) == 0 ? "the same" : "not the same");
    MPI_Finalize();
    return 0;
}
