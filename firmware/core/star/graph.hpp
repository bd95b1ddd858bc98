// The star network: one node for each permutation of n symbols, n-1 ports each.
//
// A node's label is a permutation of the symbols 1..n; dimension d (2..n) swaps the symbols at
// positions 1 and d, and is port d-2. Node numbers are the lexicographic ranks of the labels.
// Labels are computed from the number and back in one pass over the symbols, without a table.
// (fragopoulou-akl-1993, 2)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/base/types.hpp"

#include <array>
#include <cstdint>

namespace mesh {

inline constexpr unsigned kSymbolsMin = 3;
inline constexpr unsigned kSymbolsMax = 9;

/// A permutation in the words of the paper: at(1) .. at(n) are the symbols 1..n. Places beyond n
/// are not used.
class Label {
public:
    constexpr unsigned at(unsigned position) const { return symbols_[position]; }
    constexpr void put(unsigned position, unsigned symbol) {
        symbols_[position] = static_cast<std::uint8_t>(symbol);
    }
    /// The neighbour over dimension 2..n.
    constexpr void cross(unsigned dimension) {
        const std::uint8_t first = symbols_[1];
        symbols_[1] = symbols_[dimension];
        symbols_[dimension] = first;
    }
    constexpr bool operator==(const Label&) const = default;

private:
    std::array<std::uint8_t, kSymbolsMax + 1> symbols_{}; // [0] is not used
};

struct StarGraph {
    std::uint8_t symbols = kSymbolsMin;

    constexpr bool valid() const { return symbols >= kSymbolsMin && symbols <= kSymbolsMax; }
    constexpr std::uint32_t node_count() const {
        std::uint32_t count = 1;
        for (unsigned factor = 2; factor <= symbols; ++factor)
            count *= factor;
        return count;
    }
    constexpr unsigned port_count() const { return symbols - 1u; }
    constexpr unsigned diameter() const { return 3 * (symbols - 1u) / 2; }

    /// All ports as bits.
    constexpr std::uint32_t ports() const { return low_bits(port_count()); }
    constexpr std::uint32_t out_ports(NodeId) const { return ports(); }
    constexpr std::uint32_t in_ports(NodeId) const { return ports(); }

    static constexpr unsigned dimension(Port port) { return index(port) + 2; }
    static constexpr Port port_of(unsigned dimension) { return port_at(dimension - 2); }

    /// Label of a node. n divisions, no table.
    /// Example (label, star of 4): 13 = 2 * 3! + 0 * 2! + 1 * 1!. Of 1234 take number 2 (from 0):
    /// 3. Of 124 number 0: 1. Of 24 number 1: 4. Of 2 the rest: the label is 3142.
    constexpr Label unrank(NodeId node) const;
    /// Number of the node with this label.
    /// Example (rank, star of 4): 3142. Of the symbols after 3 two are smaller, after 1 none, after
    /// 4 one: 2 * 3! + 0 * 2! + 1 * 1! = 13.
    constexpr NodeId rank(const Label& label) const;

    /// The label with every symbol at its place: node 0.
    constexpr Label identity() const {
        Label label;
        for (unsigned position = 1; position <= symbols; ++position)
            label.put(position, position);
        return label;
    }
    /// h^-1: the position of each symbol.
    constexpr Label inverse(const Label& label) const {
        Label places;
        for (unsigned position = 1; position <= symbols; ++position)
            places.put(label.at(position), position);
        return places;
    }
    /// T_h(i), translation with respect to h: first i, then h. Keeps every dimension.
    constexpr Label translate(const Label& h, const Label& i) const {
        Label product;
        for (unsigned position = 1; position <= symbols; ++position)
            product.put(position, h.at(i.at(position)));
        return product;
    }
    /// How `node` looks from `root`, whose own relative label is the identity.
    /// Example (relative label, star of 4): root 2134, node 3124. In the root symbol 1 is at place
    /// 2, 2 at place 1, 3 and 4 are at home: each symbol of 3124 becomes its place in the root:
    /// 3214. That is one link from 1234, across dimension 3, as 3124 is from 2134.
    constexpr Label relative_label(NodeId node, NodeId root) const {
        return translate(inverse(unrank(root)), unrank(node));
    }

    /// r of the paper: 1 stays, 2..n move up cyclically.
    constexpr unsigned next_cyclic(unsigned symbol) const {
        if (symbol == 1)
            return 1;
        return symbol == symbols ? 2 : symbol + 1;
    }
    /// R of the paper: r on positions and symbols. Takes a link of dimension d to one of r(d).
    /// Example (rotation, star of 4): 2134. Symbols move up: 2 becomes 3, 3 becomes 4, 4 becomes 2:
    /// 3142. Then so do the places: what was at 2, 3, 4 goes to 3, 4, 2: 3214. The neighbour of
    /// 1234 over dimension 2 became that over 3.
    constexpr Label rotate(const Label& label) const {
        Label turned;
        for (unsigned position = 1; position <= symbols; ++position)
            turned.put(next_cyclic(position), next_cyclic(label.at(position)));
        return turned;
    }

    constexpr NodeId neighbor(NodeId node, Port port) const {
        Label label = unrank(node);
        label.cross(dimension(port));
        return rank(label);
    }

    /// Links on a shortest path: misplaced symbols plus cycles, less 2 if symbol 1 is in one.
    /// Example (distance, star of 4): 3412 to 1234. 1 and 3 have changed places, and 2 and 4: four
    /// misplaced symbols, two cycles, less 2 as 1 is in one: 4 + 2 - 2 = 4 links.
    constexpr unsigned distance(NodeId from, NodeId to) const;

    /// The dimension where the first symbol belongs; if that is home, the first misplaced one.
    /// Precondition: the nodes differ.
    /// Example (unicast, star of 4): from 2143 to 1234. 2 goes home over dimension 2: 1243. 1 is
    /// home, and the first misplaced place is 3: over 3 to 4213. 4 goes home: 3214. 3 goes home:
    /// 1234.
    constexpr Port next_hop(NodeId self, NodeId destination) const {
        MESH_EXPECT(self != destination);
        const Label label = relative_label(self, destination);
        if (label.at(1) != 1)
            return port_of(label.at(1));
        unsigned dimension = 2;
        while (dimension < symbols && label.at(dimension) == dimension)
            ++dimension;
        return port_of(dimension);
    }
};

constexpr Label StarGraph::unrank(NodeId node) const {
    // Digits of the factorial number system, the first one in the lowest nibble. The digit of the
    // last position is always 0 and left out, so at most 8 nibbles.
    std::uint32_t rest = index(node);
    std::uint32_t digits = 0;
    for (unsigned base = 2; base <= symbols; ++base) {
        digits = (digits << 4) | (rest % base);
        rest /= base;
    }
    // Symbols that are still to be placed, less one, ascending in nibbles. 32 bits hold eight of
    // nine; the last one enters when the first of the others has left.
    constexpr unsigned kHeld = 8;
    std::uint32_t free = 0x7654'3210;
    Label label;
    for (unsigned position = 1; position <= symbols; ++position, digits >>= 4) {
        const unsigned pick = digits & 15u;
        if (pick == kHeld) {
            label.put(position, kSymbolsMax);
            continue;
        }
        const std::uint32_t above = free >> (4 * pick);
        label.put(position, (above & 15u) + 1);
        free = (free & low_bits(4 * pick)) | ((above >> 4) << (4 * pick)) | (kHeld << 28);
    }
    return label;
}

constexpr NodeId StarGraph::rank(const Label& label) const {
    // Nibble s-2: how many of the symbols still to come are smaller than s.
    std::uint32_t smaller = 0x8765'4321;
    std::uint32_t number = 0;
    for (unsigned position = 1; position <= symbols; ++position) {
        number *= symbols + 1 - position;
        const unsigned symbol = label.at(position);
        if (symbol == 1) {
            smaller -= 0x1111'1111;
            continue;
        }
        const unsigned shift = 4 * (symbol - 2);
        number += (smaller >> shift) & 15u;
        smaller -= 0x1111'1110u << shift;
    }
    return node_at(number);
}

constexpr unsigned StarGraph::distance(NodeId from, NodeId to) const {
    const Label label = relative_label(from, to);
    unsigned links = 0;
    std::uint32_t seen = 0;
    for (unsigned start = 1; start <= symbols; ++start) {
        unsigned length = 0;
        for (unsigned place = start; ((seen >> place) & 1u) == 0; place = label.at(place)) {
            seen |= 1u << place;
            ++length;
        }
        if (length > 1)
            links += start == 1 ? length - 1 : length + 1;
    }
    return links;
}

} // namespace mesh
