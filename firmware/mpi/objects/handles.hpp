// Handles, by which a program names objects of MPI.
//
// A handle is a constant of the ABI, or the number of a place in a table of the node, with how
// often that place had another object before. It is no address: a handle is looked up and never
// followed, so it may be one that was freed, was never given, or is of another kind.
#pragma once

#include "hal/notes.hpp"
#include "mpi/mpi.h"

#include <bit>
#include <cstddef>
#include <cstdint>

// The constants of the ABI are casts, as C has them.
#pragma GCC diagnostic ignored "-Wold-style-cast"

namespace mesh::mpi {

/// Largest number of a handle that is a constant (MPI 5.0, 20.4).
inline constexpr std::uintptr_t kHandlesFixed = 0x1000;

/// The bits of a handle.
template <class Handle>
std::uintptr_t number_of(Handle handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}
/// A handle is a constant of the ABI.
template <class Handle>
bool is_fixed(Handle handle) {
    return number_of(handle) < kHandlesFixed;
}

/// A kind of object: the error class, and the name, that are told of a handle of another kind.
struct ObjectKind {
    int error;
    const char* name;
};

/// The begin of each object of which a program has handles. It stays until it has no owner: the
/// program is one by each of its handles, other objects and calls under way are some.
struct Object {
    /// One owner, and no handle yet.
    explicit Object(const ObjectKind& its_kind) : object_kind(&its_kind) {}

    const ObjectKind* object_kind;
    std::uint32_t handle = 0; // 0: nobody has asked for one
    unsigned owners = 1;
    unsigned handles = 0; // that the program has and may use
#if MESH_NOTES
    const void* made_at = nullptr; // in the program, which got the first handle there
#endif
};

/// The owners of an object of the standard: more than all others can give back.
inline constexpr unsigned kOwnersForever = 1u << 31;

/// An object with the type that its handles have in C.
template <const ObjectKind& k, class H>
struct ObjectOf : Object {
    using Handle = H; ///< the type in C
    static constexpr const ObjectKind& kKind = k;
    /// One owner, and no handle yet.
    ObjectOf() : Object(k) {}
};

inline constexpr ObjectKind kCommunicator{MPI_ERR_COMM, "a communicator"};
inline constexpr ObjectKind kGroup{MPI_ERR_GROUP, "a group"};
inline constexpr ObjectKind kDatatype{MPI_ERR_TYPE, "a datatype"};
inline constexpr ObjectKind kOperation{MPI_ERR_OP, "an operation"};
inline constexpr ObjectKind kRequest{MPI_ERR_REQUEST, "a request"};
inline constexpr ObjectKind kErrhandler{MPI_ERR_ARG, "an error handler"};
inline constexpr ObjectKind kInfo{MPI_ERR_INFO, "an info"};
inline constexpr ObjectKind kMessage{MPI_ERR_REQUEST, "a message"};
inline constexpr ObjectKind kWindow{MPI_ERR_WIN, "a window"};
inline constexpr ObjectKind kSession{MPI_ERR_SESSION, "a session"};

/// The object with this number, whether the program may still use it or not; nullptr: there is none
/// of this kind.
Object* find_object(std::uintptr_t number, const ObjectKind& kind);
/// The entry of a place of the table, which may be nullptr; nullptr: there are fewer places.
Object* const* object_at(std::uint32_t place);
/// The object of a handle; nullptr: there is none of this kind.
template <class T>
T* find_object(typename T::Handle handle) {
    return static_cast<T*>(find_object(number_of(handle), T::kKind));
}

/// Some object of this kind that `is_it` holds for; nullptr: there is none.
template <class Predicate>
Object* find_object_if(const ObjectKind& kind, Predicate is_it) {
    for (std::uint32_t at = 0; Object* const* const place = object_at(at); ++at)
        if (*place != nullptr && (*place)->object_kind == &kind && is_it(**place))
            return *place;
    return nullptr;
}

/// Gives an object a place in the table. Ends the run if the heap has no room, or the table 131,072
/// objects.
void enlist(Object& object);
/// Takes an object that goes out of the table: its handles name nothing from now on.
void unlist(Object& object);

/// The handle of an object that has one.
template <class T>
typename T::Handle handle_of(const T& object) {
    return std::bit_cast<typename T::Handle>(std::uintptr_t{object.handle});
}
/// The handle of an object for the program, which has one more then. The caller has made the
/// program an owner. Ends the run as enlist() does.
template <class T>
typename T::Handle give_handle(T& object) {
    if (object.handle == 0)
        enlist(object);
    ++object.handles;
    return handle_of(object);
}

/// Writes the reason for which a handle is none of this kind: at most kWhyNone letters with their
/// end.
void say_why_none(std::uintptr_t number, const ObjectKind& kind, char* words);
inline constexpr std::size_t kWhyNone = 64;

} // namespace mesh::mpi
