// What other calls ask of generalized requests. There only in a program that starts some.
//
// Each calls a function of the program's own; what that gives is told as an error of `call`.
#pragma once

#include "mpi/engine/engine.hpp"

namespace mesh::mpi {

/// Asks for the status of one that is done. `status` has what MPI knows, or is MPI_STATUS_IGNORE.
[[gnu::weak]] int query_generalized(const char* call, Request& request, MPI_Status* status);
/// The program frees what it keeps for one that is done; for any other it does so later.
[[gnu::weak]] int free_generalized(const char* call, Request& request);
/// The program may complete it then.
[[gnu::weak]] int cancel_generalized(const char* call, Request& request);
/// Both questions to one that is done and is to go. Gives an error that is not told yet.
[[gnu::weak]] int end_generalized(Request& request, MPI_Status* status);

} // namespace mesh::mpi
