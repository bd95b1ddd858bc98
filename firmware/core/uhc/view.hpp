// A node of the UHC as a tree rule sees it: its relative address, and which dimensions are its own.
//
// Everything is kept as bits of dimensions, never as port numbers of the paper: "superdimensions
// below i" is low_bits(2 * i), out-port i is the one own dimension of those two. A rule that takes
// addresses this way holds for any source, even or odd, without a map of the network onto itself.
#pragma once

#include "core/base/bits.hpp"
#include "core/base/types.hpp"
#include "core/cube/hypercube.hpp"
#include "core/uhc/uni_hypercube.hpp"

#include <cstdint>

namespace mesh {

/// Example (view, n = 4): root 0001, node 0111. relative = 0111 ^ 0001 = 0110. 0111 has an odd
/// number of ones: out = 1010, in = 0101. own = 0110 & 1010 = 0010, foreign = 0110 & 0101 = 0100.
struct UhcView {
    std::uint32_t relative = 0; // own address xor the source's
    std::uint32_t out = 0;      // dimensions on which this node sends
    std::uint32_t in = 0;       // dimensions on which it receives

    constexpr bool is_root() const { return relative == 0; }
    /// Dimensions that differ from the source, own and foreign.
    constexpr std::uint32_t own() const { return relative & out; }
    constexpr std::uint32_t foreign() const { return relative & in; }
    /// Neighbours exchange the roles of all dimensions.
    constexpr UhcView across(std::uint32_t dimension) const {
        return {relative ^ dimension, in, out};
    }
    /// The same with all links turned round: a tree from the root becomes one towards it.
    constexpr UhcView reversed() const { return {relative, in, out}; }
    /// `ports` without the one that would lead to the source.
    constexpr std::uint32_t never_to_source(std::uint32_t ports) const {
        return (relative & (relative - 1)) == 0 ? ports & ~relative : ports;
    }
};

[[gnu::noinline]] constexpr UhcView uhc_view(UniHypercube net, NodeId self, NodeId root) {
    const std::uint32_t out = net.out_ports(self);
    return {index(relative_address(self, root)), out, out ^ net.ports()};
}

/// The two dimensions of the superdimension that `dimension` belongs to, as bits.
constexpr std::uint32_t superdimension_bits(unsigned dimension) { return 3u << (dimension & ~1u); }

/// Dimensions of a half: dim, less the top one if dim is odd.
constexpr unsigned half_dim(UniHypercube net) { return net.dim & ~1u; }

/// A node of an odd network in its half, and how the packet gets from one half to the other.
///
/// With odd dim the trees bt1..bt3 span the half of the source by its lower, even number of
/// dimensions. An even source also sends across the top dimension; for an odd one, which receives
/// there, its child over dimension dim-2 does. The node that is entered so is the source of the
/// same tree in the other half. Both send across before anything else, which costs one or two steps
/// in all. With even dim there is one half. (huang-yang-tseng-2001, 4, end)
/// Example (halves, n = 5): root 00001 is odd: it sends on 1 and 3 and receives on 4. Its child
/// across 3, 01001, is even and sends across 4 to 11001. That is the source of the far half: in its
/// view 11001 has the relative address 0000. Node 11011 has 0010.
struct UhcHalf {
    UhcView view;               // as the source of the own half sees it
    std::uint32_t crossing = 0; // the top dimension if this node sends across it
    bool other = false;         // not the half of the source: its own is fed by the top dimension
};

[[gnu::noinline]] constexpr UhcHalf uhc_half(UniHypercube net, NodeId self, NodeId root) {
    UhcHalf half{uhc_view(net, self, root)};
    if (net.dim % 2 == 0)
        return half;
    const std::uint32_t top = 1u << half_dim(net);
    const std::uint32_t relay = odd_weight(index(root)) ? top >> 1 : 0u;
    half.other = (half.view.relative & top) != 0;
    if (half.other)
        half.view.relative ^= relay | top;
    else if (half.view.relative == relay)
        half.crossing = top;
    half.view.out &= top - 1;
    half.view.in &= top - 1;
    return half;
}

/// Steps that an odd dim costs beyond those of the half: 1 from an even source, 2 from an odd one.
constexpr unsigned crossing_steps(UniHypercube net, NodeId root) {
    if (net.dim % 2 == 0)
        return 0;
    return odd_weight(index(root)) ? 2 : 1;
}

} // namespace mesh
