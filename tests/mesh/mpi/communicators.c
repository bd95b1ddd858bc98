/* Communicators of a part of the ranks, groups, grids; messages of one are never those of another. */
#include "check.h"

int main(int argc, char **argv) {
    MPI_Comm half, copy, turned, few, grid, line;
    MPI_Group world, odd, rest;
    int its_rank, its_size, value, sum = 0, at, result, dims[2] = {0, 0}, periods[2] = {1, 0};
    int point[2], from, to, all[64] = {0}, ranks[64], length;
    char name[MPI_MAX_OBJECT_NAME];
    begin(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half); /* backwards */
    MPI_Comm_rank(half, &its_rank);
    MPI_Comm_size(half, &its_size);
    CHECK(its_size == (size + 1 - rank % 2) / 2 && its_rank == its_size - 1 - rank / 2);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    CHECK(sum == its_size * (its_size - 1) + rank % 2 * its_size);
    value = rank;
    MPI_Bcast(&value, 1, MPI_INT, 0, half); /* its rank 0 is the last of the world */
    CHECK(value == (its_size - 1) * 2 + rank % 2);
    MPI_Barrier(half);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, half);
    for (at = 0; at < its_size; ++at)
        CHECK(all[at] == (its_size - 1 - at) * 2 + rank % 2);

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_compare(copy, MPI_COMM_WORLD, &result);
    CHECK(result == MPI_CONGRUENT);
    value = 1;
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
    value = 2;
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 3, copy);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
    CHECK(value == 2);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == 1);

    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 7, rank, &turned);
    CHECK((turned == MPI_COMM_NULL) == (rank == 0));
    if (rank != 0)
        MPI_Comm_free(&turned);

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (at = 0; 2 * at + 1 < size; ++at)
        ranks[at] = 2 * at + 1;
    MPI_Group_incl(world, at, ranks, &odd);
    MPI_Group_difference(world, odd, &rest);
    MPI_Group_size(rest, &value);
    CHECK(value == size - at);
    MPI_Group_rank(odd, &value);
    CHECK(value == (rank % 2 ? rank / 2 : MPI_UNDEFINED));
    MPI_Group_translate_ranks(odd, 1, &(int){1}, world, &value);
    CHECK(value == 3);
    MPI_Comm_create(MPI_COMM_WORLD, odd, &few);
    CHECK((few != MPI_COMM_NULL) == rank % 2);
    if (few != MPI_COMM_NULL) {
        MPI_Exscan(&rank, &sum, 1, MPI_INT, MPI_SUM, few);
        CHECK(rank == 1 || sum == (rank / 2) * (rank / 2));
        MPI_Comm_free(&few);
    }
    MPI_Group_free(&rest);
    MPI_Group_free(&odd);
    MPI_Group_free(&world);

    MPI_Dims_create(size, 2, dims);
    CHECK(dims[0] * dims[1] == size && dims[0] >= dims[1]);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, point);
    CHECK(point[0] == rank / dims[1] && point[1] == rank % dims[1]);
    MPI_Cart_rank(grid, point, &value);
    CHECK(value == rank);
    MPI_Cart_shift(grid, 0, 1, &from, &to);
    CHECK(to == (rank + dims[1]) % size && from == (rank + size - dims[1]) % size);
    MPI_Cart_shift(grid, 1, 1, &from, &to);
    CHECK(to == (point[1] == dims[1] - 1 ? MPI_PROC_NULL : rank + 1));
    CHECK(from == (point[1] == 0 ? MPI_PROC_NULL : rank - 1));
    MPI_Cart_sub(grid, (int[]){0, 1}, &line);
    MPI_Comm_size(line, &value);
    CHECK(value == dims[1]);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MIN, line);
    CHECK(sum == rank - point[1]);
    MPI_Topo_test(line, &value);
    CHECK(value == MPI_CART);
    MPI_Comm_set_name(line, "a line");
    MPI_Comm_get_name(line, name, &length);
    CHECK(strcmp(name, "a line") == 0 && length == 6);
    MPI_Comm_free(&line);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    CHECK(half == MPI_COMM_NULL);
    return end();
}
