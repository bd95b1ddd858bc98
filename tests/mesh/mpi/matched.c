/* Probes that take a message, types that are asked how they were made, parts of arrays. */
#include "check.h"

/* A message that is taken is no other receive's, even if it came first. */
static void probes(void) {
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    int value, flag = 0, count;
    int *large = malloc(5000 * sizeof(int)), *got = malloc(5000 * sizeof(int));
    MPI_Message first, second, none;
    MPI_Status status;
    MPI_Request request[2];
    for (value = 0; value < 5000; ++value)
        large[value] = rank * value;
    for (value = 10; value <= 12; ++value)
        MPI_Send(&value, 1, MPI_INT, to, 4, MPI_COMM_WORLD);
    MPI_Isend(large, 5000, MPI_INT, to, 5, MPI_COMM_WORLD, request);
    MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &first, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(status.MPI_SOURCE == from && count == 1);
    while (!flag)
        MPI_Improbe(from, 5, MPI_COMM_WORLD, &flag, &second, &status);
    MPI_Recv(&value, 1, MPI_INT, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == 11);
    MPI_Imrecv(got, 5000, MPI_INT, &second, request + 1);
    CHECK(second == MPI_MESSAGE_NULL);
    MPI_Mrecv(&value, 1, MPI_INT, &first, &status);
    CHECK(value == 10 && first == MPI_MESSAGE_NULL && status.MPI_TAG == 4);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (count = value = 0; value < 5000; ++value)
        count += got[value] != from * value;
    CHECK(count == 0);
    MPI_Recv(&value, 1, MPI_INT, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == 12);
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &none, &status);
    CHECK(!flag && none == MPI_MESSAGE_NULL);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none, &status);
    CHECK(none == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Mrecv(&value, 1, MPI_INT, &none, &status);
    CHECK(none == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Mrecv(&value, 1, MPI_INT, &none, &status)) == MPI_ERR_REQUEST);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    free(large);
    free(got);
}

static int ints[32], types_made, addresses_made;
static MPI_Aint addresses[8];
static MPI_Datatype types[8];

/* Numbers, addresses and types that the type was made of are as many. */
static int made_by(MPI_Datatype type, int numbers, int places, int parts) {
    int count, combiner;
    MPI_Type_get_envelope(type, &count, &addresses_made, &types_made, &combiner);
    CHECK(count == numbers && addresses_made == places && types_made == parts);
    MPI_Type_get_contents(type, 32, 8, 8, ints, addresses, types);
    return combiner;
}

static void contents(void) {
    MPI_Datatype one, two, three;
    int size_of, count, combiner;
    MPI_Aint lower, extent;
    MPI_Type_vector(3, 2, 5, MPI_INT, &one);
    CHECK(made_by(one, 3, 0, 1) == MPI_COMBINER_VECTOR);
    CHECK(ints[0] == 3 && ints[1] == 2 && ints[2] == 5 && types[0] == MPI_INT);
    MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 64}, (MPI_Datatype[]){one, MPI_DOUBLE},
                           &two);
    MPI_Type_free(&one); /* the other one still has it */
    CHECK(made_by(two, 3, 2, 2) == MPI_COMBINER_STRUCT);
    CHECK(ints[0] == 2 && ints[2] == 2 && addresses[1] == 64 && types[1] == MPI_DOUBLE);
    one = types[0];
    CHECK(made_by(one, 3, 0, 1) == MPI_COMBINER_VECTOR);
    MPI_Type_free(&one);
    MPI_Type_dup(two, &three);
    CHECK(made_by(three, 0, 0, 1) == MPI_COMBINER_DUP);
    MPI_Type_free(&types[0]);
    MPI_Type_free(&three);
    MPI_Type_free(&two);
    MPI_Type_create_hindexed_block(2, 3, (MPI_Aint[]){0, 40}, MPI_INT, &one);
    CHECK(made_by(one, 2, 2, 1) == MPI_COMBINER_HINDEXED_BLOCK && addresses[1] == 40);
    MPI_Type_size(one, &size_of);
    CHECK(size_of == 24);
    MPI_Type_get_extent(one, &lower, &extent);
    CHECK(lower == 0 && extent == 52);
    MPI_Type_free(&one);
    MPI_Type_create_resized(MPI_INT, -4, 16, &one);
    CHECK(made_by(one, 0, 2, 1) == MPI_COMBINER_RESIZED);
    CHECK(addresses[0] == -4 && addresses[1] == 16);
    MPI_Type_free(&one);
    MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 3}, (int[]){1, 2}, MPI_ORDER_C, MPI_INT,
                             &one);
    CHECK(made_by(one, 8, 0, 1) == MPI_COMBINER_SUBARRAY && ints[2] == 6 && ints[7] == MPI_ORDER_C);
    MPI_Type_free(&one);
    MPI_Type_get_envelope(MPI_DOUBLE, &count, &addresses_made, &types_made, &combiner);
    CHECK(combiner == MPI_COMBINER_NAMED && count == 0 && types_made == 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Type_get_contents(MPI_INT, 8, 8, 8, ints, addresses, types)) ==
          MPI_ERR_TYPE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, sizeof(double), &one);
    MPI_Type_size(one, &size_of);
    CHECK(size_of == sizeof(double));
}

static int drops;
static int drop(MPI_Datatype type, int key, void *value, void *extra) {
    (void)type, (void)key, (void)value, (void)extra;
    ++drops;
    return MPI_SUCCESS;
}

/* A type that MPI_Type_get_contents() gives is the program's own: it keeps its attributes. */
static void two_handles(void) {
    MPI_Datatype pair, row, got;
    int key, flag, numbers[3], *value;
    MPI_Aint none;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, drop, &key, NULL);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_set_attr(pair, key, &size);
    MPI_Type_vector(2, 1, 3, pair, &row);
    MPI_Type_get_contents(row, 3, 0, 1, numbers, &none, &got);
    MPI_Type_free(&got);
    CHECK(drops == 0);
    MPI_Type_get_attr(pair, key, &value, &flag);
    CHECK(flag && value == &size);
    MPI_Type_free(&pair);
    MPI_Type_free(&row);
    CHECK(drops == 1);
    MPI_Type_free_keyval(&key);
}

/* Every element of a 5 x 7 array is in the part of one of 2 x 3 ranks, where the rule puts it. */
static void dealt_out(int order, int first, int first_block, int second, int second_block) {
    int parts[64], all[35], seen[35] = {0}, who, at, count;
    for (at = 0; at < 35; ++at)
        all[at] = at;
    for (who = 0; who < 6; ++who) {
        MPI_Datatype part;
        const int row_block = first_block == MPI_DISTRIBUTE_DFLT_DARG
                                  ? (first == MPI_DISTRIBUTE_BLOCK ? 3 : 1)
                                  : first_block;
        const int column_block = second_block == MPI_DISTRIBUTE_DFLT_DARG
                                     ? (second == MPI_DISTRIBUTE_BLOCK ? 3 : 1)
                                     : second_block;
        int place = 0;
        MPI_Aint lower, extent;
        MPI_Type_create_darray(6, who, 2, (int[]){5, 7}, (int[]){first, second},
                               (int[]){first_block, second_block}, (int[]){2, 3}, order, MPI_INT,
                               &part);
        CHECK(made_by(part, 12, 0, 1) == MPI_COMBINER_DARRAY);
        CHECK(ints[1] == who && ints[11] == order);
        MPI_Type_commit(&part);
        MPI_Type_size(part, &count);
        MPI_Type_get_extent(part, &lower, &extent);
        CHECK(lower == 0 && extent == 35 * sizeof(int));
        MPI_Pack(all, 1, part, parts, sizeof parts, &place, MPI_COMM_WORLD);
        for (at = 0; at < count / (int)sizeof(int); ++at) {
            const int row = order == MPI_ORDER_C ? parts[at] / 7 : parts[at] % 5;
            const int column = order == MPI_ORDER_C ? parts[at] % 7 : parts[at] / 5;
            ++seen[parts[at]];
            CHECK(row / row_block % 2 == who / 3 && column / column_block % 3 == who % 3);
            CHECK(at == 0 || parts[at] > parts[at - 1]);
        }
        MPI_Type_free(&part);
    }
    for (at = 0; at < 35; ++at)
        CHECK(seen[at] == 1);
}

/* In external32 the highest byte comes first. */
static void external(void) {
    const double numbers[3] = {1.0, -2.5, 1e300};
    double got[3] = {0};
    const int value = 0x01020304;
    unsigned char bytes[32];
    MPI_Aint place = 0, room;
    MPI_Pack_external_size("external32", 3, MPI_DOUBLE, &room);
    CHECK(room == 24);
    MPI_Pack_external("external32", &value, 1, MPI_INT, bytes, 32, &place);
    MPI_Pack_external("external32", numbers, 3, MPI_DOUBLE, bytes, 32, &place);
    CHECK(place == 28 && bytes[0] == 1 && bytes[3] == 4 && bytes[4] == 0x3F && bytes[5] == 0xF0);
    place = 4;
    MPI_Unpack_external("external32", bytes, 32, &place, got, 3, MPI_DOUBLE);
    CHECK(place == 28 && memcmp(got, numbers, sizeof got) == 0);
}

/* Elements are counted, not one by one. */
static void many_elements(void) {
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 8};
    const MPI_Datatype members[2] = {MPI_CHAR, MPI_DOUBLE};
    MPI_Datatype both;
    MPI_Status status;
    MPI_Count count;
    const MPI_Count trillion = 1000000000000;
    MPI_Status_set_elements_x(&status, MPI_BYTE, 1000 * trillion);
    MPI_Get_elements_x(&status, MPI_BYTE, &count);
    CHECK(count == 1000 * trillion);
    MPI_Status_set_elements_x(&status, MPI_BYTE, 8000000 * trillion + 7);
    MPI_Get_elements_x(&status, MPI_BYTE, &count);
    CHECK(count == 8000000 * trillion + 7);
    MPI_Type_create_struct(2, lengths, places, members, &both);
    MPI_Type_commit(&both);
    MPI_Status_set_elements_x(&status, both, 2 * trillion + 1);
    MPI_Get_elements_x(&status, MPI_BYTE, &count);
    CHECK(count == 9 * trillion + 1);
    MPI_Get_elements_x(&status, both, &count);
    CHECK(count == 2 * trillion + 1);
    MPI_Status_set_elements_x(&status, MPI_BYTE, 9 * trillion + 5);
    MPI_Get_elements_x(&status, both, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Type_free(&both);
    /* A pair is two. */
    MPI_Status_set_elements_x(&status, MPI_BYTE, 8 * trillion + 4);
    MPI_Get_elements_x(&status, MPI_FLOAT_INT, &count);
    CHECK(count == 2 * trillion + 1);
    MPI_Status_set_elements_x(&status, MPI_BYTE, 8 * trillion + 6);
    MPI_Get_elements_x(&status, MPI_FLOAT_INT, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Get_elements_x(&status, MPI_C_FLOAT_COMPLEX, &count);
    CHECK(count == MPI_UNDEFINED);
}

int main(int argc, char **argv) {
    int claims = 0;
    MPI_Status status;
    MPI_Count wide;
    begin(&argc, &argv);
    if (size > 1) /* elsewhere a rank does not send to itself before it receives */
        probes();
    contents();
    two_handles();
    dealt_out(MPI_ORDER_C, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_CYCLIC,
              2);
    dealt_out(MPI_ORDER_FORTRAN, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG,
              MPI_DISTRIBUTE_BLOCK, 4);
    external();
    MPI_Status_set_elements(&status, MPI_INT, 7);
    MPI_Get_count(&status, MPI_INT, &claims);
    CHECK(claims == 7);
    MPI_Get_elements_x(&status, MPI_INT, &wide);
    CHECK(wide == 7);
    many_elements();
    MPI_Status_set_cancelled(&status, 1);
    MPI_Test_cancelled(&status, &claims);
    CHECK(claims);
    return end();
}
