/* Communicators between two groups, and other ways to make one. A part of mpi.h, which includes
 * it. */
#ifndef MPI_GROUPS_H
#define MPI_GROUPS_H

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int other_leader, int tag,
                         MPI_Comm *comm);
int MPI_Intercomm_merge(MPI_Comm comm, int is_high, MPI_Comm *merged);
int MPI_Comm_remote_size(MPI_Comm comm, int *size);
int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group);
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request);
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *copy, MPI_Request *request);
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *part);

#ifdef __cplusplus
}
#endif

#endif
