// The uni-directional hypercube (UHC): a cube whose every link carries packets one way only.
//
// Ports are the dimensions 0..dim-1. A node sends on the dimensions of its own parity (node 0 on
// the even ones) and receives on the others, so the two ends of a link always agree: crossing it
// changes the parity. Superdimension j is the pair of dimensions 2j and 2j+1; "out-port j" of the
// paper is the one of the two on which this node sends. For odd dim the top superdimension is one
// dimension. (huang-yang-tseng-2001, 2)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/base/types.hpp"

#include <bit>
#include <cstdint>

namespace mesh {

struct UniHypercube {
    std::uint8_t dim = 2;

    /// At least 2: with one dimension there is no way back.
    constexpr bool valid() const { return dim >= 2 && dim <= kDimMax; }
    constexpr std::uint32_t node_count() const { return 1u << dim; }
    constexpr unsigned port_count() const { return dim; }
    constexpr unsigned diameter() const { return dim + 1u + dim % 2u; }

    /// All dimensions as bits.
    constexpr std::uint32_t ports() const { return low_bits(dim); }
    /// Dimensions on which `node` sends, as bits: those of its parity. 10 instructions.
    /// Example (polarity, n = 4): 0110 has two ones, an even number, so it sends on dimensions 0
    /// and 2 (0101) and receives on 1 and 3. Its neighbour across 2 is 0010, with one one: it sends
    /// on 1 and 3 and receives on 0 and 2. Dimension 2 is out-port 1 of 0110.
    constexpr std::uint32_t out_ports(NodeId node) const {
        return (kEvenDimensions << parity(node)) & ports();
    }
    constexpr std::uint32_t in_ports(NodeId node) const { return out_ports(node) ^ ports(); }

    /// Sign of the polarity function: true if `node` sends on `port`.
    constexpr bool sends_on(NodeId node, Port port) const {
        return parity(node) == (index(port) & 1u);
    }
    /// Out-port `number` of the paper as a dimension. Precondition: the node has it.
    constexpr Port out_port(NodeId node, unsigned number) const {
        MESH_EXPECT(number < out_port_count(node));
        return port_at(2 * number + parity(node));
    }
    constexpr Port in_port(NodeId node, unsigned number) const {
        return port_at(2 * number + 1u - parity(node));
    }
    /// Number that the paper gives a port, in or out.
    static constexpr unsigned superdimension(Port port) { return index(port) / 2; }
    /// How many out-ports `node` has: dim/2, for odd dim one more at the even nodes.
    constexpr unsigned out_port_count(NodeId node) const { return (dim + 1u - parity(node)) / 2; }

    constexpr NodeId neighbor(NodeId node, Port port) const {
        return node_at(index(node) ^ (1u << (index(port) & 31u)));
    }

    /// Links on a shortest path: own and foreign dimensions take turns, so the larger group sets
    /// the pace. Host and tests: popcount is a library call on a Cortex-M.
    /// Example (distance, uhc, n = 4): 0000 sends on 0 and 2. To 1010: both differing dimensions
    /// are foreign, and own ones come between: 2 * 2 = 4 links. To 1011: one own, two foreign: 2 *
    /// 2 + 1 = 5. To 0011: one own, then one foreign: 2.
    constexpr unsigned distance(NodeId from, NodeId to) const {
        const std::uint32_t differ = index(from) ^ index(to);
        const unsigned own = weight(differ & out_ports(from));
        const unsigned foreign = weight(differ & in_ports(from));
        if ((own + foreign) % 2 == 0)
            return 2 * (own > foreign ? own : foreign);
        return own > foreign ? 2 * own - 1 : 2 * foreign + 1;
    }

    /// A differing dimension on which this node sends; if there is none every out-port is equally
    /// near, and the other half of the lowest differing superdimension is taken: so answers to
    /// packets of different links leave by different ports. 17 instructions. Precondition: the
    /// nodes differ.
    /// Example (unicast, uhc, n = 4): from 0000 to 1010. 0000 sends on 0 and 2, where nothing
    /// differs. The lowest differing dimension is 1, its partner 0: to 0001. This sends on 1 and 3,
    /// where both differ: by 1, the lower one, to 0011. There 0011 ^ 1010 = 1001 is left, and 0 is
    /// its own: to 0010. There 1000 is left, and 3 is its own: to 1010.
    constexpr Port next_hop(NodeId self, NodeId destination) const {
        MESH_EXPECT(self != destination);
        const std::uint32_t differ = index(self) ^ index(destination);
        const std::uint32_t ahead = differ & out_ports(self);
        if (ahead != 0)
            return port_at(lowest_bit(ahead));
        const unsigned partner = lowest_bit(differ) ^ 1u;
        return port_at(partner < dim ? partner : dim - 2u);
    }

private:
    static constexpr std::uint32_t kEvenDimensions = 0x5555'5555;
    static constexpr unsigned parity(NodeId node) { return odd_weight(index(node)) ? 1u : 0u; }
    static constexpr unsigned weight(std::uint32_t bits) {
        return static_cast<unsigned>(std::popcount(bits));
    }
};

} // namespace mesh
