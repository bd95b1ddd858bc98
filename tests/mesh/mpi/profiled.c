/* A profiler: calls that the program defines itself, and that do the work by their other name. It
 * sees what the program calls, and nothing of what calls of MPI call. */
#include "check.h"

static int sends, gathers, waits, large, frees;

int MPI_Type_free(MPI_Datatype *type) {
    ++frees;
    return PMPI_Type_free(type);
}

static int refuse(MPI_Datatype type, int key, void *extra, void *value, void *copied, int *flag) {
    return MPI_ERR_OTHER;
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    ++sends;
    return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Allgather(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
                  MPI_Datatype all_type, MPI_Comm comm) {
    ++gathers;
    return PMPI_Allgather(mine, count, type, all, all_count, all_type, comm);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    ++waits;
    return PMPI_Wait(request, status);
}

int MPI_Send_c(const void *data, MPI_Count count, MPI_Datatype type, int to, int tag,
               MPI_Comm comm) {
    ++large;
    return PMPI_Send_c(data, count, type, to, tag, comm);
}

int main(int argc, char **argv) {
    int value = 0, all[64], at, mine;
    MPI_Comm half;
    MPI_Datatype pair, copy;
    MPI_Request request;
    begin(&argc, &argv);
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (at = 0; at < 3; ++at) {
        MPI_Irecv(&value, 1, MPI_INT, from, at, MPI_COMM_WORLD, &request);
        mine = rank + at;
        if (at < 2)
            MPI_Send(&mine, 1, MPI_INT, to, at, MPI_COMM_WORLD);
        else
            MPI_Send_c(&mine, 1, MPI_INT, to, at, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(value == from + at);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, half, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(all[rank / 2] == rank);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[to] == to);
    MPI_Comm_free(&half);
    CHECK(sends == 2 && gathers == 1 && waits == 4 && large == 1);
    MPI_Type_create_keyval(refuse, MPI_TYPE_NULL_DELETE_FN, &mine, NULL);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_set_attr(pair, mine, all);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Type_dup(pair, &copy) != MPI_SUCCESS && frees == 0);
    MPI_Type_free(&pair);
    CHECK(frees == 1);
    return end();
}
