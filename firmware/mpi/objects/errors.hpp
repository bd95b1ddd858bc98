// Error handlers of a communicator, a window or a session, which `checks` know.
#pragma once

#include "mpi/objects/objects.hpp"

namespace mesh::mpi {

/// Makes an error handler, of which the program is the owner. MPI_SUCCESS, MPI_ERR_NO_MEM, or
/// MPI_ERR_ARG for a null function (MPI 4.1, 9.3).
int create_errhandler(Checks& checks, MPI_Comm_errhandler_function* function,
                      MPI_Errhandler* handler);
/// The same with a function for another kind of object, whose first argument is a pointer, too.
template <class Function>
int create_errhandler(Checks& checks, Function* function, MPI_Errhandler* handler) {
    return create_errhandler(checks, reinterpret_cast<MPI_Comm_errhandler_function*>(function),
                             handler);
}
/// A handle is an error handler; else it is refused with MPI_ERR_ARG.
bool is_errhandler(Checks& checks, MPI_Errhandler handler);
/// Sets the error handler; the object becomes an owner of it. Refuses with MPI_ERR_ARG.
void set_errhandler(Checks& checks, MPI_Errhandler handler);
/// Gives the error handler; the program becomes an owner of it.
void get_errhandler(const Checks& checks, MPI_Errhandler* handler);
/// Does what is set for an error with this code. MPI_SUCCESS, if the run goes on (MPI 4.1, 9.5).
int call_errhandler(Checks& checks, int code);

} // namespace mesh::mpi
