// Facts that the compiler knows of the buffers which a program gives to a call: how far each goes,
// and of which type its elements are. Macros of mpi_buffers.h note them before the call, in a
// program that is made for a strict run, and the door of the call looks at them. Images have no
// code for it.
#pragma once

#include "mpi/datatypes/types.hpp"

#include <cstdint>
#include <initializer_list>

namespace mesh::mpi {

#if MESH_NOTES
/// A buffer among the arguments of a call.
struct BufferArgument {
    const void* data;
    std::int64_t count; // of elements
    MPI_Datatype type;
};

/// Each buffer goes as far as its elements do, and those are of the type that the program says:
/// MPI_ERR_COUNT, MPI_ERR_TYPE. `all`: in the order of the arguments. Nothing in a run that is not
/// strict, or of a buffer that the compiler knows nothing about.
Checks& check_buffers(Checks& checks, std::initializer_list<BufferArgument> all);
#endif

} // namespace mesh::mpi
