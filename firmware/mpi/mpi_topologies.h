/* Graphs as topologies, and collectives among neighbours in a grid or a graph. A part of mpi.h,
 * which includes it. */
#ifndef MPI_TOPOLOGIES_H
#define MPI_TOPOLOGIES_H

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Graph_create(MPI_Comm comm, int nodes, const int ends[], const int edges[], int reorder,
                     MPI_Comm *graph);
int MPI_Graph_map(MPI_Comm comm, int nodes, const int ends[], const int edges[], int *rank);
int MPI_Graphdims_get(MPI_Comm comm, int *nodes, int *edges);
int MPI_Graph_get(MPI_Comm comm, int most_ends, int most_edges, int ends[], int edges[]);
int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *count);
int MPI_Graph_neighbors(MPI_Comm comm, int rank, int most, int ranks[]);
int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int sources[],
                                   const int *in_weights, int out, const int destinations[],
                                   const int *out_weights, MPI_Info info, int reorder,
                                   MPI_Comm *graph);
int MPI_Dist_graph_create(MPI_Comm comm, int count, const int sources[], const int degrees[],
                          const int destinations[], const int *weights, MPI_Info info, int reorder,
                          MPI_Comm *graph);
int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *in, int *out, int *weighs);
int MPI_Dist_graph_neighbors(MPI_Comm comm, int most_in, int sources[], int *in_weights,
                             int most_out, int destinations[], int *out_weights);
int MPI_Neighbor_allgather(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
                           MPI_Datatype all_type, MPI_Comm comm);
int MPI_Neighbor_allgatherv(const void *mine, int count, MPI_Datatype type, void *all,
                            const int counts[], const int places[], MPI_Datatype all_type,
                            MPI_Comm comm);
int MPI_Neighbor_alltoall(const void *out, int out_count, MPI_Datatype out_type, void *in,
                          int in_count, MPI_Datatype in_type, MPI_Comm comm);
int MPI_Neighbor_alltoallv(const void *out, const int out_counts[], const int out_places[],
                           MPI_Datatype out_type, void *in, const int in_counts[],
                           const int in_places[], MPI_Datatype in_type, MPI_Comm comm);
int MPI_Neighbor_alltoallw(const void *out, const int out_counts[], const MPI_Aint out_places[],
                           const MPI_Datatype out_types[], void *in, const int in_counts[],
                           const MPI_Aint in_places[], const MPI_Datatype in_types[],
                           MPI_Comm comm);
int MPI_Ineighbor_allgather(const void *mine, int count, MPI_Datatype type, void *all,
                            int all_count, MPI_Datatype all_type, MPI_Comm comm,
                            MPI_Request *request);
int MPI_Ineighbor_allgatherv(const void *mine, int count, MPI_Datatype type, void *all,
                             const int counts[], const int places[], MPI_Datatype all_type,
                             MPI_Comm comm, MPI_Request *request);
int MPI_Ineighbor_alltoall(const void *out, int out_count, MPI_Datatype out_type, void *in,
                           int in_count, MPI_Datatype in_type, MPI_Comm comm,
                           MPI_Request *request);
int MPI_Ineighbor_alltoallv(const void *out, const int out_counts[], const int out_places[],
                            MPI_Datatype out_type, void *in, const int in_counts[],
                            const int in_places[], MPI_Datatype in_type, MPI_Comm comm,
                            MPI_Request *request);
int MPI_Ineighbor_alltoallw(const void *out, const int out_counts[], const MPI_Aint out_places[],
                            const MPI_Datatype out_types[], void *in, const int in_counts[],
                            const MPI_Aint in_places[], const MPI_Datatype in_types[],
                            MPI_Comm comm, MPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif
