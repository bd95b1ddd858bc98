// The promises that every topology makes, for any of them: no allocation, no test framework.
#pragma once

#include "core/base/rules.hpp"

#include <cstdint>
#include <optional>

namespace mesh::claims {

/// First node (or pair of nodes) where a topology breaks its word.
struct NodePair {
    NodeId from = kNoNode;
    NodeId to = kNoNode;
};

/// Every port is an out-port or an in-port on a one-way network, both elsewhere; what leaves a node
/// by a port enters its neighbour by the same port, and the cable leads back to the node.
template <TopologyType Net>
std::optional<NodePair> cables_fit_both_ends(Net net, bool one_way) {
    const std::uint32_t ports = (1u << net.port_count()) - 1u;
    for (std::uint32_t number = 0; number < net.node_count(); ++number) {
        const NodeId node = node_at(number);
        const std::uint32_t both = net.out_ports(node) & net.in_ports(node);
        if ((net.out_ports(node) | net.in_ports(node)) != ports || both != (one_way ? 0 : ports))
            return NodePair{node, node};
        for (unsigned port = 0; port < net.port_count(); ++port) {
            const NodeId other = net.neighbor(node, port_at(port));
            const bool fits = index(other) < net.node_count() && other != node &&
                              net.neighbor(other, port_at(port)) == node &&
                              ((net.out_ports(node) ^ net.in_ports(other)) >> port & 1u) == 0;
            if (!fits)
                return NodePair{node, other};
        }
    }
    return std::nullopt;
}

/// Distances to `to` are those of a breadth-first search: 0 at `to` alone, and one more than the
/// nearest of the nodes that are one link ahead everywhere else (no other numbers satisfy this).
/// The next hop is one of those nearest.
template <TopologyType Net>
std::optional<NodePair> distances_are_shortest(Net net, NodeId to) {
    if (net.distance(to, to) != 0)
        return NodePair{to, to};
    for (std::uint32_t number = 0; number < net.node_count(); ++number) {
        const NodeId from = node_at(number);
        if (from == to)
            continue;
        unsigned nearest = ~0u - 1u;
        for (unsigned port = 0; port < net.port_count(); ++port) {
            if ((net.out_ports(from) >> port & 1u) == 0)
                continue;
            const unsigned left = net.distance(net.neighbor(from, port_at(port)), to);
            nearest = left < nearest ? left : nearest;
        }
        const Port hop = net.next_hop(from, to);
        const bool leaves = (net.out_ports(from) >> index(hop) & 1u) != 0;
        if (net.distance(from, to) != nearest + 1 || !leaves ||
            net.distance(net.neighbor(from, hop), to) != nearest)
            return NodePair{from, to};
    }
    return std::nullopt;
}

/// The largest distance to `to`.
template <TopologyType Net>
unsigned farthest(Net net, NodeId to) {
    unsigned most = 0;
    for (std::uint32_t from = 0; from < net.node_count(); ++from) {
        const unsigned links = net.distance(node_at(from), to);
        most = links > most ? links : most;
    }
    return most;
}

} // namespace mesh::claims
