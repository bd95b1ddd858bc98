/* Messages that are cancelled, on either side: what is cancelled never comes, all else comes. */
#include "check.h"

#include <unistd.h>

static int next, before;

/* Ends a request; 1: it was cancelled. */
static int was_cancelled(MPI_Request *request) {
    MPI_Status status;
    int flag = -1;
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &flag);
    return flag;
}

static int is_there(int tag) {
    int flag = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return flag;
}

/* Nobody receives these. */
static void sends(void) {
    static double large[4000];
    MPI_Datatype column;
    MPI_Request request;
    int flag = 0;
    MPI_Issend(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    CHECK(was_cancelled(&request) == 1 && request == MPI_REQUEST_NULL);
    CHECK(!is_there(1));
    MPI_Type_vector(1000, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Isend(large, 1, column, next, 2, MPI_COMM_WORLD, &request);
    MPI_Type_free(&column);
    MPI_Cancel(&request);
    MPI_Cancel(&request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(!is_there(2));
    MPI_Issend(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    MPI_Issend(&rank, 0, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    CHECK(was_cancelled(&request) == 1);
    CHECK(!is_there(3));
}

/* Of two sends one is cancelled, and the other, with the same tag, is received. */
static void one_of_two(void) {
    MPI_Request requests[2];
    int out[2] = {rank, rank + 100}, in = -1;
    MPI_Issend(&out[0], 1, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(&out[1], 1, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Cancel(&requests[0]);
    CHECK(was_cancelled(&requests[0]) == 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(was_cancelled(&requests[1]) == 0 && in == before + 100);
}

/* A receive has been found, or the message has left: it is too late. */
static void too_late(void) {
    static int large[5000], came[5000];
    MPI_Request in, out;
    MPI_Message message;
    large[4999] = rank;
    MPI_Irecv(came, 5000, MPI_INT, before, 5, MPI_COMM_WORLD, &in);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(large, 5000, MPI_INT, next, 5, MPI_COMM_WORLD, &out);
    MPI_Cancel(&out);
    CHECK(was_cancelled(&out) == 0 && was_cancelled(&in) == 0 && came[4999] == before);
    MPI_Isend(&rank, 1, MPI_INT, next, 6, MPI_COMM_WORLD, &out);
    MPI_Cancel(&out);
    CHECK(was_cancelled(&out) == 0);
    MPI_Recv(came, 1, MPI_INT, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(came[0] == before);
    MPI_Issend(&rank, 1, MPI_INT, next, 7, MPI_COMM_WORLD, &out);
    MPI_Mprobe(before, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&out);
    MPI_Barrier(MPI_COMM_WORLD);
    came[0] = -1;
    MPI_Mrecv(came, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    CHECK(was_cancelled(&out) == 0 && came[0] == before);
}

static void again_and_again(void) {
    int in = -1;
    MPI_Request requests[2];
    MPI_Ssend_init(&rank, 1, MPI_INT, next, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, before, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[1]);
    MPI_Cancel(&requests[1]);
    CHECK(was_cancelled(&requests[1]) == 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&requests[0]);
    MPI_Cancel(&requests[0]);
    CHECK(was_cancelled(&requests[0]) == 1);
    CHECK(!is_there(8) && in == -1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Startall(2, requests);
    CHECK(was_cancelled(&requests[0]) == 0 && was_cancelled(&requests[1]) == 0 && in == before);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* The receive begins while the send is cancelled: both are cancelled, or neither is. */
static void races(void) {
    MPI_Request in, out;
    int round, mine, theirs, got;
    for (round = 0; round < 40; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        got = -1;
        MPI_Issend(&round, 1, MPI_INT, next, 9, MPI_COMM_WORLD, &out);
        usleep((unsigned)(round * 7 % 40 * 100));
        MPI_Cancel(&out);
        usleep((unsigned)(round * 11 % 40 * 100));
        MPI_Irecv(&got, 1, MPI_INT, before, 9, MPI_COMM_WORLD, &in);
        mine = was_cancelled(&out);
        MPI_Sendrecv(&mine, 1, MPI_INT, next, 10, &theirs, 1, MPI_INT, before, 10, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (theirs)
            MPI_Cancel(&in);
        CHECK(was_cancelled(&in) == theirs && got == (theirs ? -1 : round));
    }
}

static void refused(void) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Cancel(&request)) == MPI_ERR_REQUEST);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    sends();
    one_of_two();
    too_late();
    again_and_again();
    races();
    refused();
    return end();
}
