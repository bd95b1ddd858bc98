// Broadcasting trees of the UHC that know their source: bt1, bt3, bts, bt4.
//
// Each is a function from a node's view to the ports of its children or its parent, as bits, in the
// words of the paper. A node sends by its highest out-port first.
// (huang-yang-tseng-2001, 3 and 4, corrected; bts and bt4 are not in the paper)
#pragma once

#include "core/bits.hpp"
#include "core/expect.hpp"
#include "core/uhc/tables.hpp"
#include "core/uhc/view.hpp"

#include <cstdint>

namespace mesh {

// ---- bt1: the lowest superdimension that differs from the source is the one in work
// --------------

/// Superdimension i is passed in up to three hops; while it is, the rule sends on out-ports i..0,
/// after the third hop on i-1..0.
constexpr std::uint32_t bt1_children(const UhcView& view) {
    if (view.is_root())
        return view.out;
    const std::uint32_t pair = superdimension_bits(lowest_bit(view.relative));
    const std::uint32_t below = lowest_one(pair) - 1;
    return view.out & ((view.foreign() & pair) != 0 ? pair | below : below);
}

/// In-port of the same superdimension. Precondition: not the root.
constexpr std::uint32_t bt1_parent(const UhcView& view) {
    MESH_EXPECT(view.relative != 0);
    return view.in & superdimension_bits(lowest_bit(view.relative));
}

/// How many hops in a row, 1..3, the packet has made in the superdimension in work.
constexpr unsigned bt1_count(const UhcView& view) {
    const std::uint32_t pair = superdimension_bits(lowest_bit(view.relative));
    if ((view.foreign() & pair) == 0)
        return 3;
    return (view.own() & pair) == 0 ? 1 : 2;
}

// ---- bts: every node at its distance from the source
// ---------------------------------------------

/// For any dim.
constexpr std::uint32_t bts_children(const UhcView& view) {
    const std::uint32_t top = 1u << highest_bit(view.out);
    const std::uint32_t stop = lowest_one(view.own() & ~top);
    return view.never_to_source(view.out & (stop - 1)); // all if there is no stop
}

/// The lowest foreign dimension that differs, else the top in-port. Precondition: not the root.
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
