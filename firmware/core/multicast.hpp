// Multicast: a packet for any set of nodes goes where packets for each of its members would go.
//
// Such a packet crosses a tree from its root, as a packet for one node does (network.hpp), and says
// its members by one bit for each node of the network. A node sends it on to those children below
// which there is a member. So the packet crosses each link of the tree at most once, and no link
// behind which nobody wants it; nodes between the members pass it on and do not get it. No node
// knows anything of the set but what the packet says.
//
// In the binomial tree the nodes below a node are those that have the same low bits: all up to the
// highest one of the relative address. A node looks at them until each of its children has a member
// below it. In another tree it asks for the way to every member.
#pragma once

#include "core/base/rules.hpp"
#include "core/base/types.hpp"
#include "core/cube/hypercube.hpp"
#include "core/cube/simple_trees.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh {

/// The destination of a packet whose payload begins with the set of the nodes that it is for.
inline constexpr NodeId kToSet{0x8000'0000};

/// A set of nodes, as the bytes that a packet carries: node i is bit i % 8 of byte i / 8. The bytes
/// stay their owner's. Nodes that they have no bit for are not in the set.
class NodeSet {
public:
    explicit constexpr NodeSet(std::span<const std::byte> bytes) : bytes_(bytes) {}

    /// The bytes of a set in a network of so many nodes: whole words.
    static constexpr std::uint32_t bytes_for(std::uint32_t nodes) { return (nodes + 31) / 32 * 4; }
    /// Puts a node that the bytes have a bit for into the set.
    static constexpr void add(std::span<std::byte> bytes, NodeId node) {
        bytes[index(node) / 8] |= std::byte{1} << index(node) % 8;
    }

    constexpr bool contains(NodeId node) const {
        return index(node) / 8 < bytes_.size() &&
               (bytes_[index(node) / 8] >> index(node) % 8 & std::byte{1}) != std::byte{};
    }

private:
    std::span<const std::byte> bytes_;
};

/// True for rules that can lead a packet to a set: those that lead packets to single nodes, each
/// along one tree.
constexpr bool may_lead_to_set(Rule rule) {
    return rule != Rule::unicast && rule != Rule::disjoint && rule != Rule::sbg;
}

/// The children of `self` in the binomial tree below which there is a member, as ports. Costs some
/// ten instructions for each node below, until all children have one.
/// Example (multicast, n = 4): root 0000, members 0110 and 1011. At the root, 0110 lies behind its
/// lowest one, across 1, and 1011 across 0. The packet goes to 0010 and 0001. At 0001 all nodes
/// below end in 1: of these 1011 is a member, and 1011 ^ 0001 = 1010, so across 1. At 0011 it is
/// 1011 ^ 0011 = 1000: across 3, to the member. At 0010 the nodes below end in 10, and
/// 0110 ^ 0010 = 0100: across 2, to the other one. Five links; 0001, 0010 and 0011 do not get it.
constexpr std::uint32_t sbt_ports_to_set(Hypercube cube, NodeId root, NodeId self, NodeSet set) {
    const std::uint32_t children = sbt_children(cube, relative_address(self, root));
    const std::uint32_t step = lowest_one(children); // the nodes below differ in no bit below it
    std::uint32_t ports = 0;
    for (std::uint32_t below = step; ports != children && below < cube.node_count(); below += step)
        if (set.contains(node_at(index(self) ^ below)))
            ports |= lowest_one(below);
    return ports;
}

/// Where a packet for a set goes that is at `self` and came by `arrival` (kNoPort: it starts here).
/// `way(member)`: the Route of a packet of the same tree for one node, from here; nowhere if the
/// node is not below this one. The envelope's destination is not read. The set's other nodes than
/// `nodes` of the network are not, either. Nowhere for rules that cannot lead to a set, and where
/// nothing is to be done. Costs, in other trees than the binomial one, a route for each member.
template <class Way>
constexpr Route route_to_set(Network network, std::uint32_t nodes, NodeId self, Port arrival,
                             const Envelope& envelope, NodeSet set, Way way) {
    if (!may_lead_to_set(envelope.rule) || envelope.inward || index(envelope.source) >= nodes)
        return {};
    const bool binomial = envelope.rule == Rule::sbt || envelope.rule == Rule::bs;
    if (binomial && network.topology != Topology::cube)
        return {};
    std::uint32_t ports = 0;
    if (binomial)
        ports = sbt_ports_to_set(Hypercube{network.dim}, envelope.source, self, set);
    for (std::uint32_t node = 0; node < nodes && !binomial; ++node)
        if (node_at(node) != self && set.contains(node_at(node)))
            ports |= way(node_at(node)).ports.set();
    return {PortSequence::ascending(ports), arrival != kNoPort && set.contains(self), {}};
}

} // namespace mesh
