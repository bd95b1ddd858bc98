// Arguments that the ranks of a collective must give alike, for the notes of a simulation.
#pragma once

#include "mpi/objects/objects.hpp"

namespace mesh::mpi {

#if MESH_NOTES
inline constexpr int kNoRoot = detail::JointCall::kNoRoot;
/// Of a collective with these arguments, which have been checked or are null. `count`: of elements
/// of a rank; -1: the ranks have different ones.
Joint joint_of(int root, MPI_Op op, MPI_Datatype type, std::int64_t count);
#endif

} // namespace mesh::mpi
