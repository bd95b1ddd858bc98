// Values that a program hangs on communicators, types and windows, each under a key of its own.
#pragma once

#include "mpi/objects/objects.hpp"

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

// The handle of a communicator, of a type or of a window.
using AttributeCopy = int(void* old, int key, void* extra, void* value, void* copied, int* flag);
using AttributeDrop = int(void* object, int key, void* value, void* extra);

int create_key(Checks& checks, const ObjectKind& kind, AttributeCopy* copy, AttributeDrop* drop,
               int* number, void* extra);
/// With functions of C, whose first argument is a pointer, too.
template <class CopyFunction, class DropFunction>
int create_key(Checks& checks, const ObjectKind& kind, CopyFunction* copy, DropFunction* drop,
               int* number, void* extra) {
    return create_key(checks, kind, reinterpret_cast<AttributeCopy*>(copy),
                      reinterpret_cast<AttributeDrop*>(drop), number, extra);
}
void free_key(Checks& checks, const ObjectKind& kind, int* number);

// For communicators, windows, which are such, and types. Each gives what the call returns.
template <class T>
int set_attribute(Checks& checks, T& object, int key, void* value);
template <class T>
int get_attribute(Checks& checks, const T& object, int key, void* value, int* flag);
template <class T>
int delete_attribute(Checks& checks, T& object, int key);

/// `to` has none yet.
inline int copy_attributes(const Attributes* from, void* handle, Attributes** to) {
    return from == nullptr ? MPI_SUCCESS : from->copy(*from, handle, to);
}
inline int drop_attributes(Attributes** attributes, void* handle) {
    return *attributes == nullptr ? MPI_SUCCESS : (*attributes)->drop(attributes, handle);
}

} // namespace mesh::mpi
