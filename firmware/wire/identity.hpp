// A node's identity is its MAC address: 02 | start (6 bits), topology (2) | start (3), dim (5) |
// start (4), node (20, big-endian). The bits of `start` are those of it from the lowest on.
//
// Example: node 5 of a cube of 3 dimensions at its start 1234 (10'011'010010 in binary) is
// 02:48:63:20:00:05. 0x48 is 010010 and topology 0, 0x63 is 011 and dim 3, 0x2 is 0010.
#pragma once

#include "core/network.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace mesh::wire {

using Mac = std::array<std::uint8_t, 6>;

/// A node's place in its network, and the number of its life.
struct Identity {
    /// The one that starts a node counts its starts, modulo this, so that frames of an earlier life
    /// are not taken for new ones: a node itself remembers nothing.
    static constexpr unsigned kStarts = 8192;
    /// life() after the first start, where starts are counted.
    static constexpr std::uint16_t kFirstLife = 1;

    constexpr Identity() = default;
    constexpr Identity(Network where, NodeId who, unsigned starts = 0)
        : network(where),
          start(static_cast<std::uint16_t>(starts % kStarts)),
          node(who) {}

    /// Neither 0 nor, as far as anybody knows, the same as in another life of this node.
    constexpr std::uint16_t life() const {
        const auto life = static_cast<std::uint16_t>(birth + start + kFirstLife);
        return life != 0 ? life : 0xFFFF;
    }

    Network network;
    std::uint16_t start = 0; // 0: the first
    std::uint16_t birth = 0; // random, where no host counts power-ons; else 0
    NodeId node = kNoNode;
};

constexpr Mac to_mac(const Identity& identity) {
    const std::uint32_t node = index(identity.node);
    const auto topology = static_cast<unsigned>(identity.network.topology);
    const unsigned start = identity.start;
    return {0x02,
            static_cast<std::uint8_t>(topology | (start << 2)),
            static_cast<std::uint8_t>(identity.network.dim | ((start >> 6) << 5)),
            static_cast<std::uint8_t>((node >> 16 & 0x0Fu) | ((start >> 9) << 4)),
            static_cast<std::uint8_t>(node >> 8),
            static_cast<std::uint8_t>(node)};
}

/// The node with this address, which need not exist.
constexpr NodeId node_of(const Mac& mac) {
    return node_at((std::uint32_t{mac[3] & 0x0Fu} << 16) | (std::uint32_t{mac[4]} << 8) | mac[5]);
}

/// Inverse of to_mac(); nothing if the address names no node of a network that there is.
constexpr std::optional<Identity> from_mac(const Mac& mac) {
    const Network network{static_cast<Topology>(mac[1] & 3u),
                          static_cast<std::uint8_t>(mac[2] & 31u)};
    if (!valid(network) || index(node_of(mac)) >= node_count(network))
        return std::nullopt;
    const unsigned start =
        (unsigned{mac[1]} >> 2) | (unsigned{mac[2]} >> 5 << 6) | (unsigned{mac[3]} >> 4 << 9);
    return Identity{network, node_of(mac), start};
}

} // namespace mesh::wire
