// What calls tell a program of its messages. MPI_ERROR of a message is not among it: only a call
// for several requests writes it, and only if it returns MPI_ERR_IN_STATUS. An empty status has
// MPI_SUCCESS.
#pragma once

#include "mpi/engine/engine.hpp"

namespace mesh::mpi {

/// A request that is done. `status` may be MPI_STATUS_IGNORE in all of these.
void tell(const Request& request, MPI_Status* status);
/// A message that was found, and is not received.
void tell(const Found& found, MPI_Status* status);
/// There was no request: MPI's empty status.
void tell_nothing(MPI_Status* status);

} // namespace mesh::mpi
