/* Point to point: order, wildcards, all ways to wait, large ones, to oneself, cancelled, buffered. */
#include "check.h"

enum { LARGE = 3000000, MANY = 20 };

static void order(int right, int left) {
    int at, value, flag = 0;
    MPI_Status status;
    MPI_Request requests[MANY];
    int values[MANY], places[MANY], done = 0, count;
    for (at = 0; at < MANY; ++at) /* small and large ones by turns keep their order */
        if (at % 2)
            MPI_Send(&at, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
        else
            MPI_Isend(memcpy(&values[at], &at, sizeof at), 1, MPI_INT, right, 5, MPI_COMM_WORLD,
                      &requests[at]);
    MPI_Barrier(MPI_COMM_WORLD); /* all have come, and wait for their receives */
    for (at = 0; at < MANY; ++at) {
        MPI_Recv(&value, 1, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK(value == at && status.MPI_SOURCE == left && status.MPI_TAG == 5);
        if (at % 2 == 0)
            MPI_Wait(&requests[at], MPI_STATUS_IGNORE);
    }
    for (at = 0; at < MANY; ++at) /* receives that wait are served in their order */
        MPI_Irecv(&values[at], 1, MPI_INT, left, 6, MPI_COMM_WORLD, &requests[at]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (at = 0; at < MANY; ++at)
        MPI_Send(&at, 1, MPI_INT, right, 6, MPI_COMM_WORLD);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    for (at = 0; at < MANY; ++at)
        CHECK(values[at] == at);
    for (at = 0; at < MANY; ++at)
        MPI_Irecv(&values[at], 1, MPI_INT, left, at, MPI_COMM_WORLD, &requests[at]);
    for (at = MANY; at-- > 0;)
        MPI_Send(&at, 1, MPI_INT, right, at, MPI_COMM_WORLD);
    while (done < MANY / 2) {
        MPI_Waitsome(MANY, requests, &count, places, MPI_STATUSES_IGNORE);
        CHECK(count > 0);
        done += count;
    }
    while (done < MANY) {
        MPI_Waitany(MANY, requests, &at, &status);
        CHECK(at != MPI_UNDEFINED && status.MPI_TAG == at && requests[at] == MPI_REQUEST_NULL);
        ++done;
    }
    for (at = 0; at < MANY; ++at)
        CHECK(values[at] == at);
    MPI_Waitany(MANY, requests, &at, &status);
    CHECK(at == MPI_UNDEFINED);
    MPI_Irecv(&value, 1, MPI_INT, left, 77, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[0], 1, MPI_INT, left, 78, MPI_COMM_WORLD, &requests[1]);
    MPI_Test(&requests[0], &flag, &status);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, right, 78, MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, right, 77, MPI_COMM_WORLD);
    while (!flag)
        MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    CHECK(value == left && values[0] == left);
}

static void large(int right, int left) {
    char *out = malloc(LARGE), *in = malloc(LARGE), *buffer = malloc(5000 + MPI_BSEND_OVERHEAD);
    void *attached;
    MPI_Status status;
    MPI_Request request;
    int count, at, bad = 0;
    memset(out, 'a' + rank, LARGE);
    out[LARGE - 1] = 'z';
    MPI_Sendrecv(out, LARGE, MPI_CHAR, right, 1, in, LARGE, MPI_CHAR, left, 1, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    for (at = 0; at < LARGE - 1; ++at)
        bad += in[at] != 'a' + left;
    CHECK(count == LARGE && bad == 0 && in[LARGE - 1] == 'z');
    MPI_Sendrecv_replace(out, 5000, MPI_CHAR, right, 2, left, 2, MPI_COMM_WORLD, &status);
    CHECK(out[0] == 'a' + left && out[4999] == 'a' + left && out[5000] == 'a' + rank);
    MPI_Buffer_attach(buffer, 5000 + MPI_BSEND_OVERHEAD);
    MPI_Bsend(out, 5000, MPI_CHAR, right, 3, MPI_COMM_WORLD);
    memset(out, '.', 5000);
    MPI_Irecv(in, LARGE, MPI_CHAR, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 1250 && in[0] == 'a' + (left + size - 1) % size);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == 625);
    MPI_Buffer_detach(&attached, &count);
    free(buffer);
    free(out);
    free(in);
}

static void alone(void) {
    int out = 42, in = 0, flag = 1;
    MPI_Request request;
    MPI_Status status;
    MPI_Send(&out, 1, MPI_INT, rank, 9, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &status);
    CHECK(in == 42 && status.MPI_SOURCE == rank);
    MPI_Issend(&out, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &request);
    MPI_Test(&request, &flag, &status);
    CHECK(!flag);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &status);
    CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 9);
    in = 0;
    MPI_Recv(&in, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in == 42);
    MPI_Irecv(&in, 1, MPI_INT, rank, 10, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag);
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    CHECK(in == 42 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Wait(&request, &status); /* none */
    CHECK(request == MPI_REQUEST_NULL && status.MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Send(&out, 1, MPI_INT, 1, 0, MPI_COMM_SELF)) == MPI_ERR_RANK);
    MPI_Isend("8 bytes", 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &request);
    CHECK(class_of(MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &status)) == MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    order((rank + 1) % size, (rank + size - 1) % size);
    MPI_Barrier(MPI_COMM_WORLD);
    large((rank + 1) % size, (rank + size - 1) % size);
    MPI_Barrier(MPI_COMM_WORLD);
    alone();
    return end();
}
