/* Types of a program's own, packing, and operations. */
#include "check.h"
#include <stddef.h>

typedef struct {
    char kind;
    double value;
    int index[2];
} Record;

static void types(int right, int left) {
    Record out = {'r', rank + 0.5, {rank, 2 * rank}}, in = {0};
    int lengths[3] = {1, 1, 2}, sizes[2] = {6, 8}, parts[2] = {3, 4}, starts[2] = {2, 3};
    MPI_Aint places[3] = {offsetof(Record, kind), offsetof(Record, value), offsetof(Record, index)};
    MPI_Datatype members[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, record, column, block, some;
    MPI_Aint lower, extent;
    MPI_Status status;
    int bytes, count, at, row, table[6][8], other[6][8] = {{0}}, line[6];
    MPI_Type_create_struct(3, lengths, places, members, &record);
    MPI_Type_commit(&record);
    MPI_Type_get_extent(record, &lower, &extent);
    MPI_Type_size(record, &bytes);
    CHECK(lower == 0 && extent == sizeof(Record) && bytes == 1 + 8 + 2 * (int)sizeof(int));
    MPI_Sendrecv(&out, 1, record, right, 0, &in, 1, record, left, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, record, &count);
    CHECK(count == 1 && in.kind == 'r' && in.value == left + 0.5 && in.index[1] == 2 * left);
    Record many[400], more[400]; /* a large message with holes */
    for (at = 0; at < 400; ++at)
        many[at] = (Record){'m', at, {rank, at}};
    MPI_Sendrecv(many, 400, record, right, 1, more, 400, record, left, 1, MPI_COMM_WORLD, &status);
    for (at = 0; at < 400; ++at)
        CHECK(more[at].kind == 'm' && more[at].value == at && more[at].index[0] == left);

    for (row = 0; row < 6; ++row)
        for (at = 0; at < 8; ++at)
            table[row][at] = 10 * row + at;
    MPI_Type_vector(6, 1, 8, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Sendrecv(&table[0][2], 1, column, right, 2, line, 6, MPI_INT, left, 2, MPI_COMM_WORLD,
                 &status);
    for (row = 0; row < 6; ++row)
        CHECK(line[row] == 10 * row + 2);
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &block);
    MPI_Type_commit(&block);
    MPI_Sendrecv(table, 1, block, right, 3, other, 1, block, left, 3, MPI_COMM_WORLD, &status);
    for (row = 0; row < 6; ++row)
        for (at = 0; at < 8; ++at)
            CHECK(other[row][at] ==
                  (row >= 2 && row < 5 && at >= 3 && at < 7 ? 10 * row + at : 0));
    MPI_Type_indexed(2, (int[]){2, 1}, (int[]){5, 1}, MPI_INT, &some);
    MPI_Type_commit(&some);
    MPI_Sendrecv(table, 1, some, right, 4, line, 3, MPI_INT, left, 4, MPI_COMM_WORLD, &status);
    CHECK(line[0] == 5 && line[1] == 6 && line[2] == 1);
    MPI_Type_get_extent(some, &lower, &extent);
    CHECK(lower == sizeof(int) && extent == 6 * sizeof(int));
    memset(other, 0, sizeof other);
    MPI_Gather(table[rank % 6], 8, MPI_INT, other, 8, MPI_INT, 0, MPI_COMM_SELF);
    CHECK(other[0][7] == 10 * (rank % 6) + 7);
    MPI_Bcast(rank == 1 ? (void *)&table[0][4] : (void *)line, rank == 1 ? 1 : 6,
              rank == 1 ? column : MPI_INT, 1, MPI_COMM_WORLD);
    CHECK(rank == 1 || line[5] == 54);
    MPI_Type_free(&record);
    MPI_Type_free(&column);
    MPI_Type_free(&block);
    MPI_Type_free(&some);
    CHECK(some == MPI_DATATYPE_NULL);

    char room[64];
    int place = 0, number = 0;
    double value = 0;
    MPI_Pack(&rank, 1, MPI_INT, room, sizeof room, &place, MPI_COMM_WORLD);
    MPI_Pack(&out.value, 1, MPI_DOUBLE, room, sizeof room, &place, MPI_COMM_WORLD);
    CHECK(place == 12);
    MPI_Sendrecv_replace(room, place, MPI_PACKED, right, 5, left, 5, MPI_COMM_WORLD, &status);
    place = 0;
    MPI_Unpack(room, sizeof room, &place, &number, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(room, sizeof room, &place, &value, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(number == left && value == left + 0.5);
}

/* Products of two by two matrices: the order matters. */
static void product(void *in, void *inout, int *count, MPI_Datatype *type) {
    const int *left = in;
    int *right = inout, at;
    (void)type;
    for (at = 0; at < *count; ++at, left += 4, right += 4) {
        const int both[4] = {left[0] * right[0] + left[1] * right[2],
                             left[0] * right[1] + left[1] * right[3],
                             left[2] * right[0] + left[3] * right[2],
                             left[2] * right[1] + left[3] * right[3]};
        memcpy(right, both, sizeof both);
    }
}

static void operations(void) {
    struct {
        double value;
        int place;
    } mine = {(rank * 5) % size, rank}, best;
    MPI_Datatype matrix;
    MPI_Op op;
    int factor[4] = {1, rank + 1, 0, 1}, result[4], at, commutes = 1, sum = 0;
    const int kinds = size < 8 ? size : 8;
    long long wide = 1LL << (rank % 8 + 30), all = 0;
    unsigned char bits = (unsigned char)(1 << rank % 8), both = 0;
    MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK((best.place * 5) % size == best.value);
    MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    CHECK(best.place == 0 && best.value == 0);
    MPI_Allreduce(&wide, &all, 1, MPI_LONG_LONG, MPI_BOR, MPI_COMM_WORLD);
    CHECK(all == ((1LL << kinds) - 1) << 30);
    MPI_Allreduce(&bits, &both, 1, MPI_UNSIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
    CHECK(both == 1 << (kinds - 1));
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(product, 0, &op);
    MPI_Op_commutative(op, &commutes);
    CHECK(!commutes);
    memset(result, 0, sizeof result);
    factor[2] = rank == 1; /* so that they do not commute */
    MPI_Scan(factor, result, 1, matrix, op, MPI_COMM_WORLD);
    int expected[4] = {1, 0, 0, 1};
    for (at = rank; at >= 0; --at) {
        int next[4] = {1, at + 1, at == 1, 1};
        int one = 1;
        product(next, expected, &one, NULL);
    }
    CHECK(memcmp(result, expected, sizeof expected) == 0);
    int total[4], root = size - 1;
    MPI_Reduce(factor, total, 1, matrix, op, root, MPI_COMM_WORLD);
    if (rank == root)
        CHECK(memcmp(total, result, sizeof total) == 0);
    MPI_Op_free(&op);
    MPI_Type_free(&matrix);
    int *row = calloc((size_t)size, sizeof *row), part = 0;
    for (at = 0; at < size; ++at)
        row[at] = rank * at;
    MPI_Reduce_scatter_block(row, &part, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(part == rank * size * (size - 1) / 2);
    sum = rank;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
    row[rank] = rank + 100;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, row, 1, MPI_INT, MPI_COMM_WORLD);
    for (at = 0; at < size; ++at)
        CHECK(row[at] == at + 100);
    free(row);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    types((rank + 1) % size, (rank + size - 1) % size);
    operations();
    return end();
}
