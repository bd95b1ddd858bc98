// A node's identity is its MAC address: 02 | topology | dim | node (24 bits, big-endian).
#pragma once

#include "core/network.hpp"

#include <array>
#include <cstdint>

namespace mesh::wire {

using Mac = std::array<std::uint8_t, 6>;

struct Identity {
    Network network;
    NodeId node = kNoNode;
};

constexpr Mac to_mac(const Identity& identity) {
    const std::uint32_t node = index(identity.node);
    return {0x02,
            static_cast<std::uint8_t>(identity.network.topology),
            identity.network.dim,
            static_cast<std::uint8_t>(node >> 16),
            static_cast<std::uint8_t>(node >> 8),
            static_cast<std::uint8_t>(node)};
}

/// Inverse of to_mac(); the caller checks that dim and node fit the topology.
constexpr Identity from_mac(const Mac& mac) {
    const std::uint32_t node =
        (std::uint32_t{mac[3]} << 16) | (std::uint32_t{mac[4]} << 8) | mac[5];
    return {{static_cast<Topology>(mac[1]), mac[2]}, node_at(node)};
}

} // namespace mesh::wire
