/* Words of the command line, the heap, floating point in printf(), an end by exit(). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls;

static void finish(double value) {
    ++calls;
    printf("%.3f %d\n", value, calls);
    MPI_Finalize();
    exit(0);
}

int main(int argc, char **argv) {
    int rank, size, at;
    char *text = NULL;
    size_t length = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (at = 1; at < argc; ++at) {
        length += strlen(argv[at]) + 1;
        text = realloc(text, length);
        if (at == 1)
            text[0] = '\0';
        strcat(strcat(text, argv[at]), " ");
    }
    printf("rank %d of %d: %sand %d words\n", rank, size, text == NULL ? "" : text, argc);
    free(text);
    finish(rank + 0.125);
    return 1;
}
