/* Claims of a test program: each that does not hold is told with its line. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong, rank, size;

#define CHECK(claim)                                                                               \
    do                                                                                             \
        if (!(claim)) {                                                                            \
            ++wrong;                                                                               \
            printf("rank %d, line %d: %s\n", rank, __LINE__, #claim);                              \
        }                                                                                          \
    while (0)

/* The class of an error; elsewhere a code says more. */
static inline int class_of(int code) {
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

static inline void begin(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static inline int end(void) {
    int all = 0;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return wrong != 0;
}
