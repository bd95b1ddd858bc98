// Communicators between two groups: a message goes to a rank of the other one.
//
// Objects and collectives reach what is done for them through a table, so that a program without
// such communicators has nothing of it in its image.
#pragma once

#include "mpi/objects.hpp"

#include <span>

namespace mesh::mpi {

/// What a communicator between two groups does in another way than one of a single group. Each is
/// called by all ranks of both groups.
struct Across {
    int (*meet)(Comm& comm, const char* call);
    int (*broadcast)(Comm& comm, std::span<std::byte> bytes, Rank root, const char* call);
    int (*reduce)(Comm& comm, const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                  Rank root);
    /// Each group has what the other one gave.
    int (*all_reduce)(Comm& comm, const void* mine, void* all, int count, MPI_Datatype type,
                      MPI_Op op);
    /// The greatest number that any rank gives.
    std::uint32_t (*greatest)(Comm& comm, std::uint32_t mine);
    /// The ranks of both groups that have chosen one color; nullptr: one group has none of them.
    Comm* (*split)(Comm& comm, int color, int key);
};

} // namespace mesh::mpi
