// Broadcast: one node's bytes to all, over any tree of core/; where a rule has m disjoint trees
// packet p takes tree p mod m. (ho-johnsson-1986, 3; huang-yang-tseng-2001, 5;
// fragopoulou-akl-1993, 4.2)
#pragma once

#include "kernel/kernel.hpp"

#include <cstdint>
#include <span>

namespace mesh {

/// A message cut into external packets, which the model moves as one each, and these into the
/// fragments that fit a frame.
struct Cutting {
    std::uint32_t total_bytes = 0;
    std::uint32_t packet_bytes = wire::kPayloadBytesMax; // of an external packet, 1 or more

    /// One fragment: `packet` is the number of its external packet.
    struct Fragment {
        std::uint32_t packet;
        std::uint32_t position; // in the message
        std::uint16_t bytes;
        bool first; // of its external packet

        /// True for the last fragment of the message.
        constexpr bool ends(const Cutting& cutting) const {
            return position + bytes == cutting.total_bytes;
        }
    };

    /// External packets; an empty message is one empty packet.
    constexpr std::uint32_t packets() const {
        return total_bytes == 0 ? 1 : (total_bytes - 1) / packet_bytes + 1;
    }
    constexpr std::uint32_t bytes_of(std::uint32_t packet) const {
        return packet + 1 < packets() ? packet_bytes : total_bytes - packet * packet_bytes;
    }
    /// The fragment that begins at `position`; the message's first one begins at 0.
    constexpr Fragment at(std::uint32_t position) const {
        const std::uint32_t packet = position / packet_bytes;
        const std::uint32_t inside = position - packet * packet_bytes;
        const std::uint32_t left = bytes_of(packet) - inside;
        return {packet, position,
                static_cast<std::uint16_t>(left < wire::kPayloadBytesMax ? left
                                                                         : wire::kPayloadBytesMax),
                inside == 0};
    }
    /// Fills what a packet header says of a fragment.
    constexpr void describe(const Fragment& fragment, wire::PacketHeader& header) const {
        header.message = fragment.packet;
        header.position = fragment.position;
        header.total_bytes = total_bytes;
        header.unit_bytes = fragment.first ? bytes_of(fragment.packet) : 0;
        header.flags = fragment.first ? 0 : wire::packet_flag::kPart;
    }
};

/// What all nodes agree on before a broadcast.
struct BroadcastPlan {
    Rule tree = Rule::sbt;
    NodeId root{0};
    std::uint32_t total_bytes = 0;
    std::uint32_t packet_bytes = wire::kPayloadBytesMax; // of an external packet
    Tag tag = 0;

    constexpr Cutting cutting() const { return {total_bytes, packet_bytes}; }
    constexpr std::uint32_t packets() const { return cutting().packets(); }
    constexpr std::uint32_t bytes_of(std::uint32_t packet) const {
        return cutting().bytes_of(packet);
    }
};

/// The subtree that packet number `packet` of `packets` takes down a tree of this network.
unsigned subtree_of(const Kernel& kernel, Rule tree, std::uint32_t packet, std::uint32_t packets);

/// At the root: the packet for `fragment` of the broadcast, empty, to be filled and given to
/// Kernel::inject(). At the others: that fragment, received. To be called for all fragments in
/// order. Gives no packet where the pool is too small for the tree.
Task<Packet> next_broadcast_packet(Kernel& kernel, const BroadcastPlan& plan,
                                   Cutting::Fragment fragment);

/// Broadcasts `buffer` (total_bytes of it) from the root; at the others receives into it. ok;
/// bad_argument: no tree of this network (sbg is none), the root not a node, or the root's plan has
/// fewer bytes; truncated: it has more, and `buffer` their first; no_memory: of the processes'
/// arena or the pool.
Task<Status> broadcast(Kernel& kernel, const BroadcastPlan& plan, std::span<std::byte> buffer);

} // namespace mesh
