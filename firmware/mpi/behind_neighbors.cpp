// Collectives among neighbours, for a program that does not wait.
#include "mpi/behind.hpp"
#include "mpi/graphs.hpp"

namespace mesh::mpi {

namespace {

/// What a call among neighbours has is there.
MPI_Datatype given(const void*, MPI_Datatype type) { return type; }

Held held_around(const Comm& comm, const MPI_Datatype* out_types, const MPI_Datatype* in_types) {
    const Around around(comm);
    return {.ones = out_types,
            .others = in_types,
            .ones_count = static_cast<int>(around.destinations().size()),
            .others_count = static_cast<int>(around.sources().size())};
}

} // namespace

} // namespace mesh::mpi

#include "doors/behind_neighbors.inc"
