// Collectives that the program does not wait for.
//
// Each is the call that waits, made by a strand (fiber/strand.hpp): a process with a stack of its
// own. So it makes progress whenever the program waits in a call of MPI, and waits itself without
// holding anybody up. It goes by messages, in a context of its own, so it never meets a message of
// the program, another collective, or another call of the same one.
#pragma once

#include "mpi/engine.hpp"

#include <type_traits>

namespace mesh::mpi {

/// The call that waits, with all that it is given but communicator and operation.
struct LaterCall {
    int (*run)(const void* self, MPI_Comm comm, MPI_Op op);
    const void* self;
    std::size_t bytes;
};

/// `call` must stay until the LaterCall is no longer used: `call(comm, op)` gives what MPI returns.
template <class F>
LaterCall later(const F& call) {
    static_assert(std::is_trivially_copyable_v<F> && alignof(F) <= alignof(void*));
    return {[](const void* self, MPI_Comm comm, MPI_Op op) {
                return (*static_cast<const F*>(self))(comm, op);
            },
            &call, sizeof(F)};
}

/// What a call holds until it is done, since the program may free it before.
struct Held {
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype one = MPI_DATATYPE_NULL; // also a handle that is none, which the call finds
    MPI_Datatype other = MPI_DATATYPE_NULL;
    const MPI_Datatype* ones = nullptr; // one for each rank that data goes to, or as many as:
    const MPI_Datatype* others = nullptr;
    int ones_count = kEachRank;
    int others_count = kEachRank;

    static constexpr int kEachRank = -1;
};

/// Begins a collective. Gives what the call returns.
int begin_behind(Checks& checks, const Held& held, const LaterCall& call, MPI_Request* request);
/// The same for one that begins with MPI_Start(), again and again.
int prepare_behind(Checks& checks, const Held& held, const LaterCall& call, MPI_Request* request);

} // namespace mesh::mpi
