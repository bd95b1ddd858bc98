/* What harms its own node and no other: bytes beyond the heap, a global, an array; wrong free(). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char global[64];
static char *volatile place; /* so that the compiler does not see where it leads */

__attribute__((noinline)) static void fill(long bytes) {
    char *const from = place;
    memset(from, 'A', bytes); /* fill */
    place = from;
}

__attribute__((noinline)) static void on_stack(long bytes) {
    char array[64];
    place = array;
    fill(sizeof array + bytes);
} /* stack */

__attribute__((noinline)) static void in_heap(long bytes) {
    char *const block = malloc(100); /* taken */
    char *const behind = malloc(100);
    place = block;
    fill(100 + bytes);
    free(block); /* given back */
    free(behind);
    place = 0; /* what is called above is not the last thing, so its line is known */
}

__attribute__((noinline)) static void step_by_step(long bytes) {
    for (long at = 0; at < bytes; ++at)
        place[at] = 'A'; /* loop */
}

__attribute__((noinline)) static void without_end(const char *what) {
    static char text[1 << 20];
    for (;;) { /* for ever */
        if (*what == 'm')
            memset(text, *what, sizeof text); /* memset */
        else if (*what == 's')
            sprintf(text, "%d %f", 7, 3.25); /* sprintf */
        else
            MPI_Wtime();
    }
}

__attribute__((noinline)) static void wrong_free(const char *what) {
    char *volatile block = malloc(100), *volatile other = malloc(100); /* two */
    char array[16];
    place = block;
    if (strcmp(what, "twice") == 0) {
        free(block);
        free(block); /* twice */
    } else if (strcmp(what, "joined") == 0) {
        free(block);
        free(other);
        free(other); /* joined */
    } else if (strcmp(what, "inside") == 0) {
        place += 16;
        free(place); /* inside */
    } else if (strcmp(what, "odd") == 0) {
        place += 3;
        place = realloc(place, 10); /* odd */
    } else if (strcmp(what, "array") == 0) {
        place = array;
        free(place); /* array */
    } else if (strcmp(what, "before") == 0) {
        place -= 4;
        fill(4);
        free(block); /* before */
    } else if (strcmp(what, "end") == 0) {
        fill(101);
    }
    place = 0;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *const what = argv[1];
    const long bytes = argc > 2 ? atol(argv[2]) : 0;
    place = global;
    if (rank == 1) {
        if (strcmp(what, "stack") == 0)
            on_stack(bytes);
        else if (strcmp(what, "heap") == 0)
            in_heap(bytes);
        else if (strcmp(what, "global") == 0)
            fill(sizeof global + bytes);
        else if (strcmp(what, "loop") == 0)
            step_by_step(sizeof global + bytes);
        else if (strcmp(what, "memset") == 0 || strcmp(what, "sprintf") == 0 ||
                 strcmp(what, "time") == 0)
            without_end(what);
        else if (strcmp(what, "stdout") == 0)
            memset((void *)stdout, 0, 200);
        else
            wrong_free(what);
    }
    printf("rank %d is there\n", rank);
    MPI_Finalize();
    return 0;
}
