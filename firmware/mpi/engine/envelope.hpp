// The envelopes by which the engines of two nodes speak of a message (engine.hpp says when).
#pragma once

#include "core/base/types.hpp"
#include "mpi/objects/objects.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>

namespace mesh::mpi {

/// Travels at the begin of a message of the kernel.
struct Envelope {
    /// The kinds of envelopes, as engine.hpp explains them.
    enum class What : std::uint16_t { eager, announced, go, take_back, taken_back };
    What what;
    std::uint16_t meaning; // meaning.hpp; 0: goes with any
    std::uint32_t context;
    std::int32_t source; // rank of the sender in the communicator
    std::int32_t tag;
    std::uint32_t bytes;  // of the data
    std::uint32_t number; // of an announced send, at its sender
};
static_assert(sizeof(Envelope) == 24);

/// An envelope without a receive, on the heap with its data behind it.
struct Unexpected : ObjectOf<kMessage, MPI_Message> {
    Unexpected* next = nullptr;
    Envelope envelope;
    NodeId from;
    wire::ModelTime ready;
    std::uint32_t data_bytes;
    Comm* comm = nullptr; // of which it is an owner, once a probe has taken it for the program

    /// Its data, `data_bytes` long.
    std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};

} // namespace mesh::mpi
