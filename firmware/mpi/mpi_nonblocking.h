/* Collectives that a program does not wait for, and those that it begins again and again with
 * MPI_Start(). A part of mpi.h, which includes it. */
#ifndef MPI_NONBLOCKING_H
#define MPI_NONBLOCKING_H

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request);
int MPI_Bcast_init(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request);
int MPI_Igather(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
                MPI_Datatype all_type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Gather_init(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
                    MPI_Datatype all_type, int root, MPI_Comm comm, MPI_Info info,
                    MPI_Request *request);
int MPI_Igatherv(const void *mine, int count, MPI_Datatype type, void *all, const int counts[],
                 const int places[], MPI_Datatype all_type, int root, MPI_Comm comm,
                 MPI_Request *request);
int MPI_Gatherv_init(const void *mine, int count, MPI_Datatype type, void *all, const int counts[],
                     const int places[], MPI_Datatype all_type, int root, MPI_Comm comm,
                     MPI_Info info, MPI_Request *request);
int MPI_Iscatter(const void *all, int all_count, MPI_Datatype all_type, void *mine, int count,
                 MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Scatter_init(const void *all, int all_count, MPI_Datatype all_type, void *mine, int count,
                     MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request *request);
int MPI_Iscatterv(const void *all, const int counts[], const int places[], MPI_Datatype all_type,
                  void *mine, int count, MPI_Datatype type, int root, MPI_Comm comm,
                  MPI_Request *request);
int MPI_Scatterv_init(const void *all, const int counts[], const int places[],
                      MPI_Datatype all_type, void *mine, int count, MPI_Datatype type, int root,
                      MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Iallgather(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
                   MPI_Datatype all_type, MPI_Comm comm, MPI_Request *request);
int MPI_Allgather_init(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
                       MPI_Datatype all_type, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Iallgatherv(const void *mine, int count, MPI_Datatype type, void *all, const int counts[],
                    const int places[], MPI_Datatype all_type, MPI_Comm comm, MPI_Request *request);
int MPI_Allgatherv_init(const void *mine, int count, MPI_Datatype type, void *all,
                        const int counts[], const int places[], MPI_Datatype all_type,
                        MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Ialltoall(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm, MPI_Request *request);
int MPI_Alltoall_init(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                      MPI_Datatype in_type, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Ialltoallv(const void *out, const int out_counts[], const int out_places[],
                   MPI_Datatype out_type, void *in, const int in_counts[], const int in_places[],
                   MPI_Datatype in_type, MPI_Comm comm, MPI_Request *request);
int MPI_Alltoallv_init(const void *out, const int out_counts[], const int out_places[],
                       MPI_Datatype out_type, void *in, const int in_counts[],
                       const int in_places[], MPI_Datatype in_type, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request);
int MPI_Ialltoallw(const void *out, const int out_counts[], const int out_places[],
                   const MPI_Datatype out_types[], void *in, const int in_counts[],
                   const int in_places[], const MPI_Datatype in_types[], MPI_Comm comm,
                   MPI_Request *request);
int MPI_Alltoallw_init(const void *out, const int out_counts[], const int out_places[],
                       const MPI_Datatype out_types[], void *in, const int in_counts[],
                       const int in_places[], const MPI_Datatype in_types[], MPI_Comm comm,
                       MPI_Info info, MPI_Request *request);
int MPI_Ireduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request *request);
int MPI_Reduce_init(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, int root,
                    MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request);
int MPI_Allreduce_init(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Iscan(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request *request);
int MPI_Scan_init(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Iexscan(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request *request);
int MPI_Exscan_init(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Ireduce_scatter(const void *mine, void *part, const int counts[], MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Request *request);
int MPI_Reduce_scatter_init(const void *mine, void *part, const int counts[], MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Ireduce_scatter_block(const void *mine, void *part, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request *request);
int MPI_Reduce_scatter_block_init(const void *mine, void *part, int count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif
