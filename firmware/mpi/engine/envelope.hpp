// What the engines of two nodes tell each other of a message (engine.hpp says when).
#pragma once

#include "core/base/types.hpp"
#include "mpi/objects/objects.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>

namespace mesh::mpi {

struct Envelope {
    enum class What : std::uint16_t { eager, announced, go, take_back, taken_back };
    What what;
    std::uint16_t meaning; // meaning.hpp; 0: nothing is said of it
    std::uint32_t context;
    std::int32_t source; // rank of the sender in the communicator
    std::int32_t tag;
    std::uint32_t bytes;  // of the data
    std::uint32_t number; // of an announced send, at its sender
};
static_assert(sizeof(Envelope) == 24);

/// An envelope that no receive was there for, on the heap with its data behind it.
struct Unexpected : ObjectOf<kMessage, MPI_Message> {
    Unexpected* next = nullptr;
    Envelope envelope;
    NodeId from;
    wire::ModelTime ready;
    std::uint32_t data_bytes;
    Comm* comm = nullptr; // once a probe has taken it for the program: it is an owner

    std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};

} // namespace mesh::mpi
