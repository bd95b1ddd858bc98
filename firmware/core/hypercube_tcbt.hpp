// tcbt: the complete binary tree with two adjacent roots, which fills the cube. The source is one
// root, the node across the highest dimension the other.
//
// The tree of n dimensions is two trees of n-1, each turned so that the roots come to lie right:
// walk down the dimensions, remember where the upper half turned its dimensions by pi, and turn the
// answer back on the way out. (ho-johnsson-1986, 3.4; construction as in PAPERS.md)
#pragma once

#include "core/bits.hpp"
#include "core/hypercube.hpp"
#include "core/rules.hpp"

namespace mesh {

namespace detail {

/// pi of a cube of `dim` dimensions (2 or more): dim-2 goes to dim-1, dim-1 to 0, 0 to dim-2.
constexpr unsigned tcbt_turn(unsigned dimension, unsigned dim) {
    if (dimension == dim - 2)
        return dim - 1;
    if (dimension == dim - 1)
        return 0;
    return dimension == 0 ? dim - 2 : dimension;
}

/// Address bits moved by the inverse of pi.
constexpr std::uint32_t tcbt_turn_back(std::uint32_t address, unsigned dim) {
    const std::uint32_t moved = (1u << (dim - 1)) | (1u << (dim - 2)) | 1u;
    std::uint32_t turned = address & ~moved;
    turned |= ((address >> (dim - 1)) & 1u) << (dim - 2);
    turned |= (address & 1u) << (dim - 1);
    if (dim > 2)
        turned |= (address >> (dim - 2)) & 1u;
    return turned;
}

} // namespace detail

/// Port to the parent, in O(dim) steps. Precondition: not the root.
constexpr Port tcbt_parent(Hypercube cube, Relative relative) {
    std::uint32_t address = index(relative);
    std::uint32_t turns = 0; // bit m: the answer found below dimension m is turned by pi of m
    unsigned dim = cube.dim;
    unsigned found = 0;
    for (;; --dim) {
        const unsigned top = dim - 1;
        if (dim <= 2) {
            found = address == 2 ? 1u : 0u;
            break;
        }
        if ((address >> top) == 0) {
            address ^= 1u << (top - 1);
            if (address == 0 || address == (1u << (top - 1)) + 1u) {
                found = address == 0 ? top - 1 : top;
                break;
            }
        } else {
            address = detail::tcbt_turn_back(address & low_bits(top), top);
            if ((address & ~(1u << (top - 2))) == 0) {
                found = top;
                break;
            }
            turns |= 1u << top;
        }
    }
    for (; turns != 0; turns &= turns - 1)
        found = detail::tcbt_turn(found, lowest_bit(turns));
    return port_at(found);
}

/// Children as bits: the neighbours whose parent this node is.
constexpr std::uint32_t tcbt_children(Hypercube cube, Relative relative) {
    std::uint32_t children = 0;
    for (unsigned dimension = 0; dimension < cube.dim; ++dimension) {
        const std::uint32_t other = index(relative) ^ (1u << dimension);
        if (other != 0 && tcbt_parent(cube, Relative{other}) == port_at(dimension))
            children |= 1u << dimension;
    }
    return children;
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
