/* The most milliseconds that a broadcast, a reduction and a barrier take over the rows and columns
 * of a grid, from any root, with ranks in the order of the nodes and reordered; and whether values
 * are combined in the order of the ranks. */
#include "check.h"

#include <unistd.h>

/* Digits, written one behind the other: which value is the first one matters. */
typedef struct {
    int digits, scale;
} Digits;

static void write_behind(void *first, void *second, int *count, MPI_Datatype *type) {
    const Digits *in = first;
    Digits *out = second;
    int at;
    (void)type;
    for (at = 0; at < *count; ++at) {
        out[at].digits += in[at].digits * out[at].scale;
        out[at].scale *= in[at].scale;
    }
}

static void check_order(MPI_Comm comm, int root) {
    MPI_Datatype type;
    MPI_Op op;
    Digits mine = {0, 10}, all = {0, 0};
    int its, count, at, wanted = 0;
    MPI_Comm_rank(comm, &its);
    MPI_Comm_size(comm, &count);
    mine.digits = its;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(write_behind, 0, &op);
    MPI_Reduce(&mine, &all, 1, type, op, root, comm);
    for (at = 0; at < count; ++at)
        wanted = 10 * wanted + at;
    CHECK(its != root || all.digits == wanted);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

enum { BCAST, REDUCE, BARRIER, CALLS };

/* All ranks begin at the same moment. */
static double took(int call, MPI_Comm comm, int root) {
    double mine = 1, all, begin = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    begin += 0.05;
    usleep((unsigned)((begin - MPI_Wtime()) * 1e6));
    if (call == BCAST)
        MPI_Bcast(&mine, 1, MPI_DOUBLE, root, comm);
    else if (call == REDUCE)
        MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, root, comm);
    else
        MPI_Barrier(comm);
    return MPI_Wtime() - begin;
}

static void measure(const char *what, MPI_Comm comm) {
    double most[CALLS] = {0}, one;
    int call, root, count;
    MPI_Comm_size(comm, &count);
    for (root = 0; root < count; ++root) {
        for (call = 0; call < CALLS; ++call) {
            one = took(call, comm, root);
            most[call] = one > most[call] ? one : most[call];
        }
        check_order(comm, root);
    }
    MPI_Allreduce(MPI_IN_PLACE, most, CALLS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %.0f %.0f %.0f\n", what, most[BCAST] * 1e3, most[REDUCE] * 1e3,
               most[BARRIER] * 1e3);
}

int main(int argc, char **argv) {
    int dims[2] = {0, 0}, periods[2] = {0, 0}, row[2] = {0, 1}, column[2] = {1, 0}, reorder;
    MPI_Comm grid, part;
    begin(&argc, &argv);
    MPI_Dims_create(size, 2, dims);
    for (reorder = 0; reorder < 2; ++reorder) {
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder, &grid);
        MPI_Cart_sub(grid, row, &part);
        measure("rows", part);
        MPI_Comm_free(&part);
        MPI_Cart_sub(grid, column, &part);
        measure("columns", part);
        MPI_Comm_free(&part);
        measure("grid", grid);
        MPI_Comm_free(&grid);
    }
    return end();
}
