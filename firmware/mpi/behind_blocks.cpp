// Collectives that move data, for a program that does not wait, and the barrier.
#include "mpi/behind.hpp"

namespace mesh::mpi {

namespace {

/// The type of data that is there, not MPI_IN_PLACE.
template <class T>
T given(const void* data, T type) {
    return data != MPI_IN_PLACE ? type : T{};
}
/// The same of the part that a rank has in a call with a root: it has none where `root` is MPI_ROOT
/// or MPI_PROC_NULL.
MPI_Datatype given(const void* data, MPI_Datatype type, Rank root) {
    return root >= 0 ? given(data, type) : MPI_DATATYPE_NULL;
}
/// A type that has a meaning at the root only.
MPI_Datatype at_root(const Checks& checks, Rank root, MPI_Datatype type) {
    return checks.comm().is_root(root) ? type : MPI_DATATYPE_NULL;
}

} // namespace

} // namespace mesh::mpi

#include "doors/behind_blocks.inc"
