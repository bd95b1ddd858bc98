// What a program sets and calls for errors, of a communicator or of a window, which `checks` know.
#pragma once

#include "mpi/objects/objects.hpp"

namespace mesh::mpi {

int create_errhandler(Checks& checks, MPI_Comm_errhandler_function* function,
                      MPI_Errhandler* handler);
/// With a function of another kind of object, whose first argument is a pointer, too.
template <class Function>
int create_errhandler(Checks& checks, Function* function, MPI_Errhandler* handler) {
    return create_errhandler(checks, reinterpret_cast<MPI_Comm_errhandler_function*>(function),
                             handler);
}
void set_errhandler(Checks& checks, MPI_Errhandler handler);
void get_errhandler(const Checks& checks, MPI_Errhandler* handler);
int call_errhandler(Checks& checks, int code);

} // namespace mesh::mpi
