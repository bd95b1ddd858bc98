// msbt: n edge-disjoint spanning trees of the n-cube, used at once. Tree j hangs on port j of the
// root and uses every directed link at most once over all trees.
//
// A relative address, rotated right by j, shows the place of its node in tree j: with bit 0 clear
// it is a leaf, with bit 0 set an inner node. Its children are then across its leading zeroes, and
// a leaf across bit 0. (ho-johnsson-1986, 3.2)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/base/rules.hpp"
#include "core/cube/hypercube.hpp"

namespace mesh {

/// Children in tree `subtree` (0..dim-1), as bits.
/// Example (msbt, n = 4, tree 1): node 0110 of root 0000. Turned right by 1 it is 0011. Bit 0 is
/// set: an inner node. The zeroes above the highest one are bits 2 and 3. Turned back by 1 these
/// are dimensions 3 and 0: children 1110 and 0111. The leaf lies across bit 0, turned back
/// dimension 1: 0100. The parent lies across the highest one, bit 1, turned back dimension 2: 0010.
/// The leaf 0100 itself is 0010 when turned: bit 0 is clear, so it has no child.
constexpr std::uint32_t msbt_children(Hypercube cube, Relative relative, unsigned subtree) {
    const std::uint32_t turned = rotate_right(index(relative), subtree, cube.dim);
    if (turned == 0)
        return 1u << subtree;
    if ((turned & 1u) == 0)
        return 0;
    const std::uint32_t leaf = turned == 1u ? 0u : 1u;
    return rotate_left((bits_above(turned) & cube.ports()) | leaf, subtree, cube.dim);
}

/// Port to the parent in tree `subtree`. Precondition: not the root.
constexpr Port msbt_parent(Hypercube cube, Relative relative, unsigned subtree) {
    MESH_EXPECT(index(relative) != 0);
    const std::uint32_t turned = rotate_right(index(relative), subtree, cube.dim);
    if ((turned & 1u) == 0)
        return port_at(subtree);
    const unsigned port = highest_bit(turned) + subtree;
    return port_at(port < cube.dim ? port : port - cube.dim);
}

/// The same children without the root: from the arrival port, the subtree, and whether this is the
/// packet's first link. Precondition: not the root.
/// Example (msbt without its root, n = 4, tree 1): a packet came by port 2, which is port 2 - 1 = 1
/// when turned. Above it are 2 and 3, and there is the leaf at 0: 1101. Turned back by 1: 1011, the
/// ports 0, 1 and 3, as above for 0110.
constexpr std::uint32_t msbt_children_light(Hypercube cube, Port arrival, unsigned subtree,
                                            bool first_link) {
    MESH_EXPECT(arrival != kNoPort);
    if (index(arrival) == subtree)
        return first_link ? cube.ports() & ~(1u << subtree) : 0u;
    const unsigned came =
        index(arrival) > subtree ? index(arrival) - subtree : index(arrival) + cube.dim - subtree;
    return rotate_left((cube.ports() & (~1u << came)) | 1u, subtree, cube.dim);
}

struct MsbtTree {
    static constexpr Rule kRule = Rule::msbt;
    static constexpr std::string_view kName = "msbt";
    static constexpr bool kReadsRoot = true;
    static constexpr bool kReadsSubtree = true;

    static constexpr unsigned subtree_count(Hypercube cube) { return cube.dim; }
    static constexpr unsigned first_subtree() { return 0; }
    /// In the order of the one-port labels: upward from the subtree's own dimension, that one last.
    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        return PortSequence::ascending(
            msbt_children(cube, relative_address(hop.self, hop.root), hop.subtree),
            hop.subtree + 1u);
    }
    static constexpr Port parent(Hypercube cube, const Hop& hop) {
        if (hop.self == hop.root)
            return kNoPort;
        return msbt_parent(cube, relative_address(hop.self, hop.root), hop.subtree);
    }
    static constexpr unsigned height(Hypercube cube) { return cube.dim == 1 ? 1u : cube.dim + 1u; }
};

/// msbt, one step faster with all ports. A packet that the root sends once must leave it by one
/// port and cross the cube from there: n+1 steps, and msbt takes no more. But when nothing follows
/// a round of n packets, the root may send each of them n times: packet j crosses dimension (j+t)
/// mod n in step t of the round from every node that has it, so no two ever want the same link, and
/// all are everywhere after n steps. Nor do they meet the rounds before: those use a link from a
/// node of weight w that lacks the link's bit w steps after their start, these only after w steps
/// of a later one; the links from nodes that have the bit are left to the leaves of msbt. So P
/// packets take ceil(P/n) + n - 1 steps, for every n and P, and no broadcast takes fewer.
///
/// Subtrees 0 .. n-1 are those of msbt; n+j is the binomial tree that begins with dimension j.
/// Example (msbt-rot, n = 3): packet 1 of the last three takes subtree 3 + 1 = 4. The root 000
/// sends it across 1, 2 and 0 in steps 0, 1 and 2. Node 010, turned right by 1, is 001: the zeroes
/// above its one are bits 1 and 2, turned back dimensions 2 and 0. So it sends the packet to 110 in
/// step 1 and to 011 in step 2. Packet 0 crosses 0, 1, 2 in these steps, packet 2 crosses 2, 0, 1:
/// in no step do two packets cross the same dimension.
struct MsbtRotTree {
    static constexpr Rule kRule = Rule::msbt_rot;
    static constexpr std::string_view kName = "msbt-rot";
    static constexpr bool kReadsRoot = true;
    static constexpr bool kReadsSubtree = true;

    static constexpr unsigned subtree_count(Hypercube cube) { return 2u * cube.dim; }
    static constexpr unsigned first_subtree() { return 0; }
    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        if (hop.subtree < cube.dim)
            return MsbtTree::children(cube, hop);
        const unsigned first = hop.subtree - cube.dim;
        const Relative relative = relative_address(hop.self, hop.root);
        const std::uint32_t turned = rotate_right(index(relative), first, cube.dim);
        return PortSequence::ascending(
            rotate_left(bits_above(turned) & cube.ports(), first, cube.dim), first);
    }
    static constexpr Port parent(Hypercube cube, const Hop& hop) {
        if (hop.subtree < cube.dim || hop.self == hop.root)
            return MsbtTree::parent(cube, hop);
        const unsigned first = hop.subtree - cube.dim;
        const Relative relative = relative_address(hop.self, hop.root);
        const unsigned port = highest_bit(rotate_right(index(relative), first, cube.dim)) + first;
        return port_at(port < cube.dim ? port : port - cube.dim);
    }
    static constexpr unsigned height(Hypercube cube) { return MsbtTree::height(cube); }
};

} // namespace mesh
