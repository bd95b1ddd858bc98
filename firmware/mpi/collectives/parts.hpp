// The parts of collectives: over the whole network the trees of the kernel, for other communicators
// binomial trees of messages.
#pragma once

#include "kernel/base/status.hpp"
#include "mpi/engine/awaited.hpp"
#include "mpi/engine/engine.hpp"

#include <span>

namespace mesh::mpi {

/// The bytes of a value, which must stay.
template <class T>
std::span<std::byte> bytes_of(T& value) {
    return std::as_writable_bytes(std::span{&value, 1});
}

/// The code that a call returns for the Status of a collective of the kernel, told if it is an
/// error: MPI_SUCCESS for ok, MPI_ERR_NO_MEM for no_memory, MPI_ERR_OTHER for unreachable,
/// MPI_ERR_TRUNCATE for truncated (ranks do not agree about the size), else MPI_ERR_ARG (they do
/// not agree about the call).
int code_of(const Comm& comm, Status status, const char* call);

/// Gives the bytes of the root to all ranks. The code of code_of(), or of receive_part(). n steps
/// for 2^n ranks.
int broadcast_bytes(Comm& comm, std::span<std::byte> bytes, Rank root, const char* call);

/// Gives the bytes of each rank, as many of each, to all, one behind the other in `all`. The code
/// of receive_part(). size - 1 messages of each rank.
int all_gather_bytes(Comm& comm, std::span<const std::byte> mine, void* all, const char* call);

/// Waits for all ranks. The code of code_of(), or an error of the messages. n steps for 2^n ranks.
int meet_all(Comm& comm, const char* call);

} // namespace mesh::mpi
