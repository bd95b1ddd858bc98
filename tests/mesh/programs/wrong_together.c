/* Calls of MPI that are right at each rank alone, and wrong together: the word of the program says
 * which. On four ranks, in rows of two. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD

static int rank, column, in[8], out[8];
static MPI_Comm row;
static MPI_Request request;

static void wait(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

static void bcast_size(void) { MPI_Bcast(in, rank == 0 ? 2 : 1, MPI_INT, 0, WORLD); }
static void ibcast_size(void) {
    MPI_Ibcast(in, rank == 0 ? 2 : 1, MPI_INT, 0, WORLD, &request);
    wait();
}
static void row_bcast_size(void) { MPI_Bcast(in, column == 0 ? 2 : 1, MPI_INT, 0, row); }
static void row_bcast_less(void) { MPI_Bcast(in, column == 0 ? 1 : 2, MPI_INT, 0, row); }
static void row_bcast_root(void) {
    MPI_Bcast(in, 1, MPI_INT, column, row);
    MPI_Bcast(in, 1, MPI_INT, 0, row);
}
static void allreduce_op(void) {
    MPI_Allreduce(in, out, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, WORLD);
}
static void allreduce_type(void) {
    MPI_Allreduce(in, out, 1, rank == 1 ? MPI_FLOAT : MPI_INT, MPI_SUM, WORLD);
}
static void iallreduce_op(void) {
    MPI_Iallreduce(in, out, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, WORLD, &request);
    wait();
}
static void row_reduce_op(void) {
    MPI_Reduce(in, out, 1, MPI_INT, column == 1 ? MPI_PROD : MPI_SUM, 0, row);
}
static void row_reduce_type(void) {
    MPI_Reduce(in, out, 1, column == 1 ? MPI_FLOAT : MPI_INT, MPI_SUM, 0, row);
}
static void row_reduce_size(void) { MPI_Reduce(in, out, 1 + column, MPI_INT, MPI_SUM, 0, row); }
static void scan_op(void) { MPI_Scan(in, out, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, WORLD); }
static void gather_more(void) {
    MPI_Gather(in, rank == 0 ? 1 : 2, MPI_INT, out, 1, MPI_INT, 0, WORLD);
}
static void gather_less(void) {
    MPI_Gather(in, rank == 0 ? 2 : 1, MPI_INT, out, 2, MPI_INT, 0, WORLD);
}
static void scatter_less(void) {
    MPI_Scatter(in, 2, MPI_INT, out, rank == 0 ? 2 : 1, MPI_INT, 0, WORLD);
}
static void allgather_more(void) {
    MPI_Allgather(in, 1 + rank, MPI_INT, out, 1 + rank, MPI_INT, row);
}
static void two_comms(void) {
    MPI_Comm one[2];
    MPI_Comm_dup(WORLD, &one[0]);
    MPI_Comm_dup(WORLD, &one[1]);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, one[rank & 1]);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, one[~rank & 1]);
}
static void other_call(void) {
    if (rank == 0)
        MPI_Bcast(in, 1, MPI_INT, 0, WORLD);
    else
        MPI_Barrier(WORLD);
    MPI_Barrier(WORLD);
}
static void other_order(void) {
    if (rank % 2 != 0)
        MPI_Barrier(WORLD);
    MPI_Bcast(in, 1, MPI_INT, 0, WORLD);
    if (rank % 2 == 0)
        MPI_Barrier(WORLD);
}
static void stops(void) {
    volatile int *nowhere = NULL;
    if (rank == 1)
        *nowhere = 1;
    MPI_Barrier(WORLD);
}
/* From here on nothing is an error. */
static void types(void) {
    double two[2];
    if (rank == 0)
        MPI_Send(in, 4, MPI_INT, 1, 7, WORLD);
    if (rank == 1)
        MPI_Recv(two, 2, MPI_DOUBLE, 0, 7, WORLD, MPI_STATUS_IGNORE);
}
static void types_alike(void) {
    if (rank == 0) {
        MPI_Send(in, 4, MPI_INT, 1, 7, WORLD);
        MPI_Send(in, 4, MPI_INT, 1, 7, WORLD);
        MPI_Send(in, 8, MPI_FLOAT_INT, 1, 7, WORLD);
    }
    if (rank == 1) {
        MPI_Recv(in, 4, MPI_UINT32_T, 0, 7, WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, 16, MPI_CHAR, 0, 7, WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, 0, MPI_DOUBLE, MPI_PROC_NULL, 7, WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(out, 64, MPI_BYTE, 0, 7, WORLD, MPI_STATUS_IGNORE);
    }
}
static void one_buffer(void) {
    MPI_Request both[2];
    MPI_Irecv(in, 2, MPI_INT, rank, 1, WORLD, &both[0]);
    MPI_Irecv(in + 1, 2, MPI_INT, rank, 2, WORLD, &both[1]);
    for (int tag = 1; tag <= 2; ++tag)
        MPI_Send(out, 2, MPI_INT, rank, tag, WORLD);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
static void two_buffers(void) {
    MPI_Request both[2];
    MPI_Irecv(in, 2, MPI_INT, rank, 1, WORLD, &both[0]);
    MPI_Irecv(in + 2, 2, MPI_INT, rank, 2, WORLD, &both[1]);
    for (int tag = 1; tag <= 2; ++tag)
        MPI_Send(out, 2, MPI_INT, rank, tag, WORLD);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
static void changed_sent(void) {
    MPI_Isend(out, 2, MPI_INT, rank, 1, WORLD, &request);
    out[1] = 9;
    MPI_Recv(in, 2, MPI_INT, rank, 1, WORLD, MPI_STATUS_IGNORE);
    wait();
}
static void changed_received(void) {
    MPI_Irecv(in, 2, MPI_INT, rank, 1, WORLD, &request);
    in[1] = 9;
    MPI_Send(out, 2, MPI_INT, rank, 1, WORLD);
    wait();
}
/* The program may change the holes, and a buffer before its request begins again; a message that was
 * there before its receive changes the buffer, too. */
static void holes_changed(void) {
    MPI_Datatype odd;
    MPI_Request both[2];
    MPI_Type_vector(2, 1, 2, MPI_INT, &odd);
    MPI_Type_commit(&odd);
    MPI_Recv_init(in, 1, odd, rank, 1, WORLD, &both[0]);
    MPI_Send_init(out, 1, odd, rank, 1, WORLD, &both[1]);
    for (int round = 0; round < 2; ++round) {
        out[0] = in[0] = round;
        MPI_Startall(2, both);
        out[1] = in[1] = 9;
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    MPI_Type_free(&odd);
    out[0] = 7;
    MPI_Issend(out, 2, MPI_INT, rank, 2, WORLD, &both[0]);
    MPI_Probe(rank, 2, WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 2, MPI_INT, rank, 2, WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
static void left(void) {
    if (rank == 0)
        MPI_Send(in, 3, MPI_INT, 1, 8, WORLD);
}
static void left_in_row(void) { MPI_Bcast(in, 1, MPI_INT, column, row); }
static void looks(void) {
    int found = 0;
    for (int at = 0; rank == 0 && at < 1000001 && !found; ++at)
        MPI_Iprobe(MPI_ANY_SOURCE, 9, WORLD, &found, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*make)(void);
} calls[] = {
#define CALL(name)                                                                                 \
    { #name, name }
    CALL(bcast_size),
    CALL(ibcast_size),
    CALL(row_bcast_size),
    CALL(row_bcast_less),
    CALL(row_bcast_root),
    CALL(allreduce_op),
    CALL(allreduce_type),
    CALL(iallreduce_op),
    CALL(row_reduce_op),
    CALL(row_reduce_type),
    CALL(row_reduce_size),
    CALL(scan_op),
    CALL(gather_more),
    CALL(gather_less),
    CALL(scatter_less),
    CALL(allgather_more),
    CALL(two_comms),
    CALL(other_call),
    CALL(other_order),
    CALL(stops),
    CALL(types),
    CALL(types_alike),
    CALL(one_buffer),
    CALL(two_buffers),
    CALL(changed_sent),
    CALL(changed_received),
    CALL(holes_changed),
    CALL(left),
    CALL(left_in_row),
    CALL(looks),
};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_split(WORLD, rank / 2, rank, &row);
    MPI_Comm_rank(row, &column);
    for (unsigned at = 0; at < sizeof calls / sizeof *calls; ++at)
        if (argc > 1 && strcmp(argv[1], calls[at].name) == 0)
            calls[at].make();
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
