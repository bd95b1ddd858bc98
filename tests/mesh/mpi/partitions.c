/* Partitioned communication: parts that are ready in any order, another number of parts at the
 * receiver, several requests with one tag, large parts, datatypes with holes. */
#include "check.h"

enum { PARTS = 12, EACH = 50, ROUNDS = 3 };

static int to, from, out[PARTS * EACH], in[PARTS * EACH];

static void fill(int round) {
    for (int at = 0; at < PARTS * EACH; ++at) {
        out[at] = 10000 * rank + 1000 * round + at;
        in[at] = -1;
    }
}

static int is_right(int round) {
    for (int at = 0; at < PARTS * EACH; ++at)
        if (in[at] != 10000 * from + 1000 * round + at)
            return 0;
    return 1;
}

/* The receiver has `parts` parts. */
static void any_order(int parts) {
    static const int last[] = {1, 9, 3};
    int flag, round, at, come;
    MPI_Request request[2];
    MPI_Psend_init(out, PARTS, EACH, MPI_INT, to, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Precv_init(in, parts, PARTS * EACH / parts, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request[1]);
    for (round = 0; round < ROUNDS; ++round) {
        fill(round);
        MPI_Startall(2, request);
        MPI_Pready_range(4, 8, request[0]);
        MPI_Pready(11, request[0]);
        MPI_Pready(0, request[0]);
        MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
        MPI_Pready(2, request[0]);
        MPI_Pready(10, request[0]);
        MPI_Pready_list(3, last, request[0]);
        for (at = 0, come = 0; at < parts; ++at) {
            for (flag = 0; !flag;)
                MPI_Parrived(request[1], at, &flag);
            ++come;
            CHECK(in[at * (PARTS * EACH / parts)] ==
                  10000 * from + 1000 * round + at * (PARTS * EACH / parts));
        }
        CHECK(come == parts);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        CHECK(is_right(round));
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

/* What is told first fits the first request, whatever its size. */
static void one_tag(void) {
    double *large = malloc(6000 * sizeof *large), *got = malloc(6000 * sizeof *got);
    int few[2] = {rank, -rank}, both[2] = {0}, at, good = 1;
    MPI_Request request[4];
    for (at = 0; at < 6000; ++at)
        large[at] = rank + at;
    MPI_Precv_init(got, 2, 3000, MPI_DOUBLE, from, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Precv_init(both, 1, 2, MPI_INT, from, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    MPI_Psend_init(large, 3, 2000, MPI_DOUBLE, to, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request[2]);
    MPI_Psend_init(few, 2, 1, MPI_INT, to, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request[3]);
    MPI_Startall(4, request);
    MPI_Pready_range(0, 1, request[3]);
    MPI_Pready_range(0, 2, request[2]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    for (at = 0; at < 6000; ++at)
        good = good && got[at] == from + at;
    CHECK(good && both[0] == from && both[1] == -from);
    for (at = 0; at < 4; ++at)
        MPI_Request_free(&request[at]);
    free(large);
    free(got);
}

/* Columns of a matrix; and nobody at the other end. */
static void holes(void) {
    int matrix[4][6], copy[4][6] = {{0}}, row, flag = 0;
    MPI_Datatype column, moved;
    MPI_Request request[2], none;
    for (row = 0; row < 24; ++row)
        matrix[row / 6][row % 6] = 100 * rank + row;
    MPI_Type_vector(4, 1, 6, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &moved);
    MPI_Type_commit(&moved);
    MPI_Psend_init(matrix, 6, 1, moved, to, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Precv_init(copy, 3, 2, moved, from, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    MPI_Type_free(&moved);
    MPI_Type_free(&column);
    MPI_Startall(2, request);
    MPI_Pready_range(0, 5, request[0]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (row = 0; row < 24; ++row)
        CHECK(copy[row / 6][row % 6] == 100 * from + row);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Psend_init(matrix, 2, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &none);
    MPI_Start(&none);
    MPI_Pready_range(0, 1, none);
    MPI_Wait(&none, MPI_STATUS_IGNORE);
    MPI_Request_free(&none);
    CHECK(none == MPI_REQUEST_NULL && !flag);
    MPI_Type_contiguous(0, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Psend_init(matrix, 2, 1, column, to, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Precv_init(copy, 2, 1, column, from, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    MPI_Startall(2, request);
    MPI_Pready_range(0, 1, request[0]);
    CHECK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Type_free(&column);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    any_order(PARTS);
    any_order(3);
    any_order(8);
    any_order(30);
    one_tag();
    holes();
    return end();
}
