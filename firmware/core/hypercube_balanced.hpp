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

/// The longest blocks of ones in a word, not cyclically: bit i of `starts` if one lies at
/// i .. i + length - 1. {0, 0} if there are none. 4 instructions for each place of the length.
struct Blocks {
    std::uint32_t starts;
    unsigned length;
};

[[gnu::always_inline]] constexpr Blocks longest_blocks(std::uint32_t word) {
    Blocks blocks{0, 0};
    for (; word != 0; word &= word >> 1) {
        blocks.starts = word;
        ++blocks.length;
    }
    return blocks;
}

[[gnu::always_inline]] constexpr std::uint32_t zeroes(Hypercube cube, std::uint32_t word) {
    return ~word & cube.ports();
}

/// Bits in the opposite order.
constexpr std::uint32_t mirror(Hypercube cube, std::uint32_t word) {
    word = ((word >> 1) & 0x5555'5555u) | ((word & 0x5555'5555u) << 1);
    word = ((word >> 2) & 0x3333'3333u) | ((word & 0x3333'3333u) << 2);
    word = ((word >> 4) & 0x0F0F'0F0Fu) | ((word & 0x0F0F'0F0Fu) << 4);
    word = ((word >> 8) & 0x00FF'00FFu) | ((word & 0x00FF'00FFu) << 8);
    return ((word >> 16) | (word << 16)) >> (32u - cube.dim);
}

[[gnu::always_inline]] constexpr unsigned wrap(Hypercube cube, unsigned position) {
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

/// Least right rotation, of several alike the one with the smallest count. Precondition: not 0.
constexpr Turned least_right(Hypercube cube, std::uint32_t address) {
    const unsigned low = lowest_bit(address);
    const std::uint32_t word = address >> low; // a rotation: only zeroes drop out
    const Blocks blocks = longest_blocks(zeroes(cube, word));
    if (blocks.length == 0)
        return {address, 0};
    const std::uint32_t past = blocks.starts << blocks.length;
    std::uint32_t ends = (past | (past >> cube.dim)) & cube.ports();
    Turned best{~0u, 0};
    for (; ends != 0; ends &= ends - 1) {
        const unsigned end = lowest_bit(ends);
        const Turned at{rotate_right(word, end, cube.dim), wrap(cube, low + end)};
        if (at.word < best.word || (at.word == best.word && at.count < best.count))
            best = at;
    }
    return best;
}

/// True if no rotation of `word` is less, and none that is equal has `count` or fewer steps. The
/// word leads with `lead` zeroes, which no other block of it exceeds, and ends with a one.
constexpr bool is_least(Hypercube cube, std::uint32_t word, unsigned lead, unsigned count) {
    std::uint32_t starts = zeroes(cube, word);
    for (unsigned length = 1; length < lead; ++length)
        starts &= starts >> 1;
    std::uint32_t ends = (starts << lead) & cube.ports(); // without the leading block
    for (; ends != 0; ends &= ends - 1) {
        const unsigned turn = lowest_bit(ends);
        const std::uint32_t other = rotate_right(word, turn, cube.dim);
        if (other <= word)
            return other == word && count < turn;
    }
    return true;
}

/// Children for minr. `lowest_only` true: the tree, where a cyclic node belongs to its lowest
/// subtree; false: the graph sbg. Let the address, turned, lead with `lead` zeroes, and `other` be
/// its next longest block. A one at `gap` places from the highest one leaves lead-1-gap leading
/// zeroes: it is a child while they outnumber `other` and `gap`, and none when they fall short of
/// either. Only where they are equal in number must the rotations be compared.
constexpr Fan minr_fan(Hypercube cube, std::uint32_t address, bool lowest_only) {
    if (address == 0)
        return {cube.ports(), 0};
    const unsigned low = lowest_bit(address);
    const std::uint32_t word = address >> low;
    const std::uint32_t gaps = zeroes(cube, word);
    const Blocks blocks = longest_blocks(gaps);
    if ((blocks.starts & (blocks.starts - 1)) != 0 || gaps == 0)
        return {0, 0}; // of two longest blocks neither can give up a zero
    const unsigned lead = blocks.length;
    const unsigned above = lowest_bit(blocks.starts); // the place left of the highest one, turned
    const unsigned other = longest_blocks(gaps & ~(low_bits(lead) << above)).length;
    unsigned gap = lead / 2 < lead - 1 - other ? lead / 2 : lead - 1 - other;
    const unsigned left = lead - 1 - gap;
    if (gap <= left && other <= left) {
        const unsigned turn = wrap(cube, above + lead);
        const std::uint32_t child =
            rotate_right(word, turn, cube.dim) | (1u << (cube.dim - 1u - left));
        const unsigned count = lowest_only ? wrap(cube, low + turn) : 0;
        if (left == 0 ? count == 0 : is_least(cube, child, left, count))
            ++gap;
    }
    const unsigned first = wrap(cube, low + above);
    return {rotate_left(low_bits(gap), first, cube.dim), first};
}

/// Greatest left rotation, of several alike the one with the smallest count. Precondition: neither
/// 0 nor all ones.
constexpr Turned greatest_left(Hypercube cube, std::uint32_t address) {
    // Turned by `low` a zero comes last, so that no block of ones goes round the end.
    const unsigned low = lowest_bit(~address);
    const std::uint32_t word = rotate_right(address, low, cube.dim);
    const Blocks blocks = longest_blocks(word);
    const unsigned to_top = cube.dim - blocks.length;
    Turned best{0, 0};
    for (std::uint32_t starts = blocks.starts; starts != 0; starts &= starts - 1) {
        const unsigned turn = to_top - lowest_bit(starts);
        const unsigned count = turn >= low ? turn - low : turn + cube.dim - low;
        const std::uint32_t turned = rotate_left(word, turn, cube.dim);
        if (turned > best.word || (turned == best.word && count < best.count))
            best = {turned, count};
    }
    return best;
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

/// The trailing zeroes of the greatest rotation, less those where a new one would start a block of
/// its own that comes before the leading one: there the gap below it must be longer than the gap
/// after the leading block; where they are equal the rest decides. Next to the lowest block it
/// starts none.
constexpr std::uint32_t maxl_free_places(Hypercube cube, Turned at, unsigned top, unsigned next) {
    const unsigned below = lowest_bit(at.word); // >= 1
    const unsigned gap = top - 1 - next;
    if (gap + 1 >= below)
        return 1u << (below - 1);
    const std::uint32_t child = at.word | (1u << gap);
    const std::uint32_t turned = rotate_left(child, top - gap, cube.dim);
    const bool fits = child > turned || (child == turned && at.count < top - gap);
    return low_bits(below) & ~low_bits(gap + (fits ? 0u : 1u));
}

/// Children for maxl, in the frame of the greatest rotation.
constexpr std::uint32_t maxl_places(Hypercube cube, Turned at) {
    const unsigned top = cube.dim - 1u;
    const std::uint32_t rest = at.word & low_bits(top);
    if ((at.word | 1u) == cube.ports())
        return at.count == 0 ? 1u : 0u;
    if (rest == 0) { // one 1: the new one must not be nearer to it round the end
        const bool split = cube.dim % 2 == 0 && at.count >= cube.dim / 2u;
        return low_bits(top) & ~low_bits(top / 2 + (split ? 1u : 0u));
    }
    std::uint32_t places = maxl_free_places(cube, at, top, highest_bit(rest));
    // Rivals are the blocks as long as the leading one and, as it may grow, the lowest block.
    const unsigned lead = top + 1u - std::bit_width(at.word ^ cube.ports());
    std::uint32_t tops = at.word;
    for (unsigned length = 1; length < lead; ++length)
        tops &= tops << 1;
    const std::uint32_t lowest = at.word + lowest_one(at.word); // carries to its top
    tops |= (lowest & ~at.word) >> 1;
    tops &= rest & ~(at.word >> 1);
    for (; tops != 0 && places != 0; tops &= tops - 1)
        places = maxl_keep(cube, at, top - lowest_bit(tops), places);
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
