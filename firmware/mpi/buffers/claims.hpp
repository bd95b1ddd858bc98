// Memory of the program that calls of MPI have until they end, in a strict run of a simulation
// (`mesh run --strict`). The compiler calls accesses.cpp at each load and store of such a program,
// so one that comes too early ends the run with both lines. Images have no code for it.
#pragma once

#include "mpi/datatypes/types.hpp"

namespace mesh::mpi {

/// Uses of memory that a call has which the program may make all the same.
enum class Leave : std::uint8_t { nothing, loads };

#if MESH_NOTES
/// The ways in which a program uses memory.
enum class Use : std::uint8_t { load, store, free };

/// The call of the program that is being made has these elements, until the claims of `owner` end:
/// its name and line are told. Nothing if the run is not strict, or if `data` is null.
void claim(const void* owner, const void* data, int count, const Type& type, Leave leave);
/// The same for bytes.
void claim(const void* owner, const void* data, std::size_t bytes, Leave leave);
/// A function that is told of a load or a store of the program, and where it is.
using Hear = void (*)(const void* owner, const std::byte* data, std::size_t bytes, Use use,
                      const void* place);
/// The program may not free() these bytes until the claims of `owner` end; each load and store
/// there is told to `hear`.
void watch(const void* owner, const void* data, std::size_t bytes, Hear hear);
/// All claims of `owner` end.
void end_claims(const void* owner);

/// The program does so at `place`, which ends the run if a call has one of the bytes.
void look_at(const void* data, std::size_t bytes, Use use, const void* place);
#else
inline void claim(const void*, const void*, int, const Type&, Leave) {}
inline void claim(const void*, const void*, std::size_t, Leave) {}
inline void end_claims(const void*) {}
#endif

} // namespace mesh::mpi
