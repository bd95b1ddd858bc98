// Broadcast that survives faults nobody knows of: every packet goes over several of the
// edge-disjoint trees of msbt. The ways to a node share no inner node and no cable, so x copies
// reach every living node whichever x-1 cables or nodes are dead. (errata 3.11;
// ho-johnsson-1986, 3.2)
//
// A packet counts as received when its first copy comes. The others are compared with it; where
// they differ the majority is kept.
#pragma once

#include "collectives/broadcast.hpp"

#include <cstdint>
#include <span>

namespace mesh {

/// What a node knows of the copies so far. `revision` changes with the buffer after it was
/// complete.
struct CopyReport {
    std::uint32_t packets = 0;  // of which at least one copy came
    std::uint32_t copies = 0;   // all that came
    std::uint32_t disputed = 0; // packets whose copies are not all alike
    std::uint32_t revision = 0;
};

/// Memory for the votes of a broadcast, in bytes.
constexpr std::size_t vote_bytes(const BroadcastPlan& plan) {
    return std::size_t{plan.packets()} * 8;
}

/// Broadcasts `buffer` over `copies` trees of msbt (1 .. dim; plan.tree must be msbt, packet_bytes
/// at most kPayloadBytesMax). Returns at the root when all is sent, elsewhere when the buffer is
/// complete; a process stays behind for copies that come later. So `buffer`, `votes` (vote_bytes())
/// and `report` must stay for as long as the node runs. ok; bad_argument; no_memory.
Task<Status> broadcast_copies(Kernel& kernel, const BroadcastPlan& plan, unsigned copies,
                              std::span<std::byte> buffer, std::span<std::byte> votes,
                              CopyReport& report);

} // namespace mesh
