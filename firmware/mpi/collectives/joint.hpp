// Arguments that the ranks of a collective must give alike, for the notes of a simulation.
#pragma once

#include "mpi/objects/objects.hpp"

namespace mesh::mpi {

#if MESH_NOTES
inline constexpr int kNoRoot = detail::JointCall::kNoRoot;
/// Of a collective with these arguments, which have been checked or are null. `count`: of elements
/// of a rank; -1: the ranks have different ones.
Joint joint_of(int root, MPI_Op op, MPI_Datatype type, std::int64_t count);
/// Waits for all ranks in a strict run: the standard lets each collective do so, and a program that
/// counts on the opposite waits for ever elsewhere (MPI 4.1, 6.14).
void meet_if_strict(const Checks& checks);
#endif

} // namespace mesh::mpi
