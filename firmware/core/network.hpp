// The one face of all topologies and rules: what the forwarder, the host tool and the tests call.
//
// A packet names its rule and, where the rule needs them, source, destination and subtree. route()
// is the whole routing decision of a node; it reads no table and no state.
#pragma once

#include "core/types.hpp"

#include <cstdint>
#include <string_view>

namespace mesh {

enum class Topology : std::uint8_t { cube, uhc, star };

/// Routing rules; the number travels in every packet. Trees carry their --tree name.
enum class Rule : std::uint8_t {
    unicast, // shortest path: e-cube on the cube
    sbt,     // spanning binomial tree (Ho, Johnsson 1986)
    bs,      // the same tree from the arrival port alone (Brandenburg, Scott)
    hp,      // Gray-code Hamiltonian path
    kCount
};

/// A network of 2^dim (cube, uhc) or dim! (star) nodes.
struct Network {
    Topology topology = Topology::cube;
    std::uint8_t dim = 1;

    constexpr bool operator==(const Network&) const = default;
};

/// What a node knows of a packet when it decides. A rule reads only what it needs: `bs` none of
/// source, destination and subtree.
struct Envelope {
    Rule rule = Rule::unicast;
    std::uint8_t subtree = 0;
    NodeId source = kNoNode;      // root of a tree
    NodeId destination = kNoNode; // of a unicast
};

/// Where a packet goes from here: out of `ports`, in their order, and to this node if `deliver`.
struct Route {
    PortSequence ports;
    bool deliver = false;
};

} // namespace mesh
