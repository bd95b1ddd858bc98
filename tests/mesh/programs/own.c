/* What C keeps between two calls is a node's own: chance, the date, what is called at the end. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void last(void) { printf("last\n"); }

static void first(void) {
    printf("first\n");
    MPI_Finalize();
}

/* What other functions have taken of the heap is given back to it. */
static void give_back(void) {
    char *text;
    void *aligned = NULL;
    if (asprintf(&text, "%d", 42) != 2 || posix_memalign(&aligned, 256, 100) != 0)
        printf("no room\n");
    char *const part = strndup(text, 1);
    printf("kin %s %s %d\n", text, part, (int)((uintptr_t)aligned % 256));
    free(text);
    free(part);
    free(aligned);
}

int main(int argc, char **argv) {
    int rank;
    unsigned seed = 7;
    unsigned short state[3] = {1, 2, 3};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    atexit(last);
    atexit(first);
    for (int i = 0; i < rank; ++i) /* another node's numbers would move */
        printf("%ld %ld\n", random(), mrand48());
    srandom(5);
    srand48(5);
    printf("set %.9f ", drand48());
    printf("%ld ", lrand48());
    printf("%ld %d %ld\n", random(), rand_r(&seed), nrand48(state));
    srand((unsigned)time(NULL) * rank);
    printf("drawn %d\n", rand());
    printf("room %d\n", malloc(argc > 1 ? atol(argv[1]) : 13 << 20) != NULL);
    give_back();
    if (rank == 0)
        return 0;
    exit(0);
}
