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

/// Address bits in the opposite order.
[[gnu::always_inline]] constexpr std::uint32_t mirror(Hypercube cube, std::uint32_t word) {
    return reverse_bits(word) >> (32u - cube.dim);
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

/// True if no rotation of `word` exceeds it and, of several alike, `count` steps to it are the
/// fewest. The word begins with a block of `lead` ones, has none longer and ends with a zero. Only
/// a rotation that begins with as long a block can be greater. Each is compared up to where it
/// falls behind, and the next begins past that place; one that never does makes the word periodic.
constexpr bool is_greatest(Hypercube cube, std::uint32_t word, unsigned lead, unsigned count) {
    std::uint32_t tops = word;
    for (unsigned length = 1; length < lead; ++length)
        tops &= tops << 1;
    const std::uint32_t line = word << (32u - cube.dim); // the first bit leads
    std::uint32_t starts = (tops << (32u - cube.dim)) & 0x7FFF'FFFFu;
    while (starts != 0) {
        const unsigned turn = static_cast<unsigned>(std::countl_zero(starts));
        const std::uint32_t moved = line << turn;
        const unsigned alike = static_cast<unsigned>(std::countl_zero(line ^ moved));
        if (turn + alike >= cube.dim)
            return cube.dim % turn == 0 && count < turn;
        if (((moved << alike) >> 31) != 0)
            return false;
        starts &= 0x7FFF'FFFFu >> (turn + alike);
    }
    return true;
}

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

/// Children for minr. `lowest_only` true: the tree, where a cyclic node belongs to its lowest
/// subtree; false: the graph sbg. Let the address, turned, lead with `lead` zeroes, and `other` be
/// its next longest block. A one at `gap` places from the highest one leaves lead-1-gap leading
/// zeroes: it is a child while they outnumber `other` and `gap`, and none when they fall short of
/// either. Only where they are equal in number must the rotations be compared.
constexpr Fan minr_fan(Hypercube cube, std::uint32_t address, bool lowest_only) {
    if (address == 0)
        return {cube.ports(), 0};
    const unsigned low = lowest_bit(address);
    const std::uint32_t word = address >> low; // a rotation: only zeroes drop out
    // `above` is the place left of the one that the longest block of zeroes begins behind. It is
    // the block that goes round the end, unless an inner one is longer.
    unsigned above = static_cast<unsigned>(std::bit_width(word));
    const std::uint32_t gaps = ~word & low_bits(above);
    const Blocks inner = longest_blocks(gaps);
    unsigned lead = cube.dim - above;
    unsigned other = inner.length;
    if (lead < other) {
        if ((inner.starts & (inner.starts - 1)) != 0)
            return {0, 0};
        above = lowest_bit(inner.starts);
        const unsigned rest = longest_blocks(gaps & ~(low_bits(other) << above)).length;
        const unsigned outer = lead;
        lead = other;
        other = rest > outer ? rest : outer;
    }
    if (lead == other)
        return {0, 0}; // of two longest blocks neither can give up a zero
    unsigned gap = lead / 2 < lead - 1 - other ? lead / 2 : lead - 1 - other;
    const unsigned left = lead - 1 - gap;
    if (gap <= left && other <= left) {
        const unsigned turn = wrap(cube, above + lead);
        const std::uint32_t child =
            rotate_right(word, turn, cube.dim) | (1u << (cube.dim - 1u - left));
        const unsigned count = lowest_only ? wrap(cube, low + turn) : 0;
        if (left == 0 ? count == 0 : is_greatest(cube, zeroes(cube, child), left, count))
            ++gap;
    }
    const unsigned first = wrap(cube, low + above);
    return {rotate_left(low_bits(gap), first, cube.dim), first};
}

/// Tops of the longest cyclic blocks of ones, and their length. Precondition: neither 0 nor all
/// ones.
struct Tops {
    std::uint32_t set;
    unsigned length;
};

[[gnu::always_inline]] constexpr Tops longest_tops(Hypercube cube, std::uint32_t address) {
    // Turned so that a zero comes last no block goes round the end.
    const unsigned low = lowest_bit(~address);
    const Blocks blocks = longest_blocks(rotate_right(address, low, cube.dim));
    return {rotate_left(blocks.starts << (blocks.length - 1), low, cube.dim), blocks.length};
}

/// Greatest left rotation, of several alike the one with the smallest count: one of those that
/// bring a top to the front.
[[gnu::always_inline]] constexpr Turned greatest_left(Hypercube cube, std::uint32_t address,
                                                      std::uint32_t tops) {
    Turned best{0, 0};
    for (tops <<= 32u - cube.dim; tops != 0;) {
        const unsigned count = static_cast<unsigned>(std::countl_zero(tops));
        tops &= ~(0x8000'0000u >> count);
        const std::uint32_t word = rotate_left(address, count, cube.dim);
        if (word > best.word)
            best = {word, count};
    }
    return best;
}

/// Children for maxl in the frame of the greatest rotation, when its leading block is longer than
/// any other: the zeroes at the end. Not the last one, which would lengthen the leading block round
/// the end; beside the lowest block only if that, longer by one, still comes second.
constexpr std::uint32_t maxl_places_after_longest(Hypercube cube, Turned at, unsigned lead) {
    const unsigned below = lowest_bit(at.word); // zeroes at the end, 1 or more
    const std::uint32_t last = 1u << (below - 1);
    std::uint32_t doubtful = 0;
    std::uint32_t places = low_bits(below) & ~1u;
    if (lead == 1) { // a single one: the new one must not be nearer to it round the end
        doubtful = below % 2 == 1 ? 1u << (below / 2) : 0u;
        places = low_bits(below) & ~low_bits(below / 2);
    } else if (below == 1) {
        return at.count == 0 && (at.word | 1u) == cube.ports() ? 1u : 0u;
    } else if (lowest_bit(~(at.word >> below)) + 1 == lead) {
        doubtful = last;
    }
    if (doubtful != 0 && !is_greatest(cube, at.word | doubtful, lead, at.count))
        places ^= doubtful;
    return places;
}

/// The nearest edge of the blocks with tops `rivals`, which are as long as the leading one. Brought
/// to the front a rival falls behind at its edge: a new one below keeps it behind, above puts it
/// ahead, and at the edge the rest decides. Not below 0, and kNoEdge if a rival comes to the end
/// before it falls behind.
inline constexpr unsigned kNoEdge = 32;
constexpr unsigned maxl_nearest_edge(Hypercube cube, Turned at, unsigned lead,
                                     std::uint32_t rivals) {
    unsigned nearest = kNoEdge;
    for (std::uint32_t ones = at.word & low_bits(cube.dim - lead); rivals != 0;) {
        if (ones == 0)
            return kNoEdge;
        const unsigned one = highest_bit(ones);
        ones ^= 1u << one;
        const unsigned depth = cube.dim - 1u - one;
        const std::uint32_t fallen = rivals & ~(at.word << depth);
        if (fallen == 0)
            continue;
        rivals ^= fallen;
        const unsigned top = lowest_bit(fallen);
        if (top < depth)
            return kNoEdge;
        nearest = top - depth < nearest ? top - depth : nearest;
    }
    return nearest;
}

/// The same children when several blocks are as long as the leading one. If these are single ones,
/// a new one must find a longer gap below it than the leading one does, or as long a one and then
/// be compared, and cannot be beside the lowest; if they are longer, the place beside the lowest
/// block is compared if that becomes a rival.
constexpr std::uint32_t maxl_places_among_equals(Hypercube cube, Turned at, unsigned lead) {
    const unsigned top = cube.dim - 1u;
    const unsigned below = lowest_bit(at.word);
    const unsigned gap = top - 1 - highest_bit(at.word ^ (1u << top));
    std::uint32_t places = lead > 1 ? low_bits(below) & ~1u : low_bits(below - 1) & ~low_bits(gap);
    if (places == 0)
        return 0;
    std::uint32_t tops = at.word;
    for (unsigned length = 1; length < lead; ++length)
        tops &= tops << 1;
    tops &= low_bits(top) & ~(at.word >> 1);
    const unsigned edge = maxl_nearest_edge(cube, at, lead, tops);
    if (edge == kNoEdge)
        return 0;
    places &= low_bits(edge + 1);
    std::uint32_t doubtful = places & ((1u << edge) | (1u << gap) | (1u << (below - 1)));
    for (; doubtful != 0; doubtful &= doubtful - 1) {
        const std::uint32_t place = lowest_one(doubtful);
        if (!is_greatest(cube, at.word | place, lead, at.count))
            places ^= place;
    }
    return places;
}

constexpr Fan maxl_fan(Hypercube cube, std::uint32_t address) {
    if (address == 0 || address == cube.ports())
        return {address ^ cube.ports(), cube.dim - 1u};
    const Tops tops = longest_tops(cube, address);
    const Turned at = greatest_left(cube, address, tops.set);
    const bool several = (tops.set & (tops.set - 1)) != 0;
    const std::uint32_t places = several ? maxl_places_among_equals(cube, at, tops.length)
                                         : maxl_places_after_longest(cube, at, tops.length);
    const unsigned first = wrap(cube, lowest_bit(at.word) - 1u + cube.dim - at.count);
    return {rotate_right(places, at.count, cube.dim), first};
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
    if (address == cube.ports())
        return 0;
    const Turned at = greatest_left(cube, address, longest_tops(cube, address).set);
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
/// sbnt-minr, parents() are all. A packet for one node names by Hop::subtree the subtree it takes.
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
    /// By the first bit still wrong, from the subtree's own dimension upward, cyclically.
    static constexpr Port toward(Hypercube cube, const Hop& hop, NodeId destination) {
        const unsigned start = hop.subtree < cube.dim ? hop.subtree : 0u;
        const std::uint32_t wrong = index(hop.self) ^ index(destination);
        return port_at(
            detail::wrap(cube, lowest_bit(rotate_right(wrong, start, cube.dim)) + start));
    }
    /// The same path backward: the last of these bits.
    static constexpr Port homeward(Hypercube cube, const Hop& hop) {
        const unsigned start = hop.subtree < cube.dim ? hop.subtree : 0u;
        const std::uint32_t wrong = detail::seen_from_root(hop);
        return port_at(
            detail::wrap(cube, highest_bit(rotate_right(wrong, start, cube.dim)) + start));
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
