/* Corners of the standard: whose error handler is called, requests that nobody waits for, the order
 * of attributes, types that begin before their address, what types are made of. */
#include "check.h"

#include <complex.h>
#include <float.h>
#include <limits.h>

static int next, before;

static int errors_told;
static void count_errors(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    errors_told += class_of(*code) == MPI_ERR_TRUNCATE || class_of(*code) == MPI_ERR_IN_STATUS;
}

/* The error of a request is told to its communicator, which the program may have freed. */
static void errors(void) {
    int out[4] = {0}, in[4];
    MPI_Comm copy;
    MPI_Request requests[2];
    MPI_Status status[2];
    MPI_Errhandler mine;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    MPI_Irecv(in, 1, MPI_INT, before, 0, copy, requests);
    MPI_Send(out, 4, MPI_INT, next, 0, copy);
    CHECK(class_of(MPI_Wait(requests, status)) == MPI_ERR_TRUNCATE);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    MPI_Irecv(in, 1, MPI_INT, before, 0, copy, requests);
    MPI_Irecv(in + 1, 1, MPI_INT, before, 1, copy, requests + 1);
    MPI_Send(out, 4, MPI_INT, next, 0, copy);
    MPI_Send(out, 1, MPI_INT, next, 1, copy);
    CHECK(class_of(MPI_Waitall(2, requests, status)) == MPI_ERR_IN_STATUS);
    CHECK(class_of(status[0].MPI_ERROR) == MPI_ERR_TRUNCATE && status[1].MPI_ERROR == MPI_SUCCESS);
    MPI_Comm_create_errhandler(count_errors, &mine);
    MPI_Comm_set_errhandler(copy, mine);
    MPI_Errhandler_free(&mine);
    MPI_Irecv(in, 1, MPI_INT, before, 0, copy, requests);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, 4, MPI_INT, next, 0, copy);
    MPI_Comm_free(&copy);
    MPI_Wait(requests, status);
    CHECK(errors_told == 1);
}

/* Two receives of an int from this rank: it comes for the first, `count` of them for the other. */
static void two(int count, MPI_Request *requests) {
    static const int out[2] = {0};
    static int in[2];
    int at;
    for (at = 0; at < 2; ++at)
        MPI_Irecv(&in[at], 1, MPI_INT, 0, at, MPI_COMM_SELF, &requests[at]);
    for (at = 0; at < 2; ++at)
        MPI_Send(out, at == 0 ? 1 : count, MPI_INT, 0, at, MPI_COMM_SELF);
}

/* MPI_ERROR is written by calls for several requests alone, and only if one has an error. */
static void errors_of_statuses(void) {
    enum { LEFT = 12345 };
    MPI_Status status[2];
    MPI_Request requests[2];
    int at, flag = 0, in;
    status[0].MPI_ERROR = status[1].MPI_ERROR = LEFT;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    two(1, requests);
    MPI_Waitall(2, requests, status);
    CHECK(status[0].MPI_ERROR == LEFT && status[1].MPI_ERROR == LEFT);
    two(2, requests);
    CHECK(MPI_Waitany(1, requests, &at, status) == MPI_SUCCESS && status[0].MPI_ERROR == LEFT);
    CHECK(class_of(MPI_Wait(&requests[1], status)) == MPI_ERR_TRUNCATE);
    CHECK(status[0].MPI_ERROR == LEFT);
    MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
    MPI_Probe(0, 2, MPI_COMM_SELF, status);
    CHECK(class_of(MPI_Recv(&in, 2, MPI_CHAR, 0, 2, MPI_COMM_SELF, status)) == MPI_ERR_TRUNCATE);
    CHECK(status[0].MPI_ERROR == LEFT);
    two(2, requests);
    CHECK(class_of(MPI_Waitall(2, requests, status)) == MPI_ERR_IN_STATUS);
    CHECK(status[0].MPI_ERROR == MPI_SUCCESS);
    CHECK(class_of(status[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
    two(2, requests);
    while (!flag)
        at = MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    CHECK(class_of(at) == MPI_ERR_IN_STATUS);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/* A receive is done though its request was freed; buffers come back as they were given. */
static void requests(void) {
    static char room[4096];
    int value = rank, got = -1, again = -1, bytes = 0;
    void *buffer = NULL;
    MPI_Request request, sends[2];
    MPI_Irecv(&got, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Sendrecv(&value, 1, MPI_INT, next, 3, &again, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&value, 1, MPI_INT, next, 3, &again, 1, MPI_INT, before, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(got == before && again == before);
    MPI_Buffer_attach(room, sizeof room);
    MPI_Bsend_init(&value, 1, MPI_INT, next, 4, MPI_COMM_WORLD, sends);
    MPI_Rsend_init(&value, 1, MPI_INT, next, 5, MPI_COMM_WORLD, sends + 1);
    MPI_Irecv(&again, 1, MPI_INT, before, 5, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Startall(2, sends);
    MPI_Recv(&got, 1, MPI_INT, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got == before && again == before);
    MPI_Request_free(sends);
    MPI_Request_free(sends + 1);
    MPI_Buffer_detach(&buffer, &bytes);
    CHECK(buffer == room && bytes == sizeof room);
}

/* Buffered sends are complete at once, large ones, too, and before any rank receives. */
static void large_buffered_sends(void) {
    static int out[1000], in[1000];
    int round, at, right = 0;
    MPI_Request again, once;
    MPI_Bsend_init(out, 1000, MPI_INT, next, 6, MPI_COMM_WORLD, &again);
    for (round = 0; round < 2; ++round) {
        for (at = 0; at < 1000; ++at)
            out[at] = 2000 * rank + 1000 * round + at;
        MPI_Start(&again);
        MPI_Wait(&again, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&again);
    MPI_Ibsend(out, 1000, MPI_INT, next, 6, MPI_COMM_WORLD, &once);
    MPI_Wait(&once, MPI_STATUS_IGNORE);
    memset(out, 0, sizeof out);
    for (round = 0; round < 3; ++round) {
        MPI_Recv(in, 1000, MPI_INT, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (at = 0; at < 1000; ++at)
            right += in[at] == 2000 * before + 1000 * (round > 0) + at;
    }
    CHECK(right == 3000);
}

/* A collective that is under way cannot be freed. */
static void freed_collective(void) {
    MPI_Request request, kept;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    kept = request;
    CHECK(class_of(MPI_Request_free(&request)) == MPI_ERR_REQUEST && request == kept);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static char dropped[8];
static int drop(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm;
    (void)key;
    (void)extra;
    strcat(dropped, value);
    return MPI_SUCCESS;
}
static int refuse(MPI_Comm comm, int key, void *extra, void *value, void *copied, int *flag) {
    (void)comm;
    (void)key;
    (void)extra;
    (void)value;
    (void)copied;
    *flag = 0;
    return MPI_ERR_OTHER;
}

/* The last attribute goes first, of a copy, too. */
static void attributes(void) {
    static char names[3][2] = {"a", "b", "c"};
    int keys[3], at, bad;
    MPI_Comm one, copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    for (at = 0; at < 3; ++at) {
        MPI_Comm_create_keyval(MPI_COMM_DUP_FN, drop, &keys[at], NULL);
        MPI_Comm_set_attr(one, keys[at], names[at]);
    }
    MPI_Comm_dup(one, &copy);
    MPI_Comm_free(&copy);
    CHECK(strcmp(dropped, "cba") == 0);
    MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &bad, NULL);
    MPI_Comm_set_attr(one, bad, NULL);
    MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_dup(one, &copy) != MPI_SUCCESS && copy == MPI_COMM_NULL);
    MPI_Comm_free(&one);
    for (at = 0; at < 3; ++at)
        MPI_Comm_free_keyval(&keys[at]);
    MPI_Comm_free_keyval(&bad);
}

/* What a refused duplicate has copied is dropped at once; the others still make it with this
 * rank. */
static void refused_duplicate(void) {
    static char name[] = "d";
    int key, bad;
    MPI_Comm one, copy = MPI_COMM_NULL;
    MPI_Request request;
    dropped[0] = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &bad, NULL);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, drop, &key, NULL);
    MPI_Comm_set_attr(one, bad, NULL);
    MPI_Comm_set_attr(one, key, name);
    MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_idup(one, &copy, &request) != MPI_SUCCESS);
    CHECK(strcmp(dropped, "d") == 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&one);
    MPI_Comm_free_keyval(&bad);
    MPI_Comm_free_keyval(&key);
}

static void add_up(void *in, void *inout, int *count, MPI_Datatype *type) {
    int at;
    (void)type;
    for (at = 0; at < *count; ++at)
        ((int *)inout)[3 * at] += ((int *)in)[3 * at];
}

typedef struct {
    int key, rest[8];
} Wide;

static void take_whole(void *in, void *inout, int *count, MPI_Datatype *type) {
    int at;
    (void)type;
    for (at = 0; at < *count; ++at)
        if (((Wide *)in)[at].key > ((Wide *)inout)[at].key)
            ((Wide *)inout)[at] = ((Wide *)in)[at];
}

/* An operation may copy all that is within the bounds of a type, though only a part of it is
 * data. */
static void whole_elements(void) {
    Wide mine[2], best[2];
    MPI_Datatype type;
    MPI_Op take;
    memset(mine, 0, sizeof mine);
    memset(best, 0, sizeof best);
    mine[0].key = rank;
    mine[1].key = -rank;
    MPI_Type_create_resized(MPI_INT, 0, sizeof(Wide), &type);
    MPI_Type_commit(&type);
    MPI_Op_create(take_whole, 1, &take);
    MPI_Allreduce(mine, best, 2, type, take, MPI_COMM_WORLD);
    CHECK(best[0].key == size - 1 && best[1].key == 0);
    MPI_Scan(mine, best, 1, type, take, MPI_COMM_WORLD);
    CHECK(best[0].key == rank);
    MPI_Op_free(&take);
    MPI_Type_free(&type);
}

/* An int of three whose extent begins before it, and one that lies at its own address. */
static void bounds(void) {
    static int here;
    int memory[64], sum[9] = {0}, at, one = 1, wide;
    MPI_Datatype early, absolute, pair, nested;
    MPI_Aint address, lower, extent, offsets[2] = {0, sizeof(int)};
    MPI_Datatype members[2] = {MPI_INT, MPI_CHAR};
    int lengths[2] = {1, 1};
    MPI_Op add;
    MPI_Type_create_resized(MPI_INT, -2 * (int)sizeof(int), 3 * sizeof(int), &early);
    MPI_Type_commit(&early);
    for (at = 0; at < 64; ++at)
        memory[at] = 100 * rank + at;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, memory + 2, 1, early, MPI_COMM_WORLD);
    for (at = 0; at < size; ++at)
        CHECK(memory[2 + 3 * at] == 100 * at + 2 + 3 * rank &&
              memory[3 + 3 * at] == 100 * rank + 3 + 3 * at);
    MPI_Op_create(add_up, 1, &add);
    for (at = 0; at < 64; ++at)
        memory[at] = at;
    MPI_Allreduce(memory + 2, sum + 2, 2, early, add, MPI_COMM_WORLD);
    CHECK(sum[2] == 2 * size && sum[5] == 5 * size && sum[3] == 0 && sum[4] == 0);
    MPI_Op_free(&add);
    MPI_Type_free(&early);
    MPI_Get_address(&here, &address);
    MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    here = rank;
    MPI_Bcast(MPI_BOTTOM, 1, absolute, size - 1, MPI_COMM_WORLD);
    CHECK(here == size - 1);
    MPI_Type_free(&absolute);
    MPI_Type_create_struct(2, lengths, offsets, members, &pair);
    members[0] = pair;
    offsets[1] = 2 * sizeof(int);
    MPI_Type_create_struct(2, lengths, offsets, members, &nested);
    MPI_Type_size(nested, &wide);
    MPI_Type_get_extent(nested, &lower, &extent);
    CHECK(wide == 6 && lower == 0 && extent == 3 * sizeof(int));
    MPI_Type_free(&pair);
    MPI_Type_free(&nested);
}

typedef struct {
    char letter;
    int number;
    double real;
    long wide;
} Mixed;

/* Elements of a struct, and its bytes as other machines have them. */
static void elements(void) {
    static const unsigned char outside[] = {'x', 1, 2, 3, 4, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0,
                                            0xFF, 0xFF, 0xFF, 0xF9};
    Mixed mixed[2] = {{'x', 0x01020304, 1.0, -7}, {'y', -1, -2.5, 7}}, back[2];
    int lengths[4] = {1, 1, 1, 1}, count = 0, bytes, digits = 0;
    MPI_Aint places[4], base, room, place = 0;
    MPI_Datatype members[4] = {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_LONG}, type, two, real, same;
    unsigned char packed[64], in[64];
    MPI_Status status;
    MPI_Get_address(mixed, &base);
    MPI_Get_address(&mixed[0].letter, &places[0]);
    MPI_Get_address(&mixed[0].number, &places[1]);
    MPI_Get_address(&mixed[0].real, &places[2]);
    MPI_Get_address(&mixed[0].wide, &places[3]);
    for (bytes = 0; bytes < 4; ++bytes)
        places[bytes] = MPI_Aint_diff(places[bytes], base);
    MPI_Type_create_struct(4, lengths, places, members, &type);
    MPI_Type_commit(&type);
    MPI_Type_contiguous(2, type, &two);
    MPI_Type_commit(&two);
    MPI_Type_size(type, &bytes);
    MPI_Sendrecv(packed, bytes + 5, MPI_BYTE, rank, 0, in, 64, MPI_BYTE, rank, 0, MPI_COMM_WORLD,
                 &status);
    MPI_Get_elements(&status, two, &count);
    CHECK(count == 6);
    MPI_Get_count(&status, two, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Pack_external_size("external32", 2, type, &room);
    CHECK(room == 2 * sizeof outside);
    MPI_Pack_external("external32", mixed, 1, two, packed, sizeof packed, &place);
    CHECK(place == room && memcmp(packed, outside, sizeof outside) == 0);
    place = 0;
    memset(back, 0, sizeof back);
    MPI_Unpack_external("external32", packed, room, &place, back, 2, type);
    CHECK(place == room && back[0].wide == -7 && back[1].letter == 'y' && back[1].real == -2.5);
    MPI_Type_free(&type);
    MPI_Type_free(&two);
    MPI_Type_create_f90_real(12, 100, &real);
    MPI_Type_create_f90_real(12, 100, &same);
    MPI_Type_size(real, &bytes);
    CHECK(bytes == sizeof(double) && real == same);
    MPI_Type_create_f90_complex(LDBL_DIG, 100, &real);
    MPI_Type_size(real, &bytes);
    CHECK(bytes == sizeof(long double complex));
    MPI_Type_create_f90_integer(9, &real);
    MPI_Type_get_envelope(real, &digits, &count, &bytes, &lengths[0]);
    CHECK(digits == 1 && count == 0 && bytes == 0 && lengths[0] == MPI_COMBINER_F90_INTEGER);
}

static void dimensions(void) {
    static const int no_grids[2][2] = {{-1, -1}, {65536, 65536}}, periods[2] = {0, 0};
    int many[40] = {0, 5}, at, place;
    MPI_Dims_create(5 << 20, 40, many);
    for (at = 0; at < 40; ++at)
        CHECK(many[at] == (at == 1 ? 5 : at < 21 ? 2 : 1));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (at = 0; at < 2; ++at)
        CHECK(class_of(MPI_Cart_map(MPI_COMM_WORLD, 2, no_grids[at], periods, &place)) ==
              MPI_ERR_DIMS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void others(void) {
    int sizes[2] = {0, 0}, periods[2] = {1, 0}, place = -1, out[4], in[4] = {-1, -1, -1, -1};
    int ones[2] = {1, 1};
    MPI_Aint places[2] = {0, sizeof(int)};
    MPI_Datatype types[2], of_ours[2];
    long double complex mine = rank + 2.0L * I, all = 0;
    MPI_Comm ring;
    MPI_Request request;
    MPI_Group world, none;
    MPI_Dims_create(72, 2, sizes);
    CHECK(sizes[0] == 9 && sizes[1] == 8);
    sizes[0] = size;
    MPI_Cart_map(MPI_COMM_WORLD, 1, sizes, periods, &place);
    CHECK(place == rank);
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
    out[0] = 10 * rank;
    out[1] = 10 * rank + 1;
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
    MPI_Comm_free(&ring);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in[0] == 10 * before + 1 && in[1] == 10 * next);
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
    MPI_Type_dup(MPI_INT, &types[0]);
    MPI_Type_dup(MPI_INT, &types[1]);
    MPI_Ineighbor_alltoallw(out, ones, places, types, in, ones, places, types, ring, &request);
    MPI_Comm_free(&ring);
    of_ours[0] = types[0];
    of_ours[1] = types[1];
    MPI_Type_free(&of_ours[0]);
    MPI_Type_free(&of_ours[1]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in[0] == 10 * before + 1 && in[1] == 10 * next);
    MPI_Allreduce(&mine, &all, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    CHECK(creall(all) == size * (size - 1) / 2 && cimagl(all) == 2 * size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_difference(world, world, &none);
    CHECK(none == MPI_GROUP_EMPTY);
    MPI_Group_free(&world);
}

/* Numbers at the end of what an int holds, and buffers that no message has. */
static void far_numbers(void) {
    const int round = 1;
    int count = 0, from = 0, to = 0, range[1][3] = {{size - 1, size - 1, INT_MAX}};
    MPI_Comm ring;
    MPI_Group all, last;
    MPI_Status status;
    MPI_Status_set_elements_x(&status, MPI_BYTE, (MPI_Count)1 << 33);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, range, &last);
    MPI_Group_size(last, &count);
    CHECK(count == 1);
    MPI_Group_free(&all);
    MPI_Group_free(&last);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &round, 0, &ring);
    MPI_Cart_shift(ring, 0, INT_MAX, &from, &to);
    CHECK(to == (int)(((long long)rank + INT_MAX) % size));
    CHECK(from == (int)(((long long)rank - INT_MAX) % size + size) % size);
    MPI_Comm_free(&ring);
    CHECK(MPI_Sendrecv_replace(NULL, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0,
                               MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    requests();
    attributes();
    bounds();
    whole_elements();
    others();
#ifndef MPICH_NAME /* which does otherwise here, or not at all */
    errors();
    errors_of_statuses();
    large_buffered_sends();
    freed_collective();
    refused_duplicate();
    elements();
    dimensions();
    far_numbers();
#endif
    return end();
}
