// Broadcasting trees of the UHC that know their source: bt1, bt3, bts, bt4.
//
// Each is a function from a node's view to the ports of its children or its parent, as bits, in the
// words of the paper. A node sends by its highest out-port first.
// (huang-yang-tseng-2001, 3 and 4, corrected; bts and bt4 are not in the paper)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/uhc/tables.hpp"
#include "core/uhc/view.hpp"

#include <cstdint>

namespace mesh {

// ---- bt1: the lowest superdimension that differs from the source is the one in work
// --------------

/// Superdimension i is passed in up to three hops; while it is, the rule sends on out-ports i..0,
/// after the third hop on i-1..0.
/// Example (bt1, n = 4): root 0000. Node 0100 differs in superdimension 1 (bits 2, 3) only. It
/// receives on 2, which differs: the packet has made one or two hops there. So it sends on its
/// dimensions of superdimensions 1 and 0: 3 and 1. Node 1000 receives on 2 too, which does not
/// differ: that was the third hop (0000 0100 1100 1000), and it sends on 1 only.
constexpr std::uint32_t bt1_children(const UhcView& view) {
    if (view.is_root())
        return view.out;
    const std::uint32_t pair = superdimension_bits(lowest_bit(view.relative));
    const std::uint32_t below = lowest_one(pair) - 1;
    return view.out & ((view.foreign() & pair) != 0 ? pair | below : below);
}

/// In-port of the same superdimension. Precondition: not the root.
/// Example (bt1, way back, n = 4): the lowest superdimension in which 1000 differs is 1. Its
/// in-port there is 2, so the parent is 1100.
constexpr std::uint32_t bt1_parent(const UhcView& view) {
    MESH_EXPECT(view.relative != 0);
    return view.in & superdimension_bits(lowest_bit(view.relative));
}

/// How many hops in a row, 1..3, the packet has made in the superdimension in work.
/// Example (hops of bt1, n = 4): root 0000. 0100 differs in bit 2, the foreign one of the pair: 1
/// hop. 1100 differs in the foreign bit 3 and in its own bit 2: 2 hops. 1000 differs in its own bit
/// 3 only: 3 hops.
constexpr unsigned bt1_count(const UhcView& view) {
    const std::uint32_t pair = superdimension_bits(lowest_bit(view.relative));
    if ((view.foreign() & pair) == 0)
        return 3;
    return (view.own() & pair) == 0 ? 1 : 2;
}

// ---- bts: every node at its distance from the source
// ---------------------------------------------

/// For any dim.
/// Example (bts, n = 4): root 0000. Node 0110 sends on 0 and 2. Of these it differs in 2 only, the
/// top one, which stops nothing: children across 2 and 0, 0010 and 0111. Node 1110 sends on 1 and
/// 3. It differs in 1, which is not the top one: it sends below 1 only, where it has no out-port.
/// It is a leaf.
constexpr std::uint32_t bts_children(const UhcView& view) {
    const std::uint32_t top = 1u << highest_bit(view.out);
    const std::uint32_t stop = lowest_one(view.own() & ~top);
    return view.never_to_source(view.out & (stop - 1)); // all if there is no stop
}

/// The lowest foreign dimension that differs, else the top in-port. Precondition: not the root.
/// Example (bts, way back, n = 4): 0110 receives on 1 and 3. Bit 1 differs: the parent is 0100.
/// 0101 receives on 1 and 3 too, where nothing differs: by the top one, 3, from 1101.
constexpr std::uint32_t bts_parent(const UhcView& view) {
    MESH_EXPECT(view.relative != 0);
    return view.foreign() != 0 ? lowest_one(view.foreign()) : 1u << highest_bit(view.in);
}

// ---- bt3, bt4: sections of six or eight dimensions, one after the other
// --------------------------

enum class SectionTree : std::uint8_t { bt3 = 6, bt4 = 8 };

/// The dimensions that a packet is passing at this node: the lowest section that differs.
struct UhcSection {
    unsigned base = 0;  // lowest dimension
    unsigned width = 0; // dimensions

    constexpr std::uint32_t bits() const { return low_bits(width) << base; }
};

/// Sections from dimension 0 up: the first has `dim` modulo `unit` dimensions if that is not 0, all
/// others `unit`. Precondition: not the root.
/// Example (sections, dim 10, bt4): 10 modulo 8 = 2, so the sections are dimensions 0..1 and 2..9.
/// The lowest one-bit of 01'0000'0000 is bit 8: section 2..9.
constexpr UhcSection lowest_section(const UhcView& view, unsigned dim, unsigned unit) {
    MESH_EXPECT(view.relative != 0);
    const unsigned lowest = lowest_bit(view.relative);
    const unsigned first = dim % unit;
    if (lowest < first)
        return {0, first};
    return {lowest - (lowest - first) % unit, unit};
}

/// Own dimensions of the section that the tables choose, and maybe more above it.
constexpr std::uint32_t table_ports(const UhcView& view, UhcSection section, SectionTree tree) {
    std::uint32_t content = (view.relative >> section.base) & low_bits(section.width);
    const bool odd_node = (view.out & 1u) == 0;
    if (odd_weight(content) != odd_node)
        content = pairs_swapped(content);
    const bool wide = section.width == static_cast<unsigned>(SectionTree::bt4);
    const bool bt3 = tree == SectionTree::bt3;
    const unsigned table = bt3    ? SectionTables::kBt3
                           : wide ? SectionTables::kBt4Of8
                                  : SectionTables::kBt4Of6;
    const unsigned entry = kSectionTables[table + content];
    return (bt3 ? spread_pairs(entry) : low_bits(2 * entry)) << section.base;
}

/// The section's ports from its table (from bt1 if it is a short one), and all below it. `dim` is
/// even.
/// Example (bt3, n = 6): one section. Root 000000, node 000001: entry 1 of the table is 3 = 011:
/// superdimensions 0 and 1, the dimensions 0..3. The node sends on odd dimensions: children across
/// 3 and 1. Root 000001, node 000011: the relative address 000010 has an odd number of ones, the
/// node an even one, so the bits of each pair are swapped, to 000001. Entry 1 again, and the node
/// sends on even dimensions: children across 2 and 0.
/// Example (bt4, n = 6): root 000000. Entry 1 of the table is 3: 000001 sends on its out-ports 0,
/// 1, 2, the dimensions 5, 3, 1. Entry 4 is 2: 000100 sends on out-ports 0 and 1, the dimensions 3
/// and 1.
constexpr std::uint32_t section_children(const UhcView& view, unsigned dim, SectionTree tree) {
    if (view.is_root())
        return view.out;
    const UhcSection section = lowest_section(view, dim, static_cast<unsigned>(tree));
    if (section.width < static_cast<unsigned>(SectionTree::bt3))
        return bt1_children(view);
    const std::uint32_t ports = table_ports(view, section, tree) | low_bits(section.base);
    // The table of bt4 may name the section's own root, which has the packet.
    const std::uint32_t held = view.relative & section.bits();
    return view.out & ((held & (held - 1)) == 0 ? ports & ~held : ports);
}

/// In-port whose other end counts this node among its children. Precondition: not the root.
/// Example (bt4, way back, n = 6): 000010 receives on 0, 2 and 4. The node across 0, 000011, has no
/// child. The node across 2, 000110, sends on 2: it is the parent.
constexpr std::uint32_t section_parent(const UhcView& view, unsigned dim, SectionTree tree) {
    MESH_EXPECT(view.relative != 0);
    std::uint32_t candidates = view.in;
    while (true) {
        const std::uint32_t dimension = lowest_one(candidates);
        candidates ^= dimension;
        if (candidates == 0 ||
            (section_children(view.across(dimension), dim, tree) & dimension) != 0)
            return dimension;
    }
}

} // namespace mesh
