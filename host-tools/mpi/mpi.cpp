// The part of `mesh` that uses MPI: who else was launched with this process, and what each has to
// say of itself (mpi.hpp). An object of its own, so that nothing else needs an MPI to be built or
// to run; the only file that includes mpi.h. Open MPI and MPICH.
//
// MPI ends before the run begins. From then on ranks talk by sockets, which an epoll can wait for.
#include "mpi.hpp"

// The names of MPI are casts of C.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#define OMPI_SKIP_MPICXX 1  // NOLINT
#define MPICH_SKIP_MPICXX 1 // NOLINT
#include <mpi.h>

extern "C" void mesh_mpi_begin(int* rank, int* ranks) {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun == 0)
        MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
}

extern "C" void mesh_mpi_share(const void* mine, void* all, int bytes) {
    MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

extern "C" void mesh_mpi_end(void) { MPI_Finalize(); }
#pragma GCC diagnostic pop
