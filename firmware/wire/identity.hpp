// A node's identity is its MAC address: 02 | topology and start | dim | node (24 bits, big-endian).
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
    static constexpr unsigned kStarts = 64;
    /// life() after the first start, where starts are counted.
    static constexpr std::uint16_t kFirstLife = 1;

    constexpr Identity() = default;
    constexpr Identity(Network where, NodeId who, unsigned starts = 0)
        : network(where),
          start(static_cast<std::uint8_t>(starts % kStarts)),
          node(who) {}

    /// Neither 0 nor, as far as anybody knows, the same as in another life of this node.
    constexpr std::uint16_t life() const {
        const auto life = static_cast<std::uint16_t>(birth + start + kFirstLife);
        return life != 0 ? life : 0xFFFF;
    }

    Network network;
    std::uint8_t start = 0;  // 0: the first
    std::uint16_t birth = 0; // drawn, where nobody counts how often a node gets power; else 0
    NodeId node = kNoNode;
};

constexpr Mac to_mac(const Identity& identity) {
    const std::uint32_t node = index(identity.node);
    const auto topology = static_cast<unsigned>(identity.network.topology);
    return {0x02,
            static_cast<std::uint8_t>(topology | (unsigned{identity.start} << 2)),
            identity.network.dim,
            static_cast<std::uint8_t>(node >> 16),
            static_cast<std::uint8_t>(node >> 8),
            static_cast<std::uint8_t>(node)};
}

/// The node that the address names, whether there is such a node or not.
constexpr NodeId node_of(const Mac& mac) {
    return node_at((std::uint32_t{mac[3]} << 16) | (std::uint32_t{mac[4]} << 8) | mac[5]);
}

/// Inverse of to_mac(); nothing if the address names no node of a network that there is.
constexpr std::optional<Identity> from_mac(const Mac& mac) {
    const Network network{static_cast<Topology>(mac[1] & 3u), mac[2]};
    if (!valid(network) || index(node_of(mac)) >= node_count(network))
        return std::nullopt;
    return Identity{network, node_of(mac), unsigned{mac[1]} >> 2};
}

} // namespace mesh::wire
