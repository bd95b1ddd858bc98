// tcbt: the complete binary tree with two adjacent roots, which fills the cube. The source is one
// root, the node across the highest dimension the other.
//
// The tree of n dimensions is two trees of n-1, the upper one turned so that the roots come to lie
// right. A node finds itself by reading its address downward, two dimensions ahead: no turned
// address is ever formed. (ho-johnsson-1986, 3.4; construction and reading as in PAPERS.md)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/base/rules.hpp"
#include "core/cube/hypercube.hpp"

namespace mesh {

namespace detail {

/// Where a node of tcbt stands: ports as single bits.
struct TcbtPlace {
    std::uint32_t parent;
    std::uint32_t children;
};

/// Halves the cube until the node is next to a root of its part, one dimension a turn: `top` is the
/// dimension halved, `pending` the next one, `held` the one that waits for a zero, `next` the
/// highest not yet read. A one in `pending` leaves `held` waiting, a zero releases it. When only
/// zeroes are left, a zero in `pending` ends the search across `top`.
/// Example (tcbt, n = 4): the node 0110 of root 0000. Bit 3 is 0, so at first dimension 2 is
/// pending and 0 is held. Bit 2 of the address is 1: the cube is halved across 2, and the next
/// dimension, 1, is pending. Bit 1 is 1 too: halved across 1, and the held 0, all that is left, is
/// pending. Bit 0 is 0: the end. The parent lies across 1, halved last: 0100. The children lie
/// across the pending 0 and across 2, halved before: 0111 and 0010.
[[gnu::always_inline]] constexpr TcbtPlace tcbt_place(Hypercube cube, std::uint32_t address) {
    std::uint32_t top = 1u << (cube.dim - 1u);
    const std::uint32_t second = top >> 1;
    std::uint32_t pending = ((address >> 1) & second) != 0 ? 1u : second; // never for dim 1
    std::uint32_t held = pending ^ second ^ 1u;
    std::uint32_t next = second >> 1;
    std::uint32_t before = top & ~address; // the dimension halved before; the source has none
    const std::uint32_t unread = address & (second - 1u) & ~1u;
    const std::uint32_t below_last = lowest_one(unread) - 1u; // all ones if none is unread
    for (; next > below_last; next >>= 1) {
        top = pending;
        const bool one = (address & pending) != 0;
        pending = one ? next : held;
        held = one ? held : next;
    }
    if ((address & pending) != 0) {
        before = top;
        top = pending;
        pending = next > 1 ? next : held;
        next >>= 1;
        if ((address & pending) != 0)
            top = pending;
    }
    if ((address & held) == 0)
        return {top, pending | before};
    if (next < 2)
        return {top, 0};
    return {top, pending | (next > 2 ? next >> 1 : next)};
}

} // namespace detail

/// Port to the parent, in O(dim) steps. Precondition: not the root.
constexpr Port tcbt_parent(Hypercube cube, Relative relative) {
    MESH_EXPECT(index(relative) != 0);
    return port_at(highest_bit(detail::tcbt_place(cube, index(relative)).parent));
}

/// Children as bits, none to two, in O(dim) steps.
constexpr std::uint32_t tcbt_children(Hypercube cube, Relative relative) {
    return detail::tcbt_place(cube, index(relative)).children;
}

struct TcbtTree : SingleTree {
    static constexpr Rule kRule = Rule::tcbt;
    static constexpr std::string_view kName = "tcbt";

    /// The source serves the other root first; all others go upward.
    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        const Relative place = relative_address(hop.self, hop.root);
        const std::uint32_t set = tcbt_children(cube, place);
        return hop.self == hop.root ? PortSequence::descending(set) : PortSequence::ascending(set);
    }
    static constexpr Port parent(Hypercube cube, const Hop& hop) {
        return hop.self == hop.root ? kNoPort
                                    : tcbt_parent(cube, relative_address(hop.self, hop.root));
    }
    static constexpr unsigned height(Hypercube cube) { return cube.dim; }
};

} // namespace mesh
