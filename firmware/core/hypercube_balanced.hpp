// Spanning balanced trees of the cube: sbnt-minr (bst), sbnt-maxl, sbnt-minbl, sbnt-maxbr, the
// balanced graph sbg, and alt.
//
// All rotations of an address form a necklace; the rotation that is least (minr) or greatest (maxl)
// says to which of the n nearly equal subtrees an address belongs. The least rotation begins with
// the longest block of zeroes, so only those rotations are looked at, and children come from the
// lengths of the blocks, not from trying each. minbl and maxbr are minr and maxl seen in a mirror.
// (ho-johnsson-1988, 2 to 4)
#pragma once

#include "core/bits.hpp"
#include "core/hypercube.hpp"
#include "core/rules.hpp"

namespace mesh {

namespace detail {

/// The longest cyclic blocks of ones: bit i of `starts` if one lies at i .. i + length - 1.
struct Blocks {
    std::uint32_t starts;
    unsigned length;
};

/// Precondition: `word` is not all ones. {0, 0} if there are no ones.
constexpr Blocks longest_blocks(Hypercube cube, std::uint32_t word) {
    Blocks blocks{0, 0};
    for (; word != 0; word &= rotate_right(word, 1, cube.dim)) {
        blocks.starts = word;
        ++blocks.length;
    }
    return blocks;
}

constexpr std::uint32_t zeroes(Hypercube cube, std::uint32_t word) { return ~word & cube.ports(); }

/// Bits in the opposite order.
constexpr std::uint32_t mirror(Hypercube cube, std::uint32_t word) {
    word = ((word >> 1) & 0x5555'5555u) | ((word & 0x5555'5555u) << 1);
    word = ((word >> 2) & 0x3333'3333u) | ((word & 0x3333'3333u) << 2);
    word = ((word >> 4) & 0x0F0F'0F0Fu) | ((word & 0x0F0F'0F0Fu) << 4);
    word = ((word >> 8) & 0x00FF'00FFu) | ((word & 0x00FF'00FFu) << 8);
    return ((word >> 16) | (word << 16)) >> (32u - cube.dim);
}

constexpr unsigned wrap(Hypercube cube, unsigned position) {
    return position < cube.dim ? position : position - cube.dim;
}

/// Where a node sends: a bit set and the dimension that the order starts from.
struct Fan {
    std::uint32_t set;
    unsigned first;
};

/// An address in the rotation that its subtree is seen from: `count` right (minr) or left (maxl).
struct Turned {
    std::uint32_t word;
    unsigned count;
};

/// Least right rotation, of several alike the one with the smallest count.
constexpr Turned least_right(Hypercube cube, std::uint32_t address) {
    const Blocks blocks = longest_blocks(cube, zeroes(cube, address));
    Turned best{~0u, 0};
    for (std::uint32_t ends = rotate_left(blocks.starts, blocks.length, cube.dim); ends != 0;
         ends &= ends - 1) {
        const unsigned count = lowest_bit(ends);
        const std::uint32_t word = rotate_right(address, count, cube.dim);
        if (word < best.word)
            best = {word, count};
    }
    return blocks.length == 0 ? Turned{address, 0} : best;
}

/// Greatest left rotation, of several alike the one with the smallest count.
constexpr Turned greatest_left(Hypercube cube, std::uint32_t address) {
    if (address == cube.ports())
        return {address, 0};
    const Blocks blocks = longest_blocks(cube, address);
    Turned best{0, 0};
    std::uint32_t tops = rotate_left(blocks.starts, blocks.length - 1, cube.dim);
    while (tops != 0) {
        const unsigned top = highest_bit(tops);
        tops &= ~(1u << top);
        const std::uint32_t word = rotate_left(address, cube.dim - 1u - top, cube.dim);
        if (word > best.word)
            best = {word, cube.dim - 1u - top};
    }
    return best;
}

/// True if no rotation of `word` is less, and none that is equal has `count` or fewer steps.
/// `blocks` are its longest blocks of zeroes, one of them leading.
constexpr bool is_least(Hypercube cube, std::uint32_t word, Blocks blocks, unsigned count) {
    std::uint32_t ends = rotate_left(blocks.starts, blocks.length, cube.dim) & ~1u;
    for (; ends != 0; ends &= ends - 1) {
        const unsigned turn = lowest_bit(ends);
        const std::uint32_t other = rotate_right(word, turn, cube.dim);
        if (other <= word)
            return other == word && count < turn;
    }
    return true;
}

/// Children for minr. `count_limit` true: the tree, where a cyclic node belongs to its lowest
/// subtree only; false: the graph sbg. Let the address, turned, lead with `lead` zeroes, and z be
/// its longest other block. A one at `gap` places from the highest one leaves lead-1-gap leading
/// zeroes: it is a child while they outnumber z and gap, and none when they fall short of either.
/// Only where they are equal in number must the rotations be compared.
constexpr Fan minr_fan(Hypercube cube, std::uint32_t address, bool count_limit) {
    if (address == 0)
        return {cube.ports(), 0};
    const Blocks blocks = longest_blocks(cube, zeroes(cube, address));
    if ((blocks.starts & (blocks.starts - 1)) != 0 || blocks.length == 0)
        return {0, 0}; // of two longest blocks neither can give up a zero
    const unsigned lead = blocks.length;
    const unsigned count = wrap(cube, lowest_bit(blocks.starts) + lead);
    const std::uint32_t turned = rotate_right(address, count, cube.dim);
    const unsigned above = cube.dim - lead; // the place left of the highest one
    unsigned other = 0;
    for (std::uint32_t inner = ~turned & low_bits(above); inner != 0; inner &= inner >> 1)
        ++other;
    unsigned gap = lead / 2 < lead - 1 - other ? lead / 2 : lead - 1 - other;
    const unsigned left = lead - 1 - gap;
    if (gap <= left && other <= left) {
        const std::uint32_t child = turned | (1u << (above + gap));
        const Blocks rest = longest_blocks(cube, zeroes(cube, child));
        const unsigned limit = count_limit ? count : 0;
        if (left == 0 ? limit == 0 : is_least(cube, child, rest, limit))
            ++gap;
    }
    return {rotate_left(low_bits(gap) << above, count, cube.dim), wrap(cube, above + count)};
}

/// What is left of `places` (trailing zeroes of `turned`, the greatest rotation) when the rotation
/// by `turn`, which brings another block of ones to the top, must stay the lesser one. Where the
/// two first differ `turned` has the one: a new one below that place keeps the order, above it
/// breaks it, and at it the rest decides.
constexpr std::uint32_t maxl_keep(Hypercube cube, Turned at, unsigned turn, std::uint32_t places) {
    const std::uint32_t rival = rotate_left(at.word, turn, cube.dim);
    if (rival == at.word)
        return 0; // a cyclic node is a leaf
    const unsigned differ = highest_bit(at.word ^ rival);
    if (differ < turn)
        return 0;
    const unsigned edge = differ - turn;
    const std::uint32_t child = at.word | (1u << edge);
    const std::uint32_t turned = rival | (1u << differ);
    const bool fits = child > turned || (child == turned && at.count < turn);
    return places & low_bits(edge + (fits ? 1u : 0u));
}

/// Children for maxl, in the frame of the greatest rotation.
constexpr std::uint32_t maxl_places(Hypercube cube, Turned at) {
    const unsigned top = cube.dim - 1u;
    const std::uint32_t rest = at.word & low_bits(top);
    const unsigned zeroes_below = lowest_bit(at.word); // >= 1
    std::uint32_t places = low_bits(zeroes_below);
    if (zeroes_below == 1 && (at.word | 1u) == cube.ports())
        return at.count == 0 ? 1u : 0u;
    // A new block starts at its own top, so below the next block it must find longer a gap than
    // the one after the leading one. Next to the lowest block it starts none.
    const unsigned next = rest == 0 ? 0 : highest_bit(rest);
    if (rest == 0) {
        const unsigned half = cube.dim / 2;
        const bool split = cube.dim % 2 == 0 && at.count >= half;
        return places & ~low_bits((cube.dim - 1u) / 2 + (split ? 1u : 0u));
    }
    const unsigned gap = top - 1 - next;
    if (gap + 1 < zeroes_below) {
        const std::uint32_t child = at.word | (1u << gap);
        const std::uint32_t turned = rotate_left(child, top - gap, cube.dim);
        const bool fits = child > turned || (child == turned && at.count < top - gap);
        places &= ~low_bits(gap + (fits ? 0u : 1u));
    } else {
        places &= 1u << (zeroes_below - 1);
    }
    for (std::uint32_t tops = rest & ~(at.word >> 1); tops != 0 && places != 0;) {
        const unsigned start = highest_bit(tops);
        tops &= ~(1u << start);
        places = maxl_keep(cube, at, top - start, places);
    }
    return places;
}

constexpr Fan maxl_fan(Hypercube cube, std::uint32_t address) {
    const unsigned top = cube.dim - 1u;
    if (address == 0 || address == cube.ports())
        return {address ^ cube.ports(), top};
    const Turned at = greatest_left(cube, address);
    const unsigned first = wrap(cube, lowest_bit(at.word) - 1u + cube.dim - at.count);
    return {rotate_right(maxl_places(cube, at), at.count, cube.dim), first};
}

/// A fan seen in the mirror; the order turns round with it.
constexpr Fan mirrored(Hypercube cube, Fan fan) {
    return {mirror(cube, fan.set), cube.dim - 1u - fan.first};
}

constexpr unsigned minr_parent(Hypercube cube, std::uint32_t address) {
    const Turned at = least_right(cube, address);
    return wrap(cube, highest_bit(at.word) + at.count);
}

constexpr unsigned maxl_parent(Hypercube cube, std::uint32_t address) {
    const Turned at = greatest_left(cube, address);
    return wrap(cube, lowest_bit(at.word) + cube.dim - at.count);
}

constexpr unsigned minbl_parent(Hypercube cube, std::uint32_t address) {
    return cube.dim - 1u - minr_parent(cube, mirror(cube, address));
}

/// True if some rotation by less than `dim` leaves the address as it is.
constexpr bool is_cyclic(Hypercube cube, std::uint32_t address) {
    for (unsigned turn = 1; turn <= cube.dim / 2u; ++turn) {
        if (rotate_right(address, turn, cube.dim) == address)
            return true;
    }
    return false;
}

constexpr unsigned alt_parent(Hypercube cube, std::uint32_t address) {
    const unsigned taken = minr_parent(cube, address);
    if ((address & (address - 1)) == 0)
        return taken;
    const unsigned mirrored = minbl_parent(cube, address);
    if (mirrored != taken && !is_cyclic(cube, address ^ (1u << mirrored)))
        return mirrored;
    for (unsigned step = 1; step < cube.dim; ++step) {
        const unsigned port = wrap(cube, taken + cube.dim - step);
        if (((address >> port) & 1u) != 0 && !is_cyclic(cube, address ^ (1u << port)))
            return port;
    }
    return taken;
}

/// Ports to all parents in sbg: one for each rotation that is the least.
constexpr std::uint32_t sbg_parents(Hypercube cube, std::uint32_t address) {
    const Turned least = least_right(cube, address);
    std::uint32_t ports = 0;
    for (unsigned count = 0; count < cube.dim; ++count) {
        if (rotate_right(address, count, cube.dim) == least.word)
            ports |= 1u << wrap(cube, highest_bit(least.word) + count);
    }
    return ports;
}

constexpr std::uint32_t seen_from_root(const Hop& hop) { return index(hop.self) ^ index(hop.root); }

/// What the balanced trees have in common: T::parent_port(cube, address) for non-root nodes.
template <class T>
struct BalancedTree : SingleTree {
    static constexpr Port parent(Hypercube cube, const Hop& hop) {
        return hop.self == hop.root ? kNoPort : port_at(T::parent_port(cube, seen_from_root(hop)));
    }
    static constexpr unsigned height(Hypercube cube) { return cube.dim; }
};

} // namespace detail

struct SbntMinrTree : detail::BalancedTree<SbntMinrTree> {
    static constexpr Rule kRule = Rule::sbnt_minr;
    static constexpr std::string_view kName = "sbnt-minr";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        const detail::Fan fan = detail::minr_fan(cube, detail::seen_from_root(hop), true);
        return PortSequence::ascending(fan.set, fan.first);
    }
    static constexpr unsigned parent_port(Hypercube cube, std::uint32_t address) {
        return detail::minr_parent(cube, address);
    }
};

struct SbntMinblTree : detail::BalancedTree<SbntMinblTree> {
    static constexpr Rule kRule = Rule::sbnt_minbl;
    static constexpr std::string_view kName = "sbnt-minbl";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        const std::uint32_t address = detail::mirror(cube, detail::seen_from_root(hop));
        const detail::Fan fan = detail::mirrored(cube, detail::minr_fan(cube, address, true));
        return PortSequence::descending(fan.set, fan.first);
    }
    static constexpr unsigned parent_port(Hypercube cube, std::uint32_t address) {
        return detail::minbl_parent(cube, address);
    }
};

struct SbntMaxlTree : detail::BalancedTree<SbntMaxlTree> {
    static constexpr Rule kRule = Rule::sbnt_maxl;
    static constexpr std::string_view kName = "sbnt-maxl";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        const detail::Fan fan = detail::maxl_fan(cube, detail::seen_from_root(hop));
        return PortSequence::descending(fan.set, fan.first);
    }
    static constexpr unsigned parent_port(Hypercube cube, std::uint32_t address) {
        return detail::maxl_parent(cube, address);
    }
};

struct SbntMaxbrTree : detail::BalancedTree<SbntMaxbrTree> {
    static constexpr Rule kRule = Rule::sbnt_maxbr;
    static constexpr std::string_view kName = "sbnt-maxbr";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        const std::uint32_t address = detail::mirror(cube, detail::seen_from_root(hop));
        const detail::Fan fan = detail::mirrored(cube, detail::maxl_fan(cube, address));
        return PortSequence::ascending(fan.set, fan.first);
    }
    static constexpr unsigned parent_port(Hypercube cube, std::uint32_t address) {
        return cube.dim - 1u - detail::maxl_parent(cube, detail::mirror(cube, address));
    }
};

/// A graph, not a tree: a cyclic node has a parent in each of its subtrees. parent() is that of
/// sbnt-minr, parents() are all.
struct SbgGraph : SbntMinrTree {
    static constexpr Rule kRule = Rule::sbg;
    static constexpr std::string_view kName = "sbg";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        const detail::Fan fan = detail::minr_fan(cube, detail::seen_from_root(hop), false);
        return PortSequence::ascending(fan.set, fan.first);
    }
    static constexpr std::uint32_t parents(Hypercube cube, const Hop& hop) {
        return hop.self == hop.root ? 0u : detail::sbg_parents(cube, detail::seen_from_root(hop));
    }
};

/// Shares no link with sbnt-minr below level 1, so one of the two avoids any given link there.
struct AltTree : detail::BalancedTree<AltTree> {
    static constexpr Rule kRule = Rule::alt;
    static constexpr std::string_view kName = "alt";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        const std::uint32_t address = detail::seen_from_root(hop);
        std::uint32_t set = detail::zeroes(cube, address);
        for (std::uint32_t left = set; left != 0; left &= left - 1) {
            const unsigned port = lowest_bit(left);
            if (detail::alt_parent(cube, address | (1u << port)) != port)
                set &= ~(1u << port);
        }
        return PortSequence::ascending(set);
    }
    static constexpr unsigned parent_port(Hypercube cube, std::uint32_t address) {
        return detail::alt_parent(cube, address);
    }
};

} // namespace mesh
