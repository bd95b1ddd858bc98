// The functions of libmesh-mpi.so, which `mesh` loads where a launcher has started several of it.
// MPI ends the process if anything fails.
#pragma once

extern "C" {

/// Begins. This process is number *rank of *ranks, from 0.
void mesh_mpi_begin(int* rank, int* ranks);
/// Gives every rank what each has: `bytes` bytes of each, in the order of their numbers. All ranks
/// call it alike.
void mesh_mpi_share(const void* mine, void* all, int bytes);
/// Ends. Nothing may be shared any more.
void mesh_mpi_end(void);
}
