// What the collectives are made of: over the whole network the trees of the kernel, for other
// communicators binomial trees of messages.
#pragma once

#include "kernel/base/status.hpp"
#include "mpi/engine/awaited.hpp"
#include "mpi/engine/engine.hpp"

#include <span>

namespace mesh::mpi {

template <class T>
std::span<std::byte> bytes_of(T& value) {
    return std::as_writable_bytes(std::span{&value, 1});
}

/// MPI_SUCCESS, or what the call returns of a collective of the kernel that went wrong.
int code_of(const Comm& comm, Status status, const char* call);

/// Bytes of all ranks, one after the other: those of the root to all.
int broadcast_bytes(Comm& comm, std::span<std::byte> bytes, Rank root, const char* call);

/// As many bytes of each rank, one behind the other, to all.
int all_gather_bytes(Comm& comm, std::span<const std::byte> mine, void* all, const char* call);

/// A wait for all ranks.
int meet_all(Comm& comm, const char* call);

} // namespace mesh::mpi
