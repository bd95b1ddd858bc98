/* Collectives among neighbours: in a grid with an axis of two places, or one, whose two neighbours
 * are one rank; in a graph that every rank knows; in one of which rank 0 alone knows all edges. */
#include "check.h"

static void in_grid(void) {
    int dims[2], periods[2] = {1, 1}, out[4], in[4], ranks[4], at, kind;
    MPI_Aint places[4];
    int ones[4] = {1, 1, 1, 1};
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Comm grid, open, copy;
    dims[1] = 2 - size % 2;
    dims[0] = size / dims[1];
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &ranks[0], &ranks[1]);
    MPI_Cart_shift(grid, 1, 1, &ranks[2], &ranks[3]);
    for (at = 0; at < 4; ++at) {
        out[at] = rank * 10 + at;
        places[at] = (MPI_Aint)sizeof(int) * (3 - at);
    }
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
    for (at = 0; at < 4; ++at)
        CHECK(in[at] == ranks[at] * 10 + (at ^ 1)); /* what goes up comes from below */
    MPI_Comm_dup(grid, &copy);
    MPI_Neighbor_alltoallw(out, ones, places, types, in, ones, places, types, copy);
    for (at = 0; at < 4; ++at)
        CHECK(in[3 - at] == ranks[at] * 10 + 3 - (at ^ 1));
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, grid);
    for (at = 0; at < 4; ++at)
        CHECK(in[at] == ranks[at]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){0}, 0, &open);
    in[0] = in[1] = -1;
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, open);
    CHECK(in[0] == rank - 1 && in[1] == (rank == size - 1 ? -1 : rank + 1));
    MPI_Topo_test(open, &kind);
    CHECK(kind == MPI_CART);
    MPI_Comm_free(&open);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&grid);
}

enum { AXES = 12 };

/* The rank one place on along an axis, by its coordinates. */
static int step(MPI_Comm grid, const int *sizes, const int *periods, int axis, int distance) {
    int point[AXES], to;
    MPI_Cart_coords(grid, rank, AXES, point);
    point[axis] += distance;
    if (!periods[axis] && (point[axis] < 0 || point[axis] >= sizes[axis]))
        return MPI_PROC_NULL;
    MPI_Cart_rank(grid, point, &to);
    return to;
}

static void in_grid_of_many_axes(int reorder) { /* those of more than one place come last */
    int dims[AXES] = {0}, sizes[AXES], periods[AXES], last[AXES], got[AXES], round[AXES];
    int point[AXES], in[2 * AXES], at, from, to, its;
    MPI_Comm grid, copy, line;
    MPI_Dims_create(size, AXES, dims);
    for (at = 0; at < AXES; ++at) {
        sizes[at] = dims[AXES - 1 - at];
        periods[at] = at % 2;
        last[at] = at == AXES - 1;
        in[2 * at] = in[2 * at + 1] = MPI_PROC_NULL;
    }
    MPI_Cart_create(MPI_COMM_WORLD, AXES, sizes, periods, reorder, &grid);
    MPI_Comm_dup(grid, &copy);
    MPI_Comm_free(&grid);
    MPI_Cartdim_get(copy, &at);
    MPI_Cart_get(copy, AXES, got, round, point);
    CHECK(at == AXES && memcmp(got, sizes, sizeof got) == 0);
    for (at = 0; at < AXES; ++at)
        CHECK(!round[at] == !periods[at]);
    for (at = 0; at < size; ++at) {
        MPI_Cart_coords(copy, at, AXES, got);
        MPI_Cart_rank(copy, got, &its);
        CHECK(its == at);
    }
    MPI_Comm_rank(copy, &its);
    CHECK(its == rank); /* so many axes are not reordered */
    MPI_Neighbor_allgather(&its, 1, MPI_INT, in, 1, MPI_INT, copy);
    for (at = 0; at < AXES; ++at) {
        MPI_Cart_shift(copy, at, 1, &from, &to);
        CHECK(from == step(copy, sizes, periods, at, -1) && in[2 * at] == from);
        CHECK(to == step(copy, sizes, periods, at, 1) && in[2 * at + 1] == to);
    }
    MPI_Cart_sub(copy, last, &line);
    MPI_Cart_get(line, AXES, got, round, in);
    MPI_Comm_rank(line, &its);
    CHECK(got[0] == sizes[AXES - 1] && in[0] == point[AXES - 1] && its == in[0]);
    MPI_Comm_free(&line);
    MPI_Comm_free(&copy);
}

static void in_graph(void) { /* a star: rank 0 beside all others */
    int ends[64], edges[128], at, kind, nodes, count, in[64], own[64];
    MPI_Comm graph, copy;
    for (at = 0; at < size; ++at) {
        ends[at] = size - 1 + at;
        edges[size - 1 + at - (at > 0)] = 0;
    }
    for (at = 1; at < size; ++at)
        edges[at - 1] = at;
    MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &graph);
    MPI_Comm_dup(graph, &copy);
    MPI_Comm_free(&graph);
    MPI_Topo_test(copy, &kind);
    MPI_Graphdims_get(copy, &nodes, &count);
    CHECK(kind == MPI_GRAPH && nodes == size && count == 2 * (size - 1));
    MPI_Graph_neighbors_count(copy, rank, &count);
    CHECK(count == (rank == 0 ? size - 1 : 1));
    MPI_Graph_neighbors(copy, 0, 64, own);
    CHECK(own[0] == 1 && own[size - 2] == size - 1);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, copy);
    for (at = 0; at < count; ++at)
        CHECK(in[at] == (rank == 0 ? at + 1 : 0));
    MPI_Comm_free(&copy);
}

static void in_distributed_graph(void) { /* each tells the next one and the one behind it */
    int sources[64], degrees[64], to[128], weights[128], at, in, out, weighs;
    int heard[2], heard_weights[2], told[2], told_weights[2], mine[2], theirs[2], turned;
    MPI_Comm graph, adjacent;
    for (at = 0; at < size; ++at) {
        sources[at] = at;
        degrees[at] = 2;
        to[2 * at] = (at + 1) % size;
        to[2 * at + 1] = (at + 2) % size;
        weights[2 * at] = at;
        weights[2 * at + 1] = -at;
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? size : 0, sources, degrees, to, weights,
                          MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighs);
    CHECK(in == 2 && out == 2 && weighs);
    MPI_Dist_graph_neighbors(graph, 2, heard, heard_weights, 2, told, told_weights);
    CHECK(told[0] == (rank + 1) % size && told[1] == (rank + 2) % size);
    CHECK(told_weights[0] == rank && told_weights[1] == -rank);
    turned = heard[0] == (rank + size - 2) % size; /* in the order of the edges of rank 0 */
    CHECK(heard[turned] == (rank + size - 1) % size && heard_weights[turned] == heard[turned]);
    CHECK(heard_weights[!turned] == -heard[!turned]);
    mine[0] = rank * 2;
    mine[1] = rank * 2 + 1;
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, graph);
    CHECK(theirs[turned] == heard[turned] * 2 && theirs[!turned] == heard[!turned] * 2 + 1);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &heard[turned], MPI_UNWEIGHTED, 1, told,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &adjacent);
    MPI_Dist_graph_neighbors_count(adjacent, &in, &out, &weighs);
    CHECK(in == 1 && out == 1 && !weighs);
    MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, theirs, (int[]){1}, (int[]){1}, MPI_INT, adjacent);
    CHECK(theirs[1] == (rank + size - 1) % size);
    MPI_Comm_free(&adjacent);
    MPI_Comm_free(&graph);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    in_grid();
    in_grid_of_many_axes(0);
    in_grid_of_many_axes(1);
    in_graph();
    in_distributed_graph();
    return end();
}
