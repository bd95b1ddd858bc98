// Broadcast: one node's bytes to all, over any tree of core/.
#pragma once

#include "kernel/kernel.hpp"

#include <cstdint>
#include <span>

namespace mesh {

/// What all nodes agree on before a broadcast.
struct BroadcastPlan {
    Rule tree = Rule::sbt;
    NodeId root{0};
    std::uint32_t total_bytes = 0;
    std::uint16_t packet_bytes = wire::kPayloadBytesMax;
    Tag tag = 0;

    /// Packets of the message; an empty message is one empty packet.
    constexpr std::uint32_t packets() const {
        return total_bytes == 0 ? 1 : (total_bytes + packet_bytes - 1) / packet_bytes;
    }
    constexpr std::uint32_t bytes_of(std::uint32_t packet) const {
        return packet + 1 < packets() ? packet_bytes : total_bytes - packet * packet_bytes;
    }
};

/// At the root: packet `number` of the broadcast, empty, to be filled and given to
/// Kernel::inject(). At the others: packet `number`, received. In order, 0 .. packets()-1. Gives no
/// packet where the pool is too small for the tree.
Task<Packet> next_broadcast_packet(Kernel& kernel, const BroadcastPlan& plan, std::uint32_t number);

/// Broadcasts `buffer` (total_bytes of it) from the root; at the others receives into it.
/// bad_argument: the tree is not of this network, or the root not a node.
Task<Status> broadcast(Kernel& kernel, const BroadcastPlan& plan, std::span<std::byte> buffer);

} // namespace mesh
