// The message that a call of MPI waits for, as the engine keeps it, and the host tool tells it.
#pragma once

#include "core/base/types.hpp"

#include <cstdint>
#include <string_view>

namespace mesh::mpi {

/// The tag of the kernel's collectives, one for all: so it compares the calls of the ranks in their
/// order, and a rank that makes another one than the others is found out.
inline constexpr std::uint16_t kTreeTag = 0x7E00;

/// Tags of the messages of collectives, one for each kind: calls of one kind come in one order at
/// all ranks.
namespace part_tag {
inline constexpr int kBarrier = 1;
inline constexpr int kBroadcast = 2;
inline constexpr int kReduce = 3;
inline constexpr int kGather = 4;
inline constexpr int kScatter = 5;
inline constexpr int kAllToAll = 6;
inline constexpr int kScan = 7;
inline constexpr int kNumber = 8;
inline constexpr int kCompletion = 9;  // of a generalized request; no message has it
inline constexpr int kPartitions = 10; // how a sender cuts a message into parts
inline constexpr int kNeighbors = 16;  // and one for each direction in a grid
} // namespace part_tag

/// Tags on the communicator of a window, beside those of its barrier.
namespace window_tag {
inline constexpr int kPosted = 500;
inline constexpr int kDone = 501;
inline constexpr int kFirstAnswer = 1000; // and more
} // namespace window_tag

/// The calls whose messages have such a tag.
constexpr std::string_view calls_with(int tag) {
    switch (tag) {
    case part_tag::kBarrier: return "MPI_Barrier";
    case part_tag::kBroadcast: return "MPI_Bcast";
    case part_tag::kReduce: return "MPI_Reduce";
    case part_tag::kGather: return "MPI_Gather or its kin";
    case part_tag::kScatter: return "MPI_Scatter";
    case part_tag::kAllToAll: return "MPI_Alltoall";
    case part_tag::kScan: return "MPI_Scan or MPI_Exscan";
    case part_tag::kNumber: return "the making of a communicator";
    case part_tag::kCompletion: return "MPI_Grequest_complete";
    case window_tag::kPosted: return "MPI_Win_start";
    case window_tag::kDone: return "MPI_Win_wait";
    default: return tag >= window_tag::kFirstAnswer ? "a call for a window" : "a collective";
    }
}

/// The fields of a wait for a message (kernel/api/waits.cpp knows their places).
struct Awaited {
    static constexpr int kOfCollectives = -1000; // the tags of collectives count down from here

    NodeId node;                // the other one; kNoNode: any
    NodeId came_from = kNoNode; // kNoNode: nothing has come
    std::int32_t tag;           // or MPI_ANY_TAG
    std::uint32_t is_send;      // 1: waits for a receive; 0: waits for a message
    std::int32_t came_tag = 0;  // of the first message that has come and is another one
};

} // namespace mesh::mpi
