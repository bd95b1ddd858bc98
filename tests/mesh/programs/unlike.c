/* build: --engine sim */
/* Collectives that two ranks call in two ways, and what ranks leave behind: the word of the program
 * says which case. The lines that must be told end in the mark of a rank. The cases of `right` are
 * their twins, and are all made by that word. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD

static int rank, in[8], out[8];
static MPI_Comm row;
static MPI_Request request;

static void end(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }
static void own(void *a, void *b, int *count, MPI_Datatype *type) {
    (void)a, (void)b, (void)count, (void)type;
}

static void order(void) {
    if (rank == 0)
        MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, WORLD); /* 0 */
    MPI_Bcast(in, 1, MPI_INT, 0, WORLD);               /* 1 */
    if (rank == 1)
        MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, WORLD);
}
static void order_in_row(void) {
    MPI_Barrier(row);
    if (rank == 0) {
        MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 1, row); /* 0 */
        MPI_Bcast(in, 1, MPI_INT, 0, row);
    } else {
        MPI_Bcast(in, 1, MPI_INT, 0, row); /* 1 */
        MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 1, row);
    }
}
static void wait_or_not(void) {
    if (rank == 0) {
        MPI_Ibarrier(WORLD, &request); /* 0 */
        end();
    } else {
        MPI_Barrier(WORLD); /* 1 */
    }
}
static void left_out(void) {
    if (rank == 0)
        MPI_Bcast(in, 1, MPI_INT, 0, row); /* 0 */
}
static void left_out_of_world(void) {
    if (rank == 0)
        MPI_Bcast(in, 1, MPI_INT, 0, WORLD); /* 0 */
}
static void roots(void) {
    if (rank == 0)
        MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, WORLD); /* 0 */
    else
        MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 1, WORLD); /* 1 */
}
static void roots_in_row(void) {
    MPI_Ibcast(in, 1, MPI_INT, rank, row, &request); /* 0 1 */
    end();
}
static void operations(void) {
    MPI_Reduce(in, out, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, 0, WORLD); /* 0 1 */
}
static void operations_later(void) {
    MPI_Iscan(in, out, 1, MPI_INT, rank == 0 ? MPI_MIN : MPI_BAND, row, &request); /* 0 1 */
    end();
}
static void types(void) {
    if (rank == 0)
        MPI_Bcast(in, 1, MPI_INT, 0, WORLD); /* 0 */
    else
        MPI_Bcast(in, 1, MPI_FLOAT, 0, WORLD); /* 1 */
}
static void types_of_all(void) {
    MPI_Allgather(in, 1, MPI_INT, out, 1, rank == 0 ? MPI_INT : MPI_FLOAT, row); /* 0 1 */
}
static void sizes(void) {
    MPI_Scatter(in, 2, MPI_INT, out, rank == 0 ? 2 : 1, MPI_INT, 0, WORLD); /* 0 1 */
}
static void sizes_of_all(void) {
    MPI_Alltoall(in, 1 + rank, MPI_INT, out, 1 + rank, MPI_INT, row); /* 0 1 */
}

static void group_left(void) {
    MPI_Group group;
    MPI_Comm_group(row, &group); /* 0 1 */
}
static void operation_left(void) {
    MPI_Op op;
    MPI_Op_create(own, 1, &op); /* 0 1 */
}
static void window_left(void) {
    MPI_Win win;
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, WORLD, &win); /* 0 1 */
}
static void type_left(void) {
    MPI_Datatype two;
    MPI_Type_contiguous(2, MPI_INT, &two); /* 0 1 */
}
static void communicator_left(void) {
    MPI_Comm copy;
    MPI_Comm_dup(row, &copy); /* 0 1 */
}

/* Right: the arguments that need not be alike are not. */
static void right(void) {
    MPI_Datatype two;
    MPI_Group group;
    MPI_Comm copy, part;
    MPI_Op op;
    int counts[2] = {1, 2}, places[2] = {0, 1};
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    MPI_Comm_group(row, &group);
    MPI_Op_create(own, 1, &op);
    for (int at = 0; at < 2; ++at)
        MPI_Comm_dup(row, &copy), MPI_Comm_free(&copy);
    MPI_Comm_split(WORLD, rank == 0 ? 0 : MPI_UNDEFINED, 0, &part);
    if (rank == 0)
        MPI_Bcast(in, 1, MPI_INT, 0, part), MPI_Comm_free(&part);
    MPI_Bcast(in, rank == 0 ? 2 : 1, rank == 0 ? MPI_INT : two, 0, WORLD);
    MPI_Bcast(in, 4, rank == 0 ? MPI_BYTE : MPI_CHAR, 1, row);
    MPI_Gatherv(in, 1 + rank, MPI_INT, out, counts, places, MPI_INT, 0, WORLD);
    MPI_Gather(in, 2, MPI_INT, out, 1, two, 1, row);
    MPI_Scatter(in, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : out, 1, two, 0, row);
    MPI_Allgather(rank == 0 ? (void *)in : MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, WORLD);
    MPI_Reduce(in, out, 0, rank == 0 ? MPI_INT : MPI_FLOAT, MPI_SUM, 0, WORLD);
    MPI_Allreduce(in, out, 1, MPI_INT, op, WORLD);
    MPI_Ibarrier(WORLD, &request);
    MPI_Barrier(row);
    end();
    if (rank == 0)
        MPI_Barrier(MPI_COMM_SELF);
    MPI_Op_free(&op);
    MPI_Group_free(&group);
    MPI_Type_free(&two);
}

/* Makes the case if the word of the program is its name. */
#define CALL(name) (strcmp(word, #name) == 0 ? name() : (void)0)

static void make(const char *word) {
    CALL(order);
    CALL(order_in_row);
    CALL(wait_or_not);
    CALL(left_out);
    CALL(left_out_of_world);
    CALL(roots);
    CALL(roots_in_row);
    CALL(operations);
    CALL(operations_later);
    CALL(types);
    CALL(types_of_all);
    CALL(sizes);
    CALL(sizes_of_all);
    CALL(group_left);
    CALL(operation_left);
    CALL(window_left);
    CALL(type_left);
    CALL(communicator_left);
    CALL(right);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_dup(WORLD, &row);
    make(argc > 1 ? argv[1] : "");
    MPI_Comm_free(&row);
    MPI_Finalize(); /* end */
    return 0;
}
