// Arc-disjoint spanning trees of the UHC: adst and ist, dim/2 trees, tree j on out-port j of the
// source.
//
// A node's paths from the source in different trees share no link and no other node, so f faults
// spare one of any f+1 trees. No header names the tree: a node gets each tree by an in-port of its
// own, and reads the number off that. (huang-yang-tseng-2001, 5, corrected; ist is not in the
// paper)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/uhc/view.hpp"

#include <cstdint>

namespace mesh {

// Sets are bits of dimensions, at most one of each superdimension; a place in one is a dimension.

/// The next member of `set` above `place`, cyclically; `place` itself comes last. Not empty.
constexpr unsigned next_above(std::uint32_t set, unsigned place) {
    const std::uint32_t above = set & ~low_bits(place + 1);
    return lowest_bit(above != 0 ? above : set);
}

/// The next member below, in the same way.
constexpr unsigned next_below(std::uint32_t set, unsigned place) {
    const std::uint32_t below = set & low_bits(place);
    return highest_bit(below != 0 ? below : set);
}

/// Dimensions from `first` up to before `end`, cyclically; all if they are the same.
constexpr std::uint32_t cyclic_range(unsigned first, unsigned end) {
    const std::uint32_t range = low_bits(first) ^ low_bits(end);
    return first < end ? range : ~range;
}

[[gnu::always_inline]] constexpr bool is_single(std::uint32_t set) {
    return set != 0 && (set & (set - 1)) == 0;
}

// ---- adst
// ----------------------------------------------------------------------------------------

/// Superdimensions that differ from the source, one bit (the even one) each.
constexpr std::uint32_t differing_superdimensions(const UhcView& view) {
    return (view.relative | view.relative >> 1) & 0x5555'5555u;
}

/// Children for a packet that came by `arrival`: from its superdimension down to that of the tree,
/// cyclically. The tree is the next superdimension below that differs; by one that does not differ
/// came a packet of its own tree, for a leaf. Precondition: not the root.
/// Example (adst, n = 4): root 0000, node 0111: both superdimensions differ. A packet came by
/// dimension 2, of superdimension 1. The next one below that differs is 0: it is of tree 0. It may
/// go on in superdimensions 1 and 0. In 1 the foreign bit 2 differs, so across 3 to 1111. In 0, the
/// tree's, only if the own bit 1 differed alone; bit 0 differs too, so nothing there.
constexpr std::uint32_t adst_children(const UhcView& view, unsigned arrival) {
    MESH_EXPECT(view.relative != 0);
    const std::uint32_t differ = differing_superdimensions(view);
    const std::uint32_t pair = superdimension_bits(arrival);
    if ((differ & pair) == 0)
        return 0;
    const unsigned tree = next_below(differ, arrival & ~1u);
    const std::uint32_t tree_pair = superdimension_bits(tree);
    std::uint32_t ports = cyclic_range(tree, arrival & ~1u) & ~tree_pair;
    if ((view.foreign() & pair) != 0)
        ports |= pair;
    if (pair != tree_pair && (view.relative & tree_pair) == (view.out & tree_pair))
        ports |= tree_pair;
    return view.never_to_source(ports & view.out);
}

/// In-port of tree `subtree`. Precondition: not the root.
/// Example (adst, way back, n = 4): 0111 receives on 0 and 2. Superdimension 0 differs, so tree 0
/// comes by the next one above that differs, 1: dimension 2. For tree 1 the next above 1,
/// cyclically, is 0: dimension 0.
constexpr std::uint32_t adst_parent(const UhcView& view, unsigned subtree) {
    MESH_EXPECT(view.relative != 0);
    const std::uint32_t differ = differing_superdimensions(view);
    const unsigned tree = 2 * subtree;
    const bool passed = ((differ >> tree) & 1u) != 0;
    return view.in & superdimension_bits(passed ? next_above(differ, tree) : tree);
}

// ---- ist
// -----------------------------------------------------------------------------------------

/// Two hops from the source, in two superdimensions, the trees of those two change places.
/// Example (exchange in ist, n = 4): root 0000, node 0110. It receives on 1 and 3; bit 1 differs
/// and is foreign, x = 0. Bit 2 differs and is own, y = 1. One of each: two hops. So tree 0 comes
/// as tree 1 would, by dimension 3, and tree 1 by dimension 1.
constexpr unsigned ist_exchanged(const UhcView& view, unsigned trees, unsigned subtree) {
    if (!is_single(view.foreign()) || !is_single(view.own()))
        return subtree;
    const unsigned x = highest_bit(view.foreign()) / 2;
    const unsigned y = highest_bit(view.own()) / 2;
    const bool concerned = x < trees && y < trees && (subtree == x || subtree == y);
    return concerned ? x ^ y ^ subtree : subtree;
}

/// Tree whose packets come by `arrival`; with odd dim it may be a number that no tree has.
constexpr unsigned ist_subtree(const UhcView& view, unsigned trees, unsigned arrival) {
    const bool differs = ((view.foreign() >> arrival) & 1u) != 0;
    const unsigned tree = differs ? next_below(view.foreign(), arrival) : arrival;
    return ist_exchanged(view, trees, tree / 2);
}

/// In-port of tree `subtree`. Precondition: not the root.
/// Example (ist, way back, n = 4): 0111 receives on 0 and 2, which both differ. Tree 0 would come
/// by 0; as that differs, by the next foreign one above that does: 2. Tree 1 by the next one above
/// 2, cyclically: 0.
constexpr std::uint32_t ist_parent(const UhcView& view, unsigned trees, unsigned subtree) {
    MESH_EXPECT(view.relative != 0);
    const unsigned tree = ist_exchanged(view, trees, subtree);
    const std::uint32_t in_port = view.in & superdimension_bits(2 * tree);
    if ((view.foreign() & in_port) == 0)
        return in_port;
    return 1u << next_above(view.foreign(), lowest_bit(in_port));
}

/// Children in tree `subtree`: from its own dimension up to before the next own one that differs.
/// Where only one foreign dimension x differs, one hop from the source's neighbours, tree x gives
/// way to others. Precondition: not the root.
/// Example (ist, n = 4): a packet of tree 0 is at 0111 (own 0010, foreign 0101). The tree's own
/// dimension is 1, and it differs. From 1 up to before the next own one that differs, cyclically 1
/// itself, are all: children across 1 and 3, 0101 and 1111. Tree 1's own dimension is 3, which does
/// not differ: a leaf of tree 1.
constexpr std::uint32_t ist_children(const UhcView& view, unsigned trees, unsigned subtree) {
    MESH_EXPECT(view.relative != 0);
    const std::uint32_t own = view.own();
    const std::uint32_t tree_port = view.out & superdimension_bits(2 * subtree);
    const std::uint32_t inside = low_bits(2 * trees);
    std::uint32_t x_port = 0; // own dimension of x's superdimension
    if (is_single(view.foreign() & inside) && is_single(view.foreign()))
        x_port = view.out & superdimension_bits(highest_bit(view.foreign()));
    if (own == 0) {
        if (x_port == 0)
            return tree_port;
        return tree_port == x_port ? view.out & inside : 0u;
    }
    if ((own & tree_port) == 0)
        return 0;
    const unsigned tree = lowest_bit(tree_port);
    std::uint32_t ports = cyclic_range(tree, next_above(own, tree));
    const std::uint32_t partner = own ^ x_port;
    if ((own & x_port) != 0 && is_single(partner) && (partner & inside) != 0)
        ports = tree_port == x_port ? ports & ~x_port : ports | x_port;
    return view.never_to_source(ports & view.out);
}

} // namespace mesh
