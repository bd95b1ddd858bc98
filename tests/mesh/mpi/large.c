/* Calls for large counts: the same as the others with numbers that fit, and an error at once with
 * numbers that do not. */
#include "check.h"

#define RANKS 16
static const MPI_Count kHuge = (MPI_Count)1 << 40;

static void messages(void) {
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    int out[4] = {rank, 1, 2, 3}, in[4] = {0};
    MPI_Count count = 0;
    MPI_Request request[2];
    MPI_Status status;
    MPI_Irecv_c(in, 4, MPI_INT, from, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Isend_c(out, 4, MPI_INT, to, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Wait(&request[0], &status);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Get_count_c(&status, MPI_INT, &count);
    CHECK(in[0] == from && count == 4);
    MPI_Get_elements_c(&status, MPI_INT, &count);
    CHECK(count == 4);
    CHECK(class_of(MPI_Send_c(out, kHuge, MPI_INT, to, 1, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Send_c(out, -1, MPI_INT, to, 1, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Irecv_c(in, kHuge, MPI_INT, from, 1, MPI_COMM_WORLD, request)) ==
          MPI_ERR_COUNT);
}

static void collectives(void) {
    int mine[2 * RANKS], all[2 * RANKS], sum = 0, at;
    MPI_Count counts[RANKS];
    MPI_Aint places[RANKS];
    MPI_Request request;
    for (at = 0; at < 2 * size; ++at)
        mine[at] = 100 * rank + at;
    for (at = 0; at < size; ++at) {
        counts[at] = 1 + (at & 1);
        places[at] = 2 * at;
    }
    MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Gatherv_c(mine, counts[rank], MPI_INT, all, rank == 0 ? counts : NULL,
                  rank == 0 ? places : NULL, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(rank != 0 || (all[2] == 100 && all[3] == 101));
    MPI_Iallgatherv_c(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD,
                      &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (at = 0; at < size; ++at)
        CHECK(all[2 * at] == 100 * at);
    counts[size - 1] = kHuge;
    CHECK(class_of(MPI_Allgatherv_c(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT,
                                    MPI_COMM_WORLD)) == MPI_ERR_COUNT);
}

static void types(void) {
    const MPI_Count lengths[2] = {1, 2}, displacements[2] = {0, 3};
    int from[6] = {0, 1, 2, 3, 4, 5};
    char packed[100];
    MPI_Datatype vector, indexed;
    MPI_Count bytes = 0, lower = 1, extent = 0, place = 0;
    MPI_Type_vector_c(2, 1, 3, MPI_INT, &vector);
    MPI_Type_size_c(vector, &bytes);
    MPI_Type_get_extent_c(vector, &lower, &extent);
    CHECK(bytes == 8 && lower == 0 && extent == 16);
    MPI_Type_indexed_c(2, lengths, displacements, MPI_INT, &indexed);
    MPI_Type_commit(&indexed);
    MPI_Pack_c(from, 1, indexed, packed, sizeof packed, &place, MPI_COMM_WORLD);
    CHECK(place == 12);
    MPI_Pack_size_c(2, indexed, MPI_COMM_WORLD, &bytes);
    CHECK(bytes == 24);
    CHECK(class_of(MPI_Type_contiguous_c(kHuge, MPI_INT, &vector)) == MPI_ERR_COUNT);
    MPI_Type_free(&vector);
    MPI_Type_free(&indexed);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    messages();
    collectives();
    types();
    return end();
}
