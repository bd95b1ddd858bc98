// How communicators are made.
#pragma once

#include "mpi/objects.hpp"

namespace mesh::mpi {

/// A communicator of these ranks, all of `old`, every rank of which calls this; nullptr where this
/// node is none of them. It is an owner of `group`, which may be nullptr, too.
Comm* make_communicator(Comm& old, Group* group);

/// The group of a handle; nullptr: it is none.
Group* group_of(MPI_Group handle);

/// On the heap; ends the run if there is no room.
Grid* copy_of(const Grid& grid);

} // namespace mesh::mpi
