// Values that a program hangs on communicators, types and windows, each under a key of its own.
#pragma once

#include "mpi/objects.hpp"

namespace mesh::mpi {

struct Attribute;

/// The attributes of one object. Objects reach what is done with them through these pointers, so
/// that a program without attributes has nothing of it in its image.
struct Attributes {
    Attribute* first = nullptr; // the last one that was set
    /// For a copy of the object: asks the function of each key. Gives MPI_SUCCESS or what it said.
    int (*copy)(const Attributes& from, void* handle, Attributes** to);
    /// For an object that goes: tells the function of each key, the last one first.
    int (*drop)(Attributes** attributes, void* handle);
};

/// Why an object is not copied, or stays.
inline constexpr const char* kAttributeStays = "a function of an attribute refuses";

/// `to` has none yet.
inline int copy_attributes(const Attributes* from, void* handle, Attributes** to) {
    return from == nullptr ? MPI_SUCCESS : from->copy(*from, handle, to);
}
inline int drop_attributes(Attributes** attributes, void* handle) {
    return *attributes == nullptr ? MPI_SUCCESS : (*attributes)->drop(attributes, handle);
}

} // namespace mesh::mpi
