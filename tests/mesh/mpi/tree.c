/* The most milliseconds that a message takes along an edge of a full binary tree of three levels:
 * with ranks in the order of the nodes, and with ranks that MPI_Graph_create may reorder. */
#include "check.h"

#include <unistd.h>

enum { VERTICES = 7 };

static int links(int reorder) {
    int ends[VERTICES], edges[2 * VERTICES], count = 0, vertex, its, at, most = 0, ms, there[3];
    double begun, came;
    MPI_Comm tree;
    for (vertex = 0; vertex < VERTICES; ++vertex) {
        if (2 * vertex + 2 < VERTICES) { /* the right one first: their order means nothing */
            edges[count++] = 2 * vertex + 2;
            edges[count++] = 2 * vertex + 1;
        }
        if (vertex > 0)
            edges[count++] = (vertex - 1) / 2;
        ends[vertex] = count;
    }
    MPI_Graph_create(MPI_COMM_WORLD, VERTICES, ends, edges, reorder, &tree);
    if (tree != MPI_COMM_NULL) {
        MPI_Comm_rank(tree, &its);
        MPI_Graph_neighbors_count(tree, its, &count);
        MPI_Graph_neighbors(tree, its, 3, there);
        for (vertex = 0; vertex < VERTICES; ++vertex) { /* each tells its neighbours in turn */
            MPI_Barrier(tree);
            usleep(50000);
            begun = MPI_Wtime();
            for (at = 0; at < count; ++at)
                if (its == vertex) {
                    MPI_Send(&begun, 1, MPI_DOUBLE, there[at], 0, tree);
                } else if (there[at] == vertex) {
                    MPI_Recv(&came, 1, MPI_DOUBLE, vertex, 0, tree, MPI_STATUS_IGNORE);
                    came = MPI_Wtime() - (came > begun ? came : begun);
                    ms = (int)(came * 1000 + 0.5);
                    most = ms > most ? ms : most;
                }
        }
        MPI_Comm_free(&tree);
    }
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

int main(int argc, char **argv) {
    int one, other;
    begin(&argc, &argv);
    one = links(1);
    other = links(0);
    if (rank == 0)
        printf("%d and %d\n", one, other);
    return end();
}
