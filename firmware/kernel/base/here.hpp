// Where a node is: its address, its network, and the rules by which packets find their way there.
#pragma once

#include "kernel/base/rule_set.hpp"
#include "wire/identity.hpp"

#include <cstdint>

namespace mesh {

/// A node's place: who it is, and the rules of its network, which the image owns.
struct Here {
    wire::Identity identity;
    const NetworkRules& rules;

    /// The address of this node.
    NodeId node() const { return identity.node; }
    /// Topology and dimension.
    Network network() const { return identity.network; }
    /// True if `other` is a node of the network.
    bool knows(NodeId other) const { return index(other) < rules.node_count(network()); }
    /// Ports that send.
    std::uint32_t out_ports() const { return rules.out_ports(network(), node()); }
    /// Ports that receive, a bit each.
    std::uint32_t in_ports() const { return rules.in_ports(network(), node()); }
    /// The node at the other end of the cable at `port`, which must be a port of the network.
    NodeId neighbor(Port port) const { return rules.neighbor(network(), node(), port); }
    /// Where a packet goes from here; see NetworkRules::way().
    Route way(Port arrival, const Envelope& envelope) const {
        return rules.way(network(), node(), arrival, envelope);
    }
    /// The number of paths of Rule::disjoint.
    unsigned path_count() const { return rules.path_count(network()); }
    /// Most links that a packet of `rule` crosses; 0 for a rule that the image does not have.
    unsigned longest(Rule rule) const { return rules.longest(network(), rule); }
};

} // namespace mesh
