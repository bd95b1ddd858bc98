// Collectives that the program does not wait for.
//
// Each is the call that waits, made by a strand (fiber/strand.hpp): a process with a stack of its
// own. So it makes progress whenever the program waits in a call of MPI, and waits itself without
// holding anybody up. It goes by messages, in a context of its own, so it never meets a message of
// the program, another collective, or another call of the same one.
#pragma once

#include "mpi/engine/engine.hpp"

#include <type_traits>

namespace mesh::mpi {

/// The call that waits, with its arguments but for communicator and operation. `self` stays the
/// caller's.
struct LaterCall {
    int (*run)(const void* self, MPI_Comm comm, MPI_Op op);
    const void* self;
    std::size_t bytes;
};

/// A LaterCall of `call`, which must stay for as long as that is used. `call(comm, op)` gives the
/// code that MPI returns.
template <class F>
LaterCall later(const F& call) {
    static_assert(std::is_trivially_copyable_v<F> && alignof(F) <= alignof(void*));
    return {[](const void* self, MPI_Comm comm, MPI_Op op) {
                return (*static_cast<const F*>(self))(comm, op);
            },
            &call, sizeof(F)};
}

/// Operation and types that a call holds until it is done, since the program may free them before.
struct Held {
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype one = MPI_DATATYPE_NULL; // also a handle of no type, which the call refuses
    MPI_Datatype other = MPI_DATATYPE_NULL;
    const MPI_Datatype* ones = nullptr; // one for each rank that data goes to, or as many as:
    const MPI_Datatype* others = nullptr;
    int ones_count = kEachRank;
    int others_count = kEachRank;

    static constexpr int kEachRank = -1;
};

/// Begins a collective, or, `is_persistent`, makes one that begins with MPI_Start(), again and
/// again. `later` is copied. `request` is the program's, MPI_REQUEST_NULL after an error. Gives the
/// code that the call returns: MPI_ERR_NO_MEM, or an error that the call told at once. Ends the run
/// if the heap has no room for the stack of one such call.
int begin_collective(Checks& checks, bool is_persistent, const Held& held, const LaterCall& later,
                     MPI_Request* request);

/// The type of data, none if that is MPI_IN_PLACE.
template <class T>
T given(const void* data, T type) {
    return data != MPI_IN_PLACE ? type : T{};
}
/// The type of the part that a rank has in a call with a root; none where `root` is MPI_ROOT or
/// MPI_PROC_NULL.
inline MPI_Datatype given(const void* data, MPI_Datatype type, Rank root) {
    return root >= 0 ? given(data, type) : MPI_DATATYPE_NULL;
}
/// A type that has a meaning at the root only.
inline MPI_Datatype at_root(const Checks& checks, Rank root, MPI_Datatype type) {
    return checks.comm().is_root(root) ? type : MPI_DATATYPE_NULL;
}

} // namespace mesh::mpi
