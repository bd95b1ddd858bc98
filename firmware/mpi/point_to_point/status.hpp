// Statuses, by which calls tell a program of its messages. Only a call for several requests writes
// MPI_ERROR, and only if it returns MPI_ERR_IN_STATUS. An empty status has MPI_SUCCESS.
#pragma once

#include "mpi/engine/engine.hpp"

namespace mesh::mpi {

/// Tells of a request that is done. `status` may be MPI_STATUS_IGNORE in all of these.
void tell(const Request& request, MPI_Status* status);
/// Tells of a message that was found, and is not received.
void tell(const Found& found, MPI_Status* status);
/// Gives MPI's empty status, since there was no request.
void tell_nothing(MPI_Status* status);

} // namespace mesh::mpi
