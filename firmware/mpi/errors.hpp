// What a program sets and calls for errors, of a communicator or of a window, which `checks` know.
#pragma once

#include "mpi/objects.hpp"

namespace mesh::mpi {

int create_errhandler(Checks& checks, MPI_Comm_errhandler_function* function,
                      MPI_Errhandler* handler);
int set_errhandler(Checks& checks, MPI_Errhandler handler);
int get_errhandler(const Checks& checks, MPI_Errhandler* handler);
int call_errhandler(Checks& checks, int code);

} // namespace mesh::mpi
