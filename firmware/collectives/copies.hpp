// Broadcast that survives faults that no node knows of: every packet goes over several of a rule's
// disjoint trees (msbt; adst, ist; edt). The ways to a node share no inner node and no link, so x
// copies reach every living node whichever x-1 links or nodes are dead. Of m trees packet p takes
// p*x .. p*x+x-1, modulo m: any x up to m, and every tree gets as much as any other. Relays forward
// every copy; only the receiver tells them from one another. (ho-johnsson-1986, 3.2;
// huang-yang-tseng-2001, 6, whose blocks are single packets here; fragopoulou-akl-1993, 4.3, for
// any x)
//
// A packet counts as received when its first copy comes. The others are compared with it; where
// they differ the majority is kept.
#pragma once

#include "collectives/broadcast.hpp"

#include <cstdint>
#include <span>

namespace mesh {

/// A node's record of the copies so far. `revision` changes when the buffer changes after it was
/// complete.
struct CopyReport {
    std::uint32_t packets = 0;  // of which at least one copy came
    std::uint32_t copies = 0;   // all that came
    std::uint32_t disputed = 0; // packets whose copies are not all alike
    std::uint32_t revision = 0;
    wire::ModelTime last = 0;                   // when the last of them came
    wire::ModelTime complete_at = wire::kNever; // when the first copy of the last packet had come
};

/// Memory for the votes of a broadcast, in bytes.
constexpr std::size_t vote_bytes(const BroadcastPlan& plan) {
    return std::size_t{plan.packets()} * 8;
}

/// Broadcasts `buffer` over `copies` (1 .. subtree_count) trees of plan.tree, which must be
/// disjoint (has_disjoint_trees()); packet_bytes is at most kPayloadBytesMax. Returns at the root
/// when all is sent, elsewhere when the buffer is complete; a process stays behind for copies that
/// come later, until all have come or the next collective with this tag begins. So `buffer`,
/// `votes` (vote_bytes()) and `report` must stay until then. ok; tag_in_use; bad_argument;
/// unreachable: no copy of some packet can come any more; no_memory.
Task<Status> broadcast_copies(Kernel& kernel, const BroadcastPlan& plan, unsigned copies,
                              std::span<std::byte> buffer, std::span<std::byte> votes,
                              CopyReport& report);

} // namespace mesh
