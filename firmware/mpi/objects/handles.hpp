// Handles: what a program has of an object of MPI.
//
// A handle is a constant of the ABI, or the number of a place in a table of the node, with how
// often that place had another object before. It is no address: what a program gives is looked up
// and never followed, whether it has freed it, never had it, or has it of another kind.
#pragma once

#include "mpi/mpi.h"

#include <bit>
#include <cstddef>
#include <cstdint>

// The constants of the ABI are casts, as C has them.
#pragma GCC diagnostic ignored "-Wold-style-cast"

namespace mesh::mpi {

/// Largest number of a handle that is a constant (MPI 5.0, 20.4).
inline constexpr std::uintptr_t kHandlesFixed = 0x1000;

template <class Handle>
std::uintptr_t number_of(Handle handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}
template <class Handle>
bool is_fixed(Handle handle) {
    return number_of(handle) < kHandlesFixed;
}

/// A kind of object: what is told of a handle that is none of it.
struct ObjectKind {
    int error;
    const char* name;
};

/// What each object begins with that a program has handles of. It stays until it has no owner: the
/// program is one by each of its handles, other objects and calls under way are some.
struct Object {
    explicit Object(const ObjectKind& its_kind) : object_kind(&its_kind) {}

    const ObjectKind* object_kind;
    std::uint32_t handle = 0; // 0: nobody has asked for one
    unsigned owners = 1;
    unsigned handles = 0; // that the program has and may use
};

/// Of an object of the standard: so many more than there are others.
inline constexpr unsigned kOwnersForever = 1u << 31;

/// The same with the type that its handles have in C.
template <const ObjectKind& k, class H>
struct ObjectOf : Object {
    using Handle = H;
    static constexpr const ObjectKind& kKind = k;
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
/// What is in a place of the table; nullptr: there are fewer.
Object* const* object_at(std::uint32_t place);
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

/// Gives an object a place in the table. Ends the run if there is no room.
void enlist(Object& object);
/// The object goes: what the program has of its handle is none from now on.
void unlist(Object& object);

/// The handle that an object has.
template <class T>
typename T::Handle handle_of(const T& object) {
    return std::bit_cast<typename T::Handle>(std::uintptr_t{object.handle});
}
/// The same for the program, which has one handle more. The caller has made it an owner.
template <class T>
typename T::Handle give_handle(T& object) {
    if (object.handle == 0)
        enlist(object);
    ++object.handles;
    return handle_of(object);
}

/// Why a handle is none of this kind, in words of at most kWhyNone letters with their end.
void say_why_none(std::uintptr_t number, const ObjectKind& kind, char* words);
inline constexpr std::size_t kWhyNone = 64;

} // namespace mesh::mpi
