// The Boolean cube: 2^dim nodes, port d of every node crosses dimension d.
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/base/types.hpp"

#include <cstdint>

namespace mesh {

/// Address of a node as the root sees it: own address xor root. The root itself is 0.
/// Example (relative address, n = 4): root 0101, node 0110. 0110 ^ 0101 = 0011: they differ in
/// dimensions 0 and 1, so the node is two links from the root.
enum class Relative : std::uint32_t {};

constexpr std::uint32_t index(Relative relative) { return static_cast<std::uint32_t>(relative); }
constexpr Relative relative_address(NodeId node, NodeId root) {
    return static_cast<Relative>(index(node) ^ index(root));
}

struct Hypercube {
    std::uint8_t dim = 1;

    constexpr bool valid() const { return dim >= 1 && dim <= kDimMax; }
    constexpr std::uint32_t node_count() const { return 1u << dim; }
    constexpr unsigned port_count() const { return dim; }
    constexpr unsigned diameter() const { return dim; }

    /// All dimensions as bits.
    constexpr std::uint32_t ports() const { return low_bits(dim); }
    constexpr std::uint32_t out_ports(NodeId) const { return ports(); }
    constexpr std::uint32_t in_ports(NodeId) const { return ports(); }

    constexpr NodeId neighbor(NodeId node, Port port) const {
        return node_at(index(node) ^ (1u << (index(port) & 31u)));
    }
    /// Hamming distance. Host and tests: popcount is a library call on a Cortex-M.
    constexpr unsigned distance(NodeId from, NodeId to) const {
        return static_cast<unsigned>(std::popcount(index(from) ^ index(to)));
    }
    /// e-cube: the lowest dimension in which the addresses differ. Ascending dimensions on every
    /// route leave no cycle among the links that wait for each other. Precondition: they differ.
    /// Example (unicast, cube, n = 4): from 0011 to 1010. 0011 ^ 1010 = 1001, whose lowest one is
    /// bit 0: by port 0 to 0010. There 0010 ^ 1010 = 1000: by port 3 to 1010.
    constexpr Port next_hop(NodeId self, NodeId destination) const {
        MESH_EXPECT(self != destination);
        return port_at(lowest_bit(index(self) ^ index(destination)));
    }
};

} // namespace mesh
