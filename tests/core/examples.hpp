// Ports and nodes as lists of numbers, for tests that compare them with literal lists.
#pragma once

#include "core/network.hpp"

#include <vector>

namespace mesh::examples {

using Ports = std::vector<unsigned>;
using Nodes = std::vector<std::uint32_t>;

/// The ports in the order in which they are served.
inline Ports in_order(PortSequence sequence) {
    Ports ports;
    while (!sequence.empty())
        ports.push_back(index(sequence.pop()));
    return ports;
}

/// The ports by which a node sends on a packet of the tree.
inline Ports sends(Network network, Rule rule, std::uint32_t root, std::uint32_t node,
                   unsigned subtree = 0) {
    return in_order(children(network, rule, subtree, node_at(root), node_at(node)));
}

/// The port by which the tree feeds a node that is not its root.
inline unsigned fed_by(Network network, Rule rule, std::uint32_t root, std::uint32_t node,
                       unsigned subtree = 0) {
    return index(parent(network, rule, subtree, node_at(root), node_at(node)));
}

/// The nodes from `from` on to which route() leads a packet for one node, until it arrives.
inline Nodes way(Network network, Envelope envelope, NodeId from) {
    Nodes nodes{index(from)};
    NodeId at = from;
    Port arrival = kNoPort;
    for (unsigned links = 0; links <= height(network, envelope.rule); ++links) {
        PortSequence ports = route(network, at, arrival, envelope).ports;
        if (ports.empty())
            break;
        arrival = ports.pop();
        at = neighbor(network, at, arrival);
        nodes.push_back(index(at));
    }
    return nodes;
}

} // namespace mesh::examples
