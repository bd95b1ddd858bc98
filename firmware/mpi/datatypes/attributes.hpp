// Values that a program hangs on communicators, types and windows, each under a key of its own.
#pragma once

#include "mpi/objects/objects.hpp"

namespace mesh::mpi {

struct Attribute;

/// The attributes of one object. Objects reach what is done with them through these pointers, so
/// that a program without attributes has nothing of it in its image.
struct Attributes {
    Attribute* first = nullptr; // the last one that was set
    /// For a copy of the object: asks the function of each key. Gives MPI_SUCCESS, MPI_ERR_NO_MEM
    /// or the code of the first function that refuses.
    int (*copy)(const Attributes& from, void* handle, Attributes** to);
    /// For an object that goes: tells the function of each key, the last one first. Gives
    /// MPI_SUCCESS, or the code of a function that refuses, whose value and those behind it stay.
    int (*drop)(Attributes** attributes, void* handle);
};

/// The reason for which an object is not copied, or stays.
inline constexpr const char* kAttributeStays = "a function of an attribute refuses";

/// A function of the program's own that is asked whether a value is copied, and for the copy.
/// `old`: the handle of a communicator, of a type or of a window.
using AttributeCopy = int(void* old, int key, void* extra, void* value, void* copied, int* flag);
/// A function of the program's own that is told that a value goes. `object`: such a handle.
using AttributeDrop = int(void* object, int key, void* value, void* extra);

/// Makes a key for objects of a kind. MPI_SUCCESS or MPI_ERR_NO_MEM (MPI 4.1, 7.7.1).
int create_key(Checks& checks, const ObjectKind& kind, AttributeCopy* copy, AttributeDrop* drop,
               int* number, void* extra);
/// The same with functions of C, whose first argument is a pointer, too.
template <class CopyFunction, class DropFunction>
int create_key(Checks& checks, const ObjectKind& kind, CopyFunction* copy, DropFunction* drop,
               int* number, void* extra) {
    return create_key(checks, kind, reinterpret_cast<AttributeCopy*>(copy),
                      reinterpret_cast<AttributeDrop*>(drop), number, extra);
}
/// Frees a key, which stays as long as attributes have it. Refuses with MPI_ERR_KEYVAL.
void free_key(Checks& checks, const ObjectKind& kind, int* number);

// Of communicators, of windows, which are such, and of types.

/// Hangs a value on an object; an old one under the key goes, of which its function is told first.
/// MPI_SUCCESS, MPI_ERR_KEYVAL, MPI_ERR_NO_MEM, or the code of the function, which refuses.
template <class T>
int set_attribute(Checks& checks, T& object, int key, void* value);
/// Gives the value at the address `value`, if there is one (`flag`). MPI_SUCCESS or MPI_ERR_KEYVAL.
template <class T>
int get_attribute(Checks& checks, const T& object, int key, void* value, int* flag);
/// Takes a value from an object. MPI_SUCCESS, MPI_ERR_KEYVAL (also if it has none), or the code of
/// the function that is told, and that refuses.
template <class T>
int delete_attribute(Checks& checks, T& object, int key);

/// Copies the attributes of an object to a copy of it, which has none yet. `handle`: the old one.
/// The code of Attributes::copy.
inline int copy_attributes(const Attributes* from, void* handle, Attributes** to) {
    return from == nullptr ? MPI_SUCCESS : from->copy(*from, handle, to);
}
/// Takes all attributes from an object that goes. The code of Attributes::drop.
inline int drop_attributes(Attributes** attributes, void* handle) {
    return *attributes == nullptr ? MPI_SUCCESS : (*attributes)->drop(attributes, handle);
}

} // namespace mesh::mpi
