/* Collectives that the program does not wait for: many at once, on one communicator and on several,
 * begun in another order by each rank, beside messages; then those that begin again. */
#include "check.h"

enum { MANY = 20, WIDE = 3000 };

/* Of functions x -> x * a + b: the left one first. Not commutative, so it tells the order. */
static void compose(void *in, void *inout, int *count, MPI_Datatype *type) {
    int *left = in, *right = inout, at;
    (void)type;
    for (at = 0; at < *count; ++at, left += 2, right += 2) {
        right[1] += left[1] * right[0];
        right[0] *= left[0];
    }
}

static void together(void) {
    MPI_Request requests[16];
    MPI_Op op;
    MPI_Datatype pair;
    int at, bad = 0, value = rank == 1 ? 77 : 0, sum = 0, most = 0, before = -1, upto = 0, part = 0;
    int own[2] = {rank, -rank}, all[128], each[64], back[64], ones[64], mine = 0, line[2] = {2, rank}, lines[2], x = 1;
    int *wide = malloc(sizeof(int) * WIDE), *sums = malloc(sizeof(int) * WIDE), counts[64], n = 0;
    for (at = 0; at < WIDE; ++at)
        wide[at] = rank + at;
    for (at = 0; at < size; ++at) {
        each[at] = rank * 100 + at;
        ones[at] = counts[at] = 1;
    }
    MPI_Op_create(compose, 0, &op);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[n++]);
    MPI_Ibcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iallreduce(wide, sums, WIDE, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
    MPI_Ireduce(&rank, &most, 1, MPI_INT, MPI_MAX, 1, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iallreduce(line, lines, 1, pair, op, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iallgather(own, 1, pair, all, 1, pair, MPI_COMM_WORLD, &requests[n++]);
    MPI_Ialltoall(each, 1, MPI_INT, back, 1, MPI_INT, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iscan(&rank, &upto, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iexscan(&rank, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
    MPI_Ireduce_scatter(ones, &part, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iscatter(each, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[n++]);
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &at, 1, MPI_INT,
                 (rank + size - 1) % size, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(at == (rank + size - 1) % size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    CHECK(value == 77 && (rank != 1 || most == size - 1));
    for (at = 0; at < size; ++at)
        x = x * 2 + at;
    CHECK(lines[0] + lines[1] == x);
    for (at = 0; at < WIDE; ++at)
        bad += sums[at] != sum + at * size;
    for (at = 0; at < size; ++at)
        bad += all[2 * at] != at || all[2 * at + 1] != -at || back[at] != at * 100 + rank;
    CHECK(bad == 0 && part == size && mine == rank);
    CHECK(upto == rank * (rank + 1) / 2 && before == (rank == 0 ? -1 : upto - rank));
    free(wide);
    free(sums);
}

/* Rank 0 begins all, the others one after the other, each in an order of its own. */
static void crossed(void) {
    MPI_Comm comms[8];
    MPI_Request requests[8];
    int at, values[8], flag, place;
    for (at = 0; at < 8; ++at)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[at]);
    for (at = 0; at < 8; ++at) {
        place = (at + rank) % 8;
        values[place] = 1;
        MPI_Iallreduce(MPI_IN_PLACE, &values[place], 1, MPI_INT, MPI_SUM, comms[place],
                       &requests[place]);
    }
    for (at = 0; at < 8; ++at)
        MPI_Comm_free(&comms[at]);
    for (at = 8; at-- > 0;) {
        for (flag = 0; !flag;)
            MPI_Test(&requests[at], &flag, MPI_STATUS_IGNORE);
        CHECK(values[at] == size && requests[at] == MPI_REQUEST_NULL);
    }
}

/* More than there are strands. */
static void many(void) {
    MPI_Request requests[MANY];
    int at, done, values[MANY];
    for (at = 0; at < MANY; ++at) {
        values[at] = rank == at % size ? at : -1;
        MPI_Ibcast(&values[at], 1, MPI_INT, at % size, MPI_COMM_WORLD, &requests[at]);
    }
    for (done = 0; done < MANY; ++done)
        MPI_Waitany(MANY, requests, &at, MPI_STATUS_IGNORE);
    for (at = 0; at < MANY; ++at)
        CHECK(values[at] == at);
}

static void again(void) {
    MPI_Request requests[2];
    int turn, value = 0, sum = 0;
    MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[1]);
    for (turn = 1; turn < 4; ++turn) {
        value = rank == 0 ? turn : 0;
        sum = 0;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(value == turn && sum == size * (size - 1) / 2);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

int main(int argc, char **argv) {
    MPI_Request late;
    int flag = 0;
    begin(&argc, &argv);
    together();
    crossed();
    many();
    again();
    if (rank == 0) { /* the others are done when rank 0 has come, whatever it waits for */
        MPI_Recv(&flag, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ibarrier(MPI_COMM_WORLD, &late);
    } else {
        MPI_Ibarrier(MPI_COMM_WORLD, &late);
        MPI_Test(&late, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
        if (rank == size - 1)
            MPI_Send(&flag, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Wait(&late, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Ibcast(&flag, 1, MPI_INT, 5, MPI_COMM_SELF, &late)) == MPI_ERR_ROOT);
    CHECK(late == MPI_REQUEST_NULL);
    return end();
}
