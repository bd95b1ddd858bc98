// The tree of a user's file, Rule::own: a table of its functions, and what follows from them.
//
// The host tool has the table of the file that it has loaded. An image that is linked with the file
// has that table in it (ops/own/image.cpp), any other image has none. The host tool checks the tree
// before it is used, at every node (host-tools/mesh/rig/own_rule.hpp).
#pragma once

#include "core/base/rules.hpp"
#include "core/base/types.hpp"

#include <cstdint>

namespace mesh {

/// The functions of a user's tree; own_rule_of() makes it. A tree for any root, numbered 0.
struct OwnRule {
    /// Reads self and root of the hop, or, if `by_arrival`, its arrival and the links crossed,
    /// which are its tag.
    PortSequence (*children)(Network network, const Hop& hop) = nullptr;
    /// In-port that feeds the node, which is not the root. nullptr: it is the port of that
    /// neighbour whose child the node is; a tree `by_arrival` then has no way up.
    Port (*parent)(Network network, NodeId self, NodeId root) = nullptr;
    bool by_arrival = false;
    unsigned height = 0; // links from any root to its farthest node, or more
};

/// A tag counts so many links, so a tree by arrival has no more.
inline constexpr unsigned kCountedLinksMax = 63;

#ifdef __arm__
inline constexpr bool kLoadsRules = false;
inline constexpr const OwnRule* loaded_rule = nullptr;
#else
/// True where a rule can be loaded while the program runs: on the host. Firmware pays nothing for
/// it.
inline constexpr bool kLoadsRules = true;
/// The rule that is Rule::own in this process; nullptr: none.
inline const OwnRule* loaded_rule = nullptr;
#endif

/// True for the rule of a file in a program that can load one.
constexpr bool is_own(Rule rule) { return kLoadsRules && rule == Rule::own; }

// The functions of network.hpp for such a rule.
namespace own {

/// True if the node receives by this port. Takes any port.
template <class Net>
constexpr bool receives(Net net, NodeId node, Port port) {
    return index(port) < net.port_count() && ((net.in_ports(node) >> index(port)) & 1u) != 0;
}

/// In-port that the tree feeds this node by; kNoPort at the root, and where no node feeds it. Asks
/// all neighbours if the rule has no parent().
/// Example (own, n = 4): the tree of a file sends over trailing zeroes, so 0100 sends to 0110 and
/// to 0101. 0110 asks its neighbours. 0111, across dimension 0, sends to nobody. 0100, across
/// dimension 1, has 0110 as a child: it is the parent.
template <class Net>
constexpr Port parent(Network network, Net net, const OwnRule& rule, NodeId root, NodeId self) {
    if (self == root)
        return kNoPort;
    if (rule.parent != nullptr) {
        const Port port = rule.parent(network, self, root);
        return receives(net, self, port) ? port : kNoPort;
    }
    for (unsigned number = 0; number < net.port_count() && !rule.by_arrival; ++number) {
        const Port port = port_at(number);
        if (receives(net, self, port) &&
            rule.children(network, {net.neighbor(self, port), root, kNoPort, 0}).contains(port))
            return port;
    }
    return kNoPort;
}

/// The links that a packet has crossed when it comes to a node: the tag that it has then.
template <class Net>
constexpr std::uint8_t links_to(Network network, Net net, const OwnRule& rule, NodeId root,
                                NodeId self) {
    unsigned links = 0;
    while (links < kCountedLinksMax) {
        const Port up = parent(network, net, rule, root, self);
        if (up == kNoPort)
            break;
        self = net.neighbor(self, up);
        ++links;
    }
    return static_cast<std::uint8_t>(links);
}

/// Port to the child that leads to `destination`; kNoPort if it is not below this node.
template <class Net>
constexpr Port toward(Network network, Net net, const OwnRule& rule, const Hop& hop,
                      NodeId destination) {
    for (unsigned level = rule.height; level != 0; --level) {
        const Port up = parent(network, net, rule, hop.root, destination);
        if (up == kNoPort)
            break;
        destination = net.neighbor(destination, up);
        if (destination == hop.self)
            return up; // a cable has the same port at both ends
    }
    return kNoPort;
}

/// Where a packet of this rule goes, as route() of network.hpp says; self and arrival are in range,
/// the envelope is any. Ports by which the node cannot send are left out.
template <class Net>
constexpr Route route(Network network, Net net, const OwnRule& rule, NodeId self, Port arrival,
                      const Envelope& envelope) {
    const NodeId root = envelope.inward ? envelope.destination : envelope.source;
    if (index(root) >= net.node_count())
        return {};
    const std::uint32_t sends = net.out_ports(self);
    if (envelope.destination == kNoNode) {
        const unsigned crossed = envelope.tag < kCountedLinksMax ? envelope.tag : kCountedLinksMax;
        const Hop hop{self, root, arrival, 0, static_cast<std::uint8_t>(crossed)};
        const auto next = static_cast<std::uint8_t>(crossed + (crossed < kCountedLinksMax));
        const Tags tags = rule.by_arrival ? Tags{next, next, kNoPort} : Tags{};
        return {rule.children(network, hop).without(~sends), arrival != kNoPort, tags};
    }
    if (index(envelope.destination) >= net.node_count())
        return {};
    if (self == envelope.destination)
        return {{}, true, {}};
    const Hop hop{self, root, arrival, 0};
    const Port port = envelope.inward ? parent(network, net, rule, root, self)
                                      : toward(network, net, rule, hop, envelope.destination);
    if (port == kNoPort || ((sends >> index(port)) & 1u) == 0)
        return {};
    return {PortSequence::ascending(1u << index(port)), false, {}};
}

} // namespace own

} // namespace mesh
