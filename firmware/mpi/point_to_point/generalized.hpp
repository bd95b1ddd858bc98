// Questions of other calls to generalized requests. There only in a program that starts some.
//
// Each calls a function of the program's own. A code of that other than MPI_SUCCESS is told as an
// error of `call`, and given.
#pragma once

#include "mpi/engine/engine.hpp"

namespace mesh::mpi {

/// Asks for the status of a request that is done. `status` is filled already, or MPI_STATUS_IGNORE.
[[gnu::weak]] int query_generalized(const char* call, Request& request, MPI_Status* status);
/// Lets the program free its data for a request that is done; for any other it does so later.
[[gnu::weak]] int free_generalized(const char* call, Request& request);
/// Tells the program that a request is cancelled. The program may complete it then.
[[gnu::weak]] int cancel_generalized(const char* call, Request& request);
/// Asks for the status of a request that is done, and lets the program free its data. Gives a code
/// that is not told yet.
[[gnu::weak]] int end_generalized(Request& request, MPI_Status* status);

} // namespace mesh::mpi
