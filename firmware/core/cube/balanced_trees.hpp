// Spanning balanced trees of the cube: sbnt-minr (bst), sbnt-maxl, sbnt-minbl, sbnt-maxbr, the
// balanced graph sbg, and alt.
//
// All rotations of an address form a necklace; the rotation that is least (minr) or greatest (maxl)
// says to which of the n nearly equal subtrees an address belongs. It begins with the longest block
// of zeroes (ones), so only such rotations are looked at; minr works on the complement, where the
// greatest is the one it wants. Children come from where the blocks lie, not from trying each.
// minbl and maxbr are minr and maxl seen in a mirror. (ho-johnsson-1988, 2 to 4; PAPERS.md)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/base/rules.hpp"
#include "core/cube/hypercube.hpp"

namespace mesh {

namespace detail {

/// The highest bits of the longest blocks of ones in a word, not cyclically; 0 for 0. Range below
/// 2^31. 2 instructions for each place of the length.
[[gnu::always_inline]] constexpr std::uint32_t longest_tops(std::uint32_t word) {
    for (;;) {
        const std::uint32_t shorter = word & (word << 1);
        if (shorter == 0)
            return word;
        word = shorter & (shorter << 1);
        if (word == 0)
            return shorter;
    }
}

/// Length of the block of ones whose highest bit is `top`. Range of `word`: below 2^31.
[[gnu::always_inline]] constexpr unsigned block_length(std::uint32_t word, unsigned top) {
    return leading_zeroes(~(word << (31u - top)));
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

/// Where a node sends: a bit set and the dimension that the order starts from, in one register.
class Fan {
public:
    constexpr Fan(std::uint32_t set, unsigned first) : packed_(set | (first << kFirstAt)) {}

    constexpr PortSequence ascending() const { return PortSequence::ascending(set(), first()); }
    constexpr PortSequence descending() const { return PortSequence::descending(set(), first()); }
    /// Seen in a mirror; the order turns round with it.
    constexpr PortSequence mirrored_ascending(Hypercube cube) const {
        return PortSequence::ascending(mirrored_set(cube), cube.dim - 1u - first());
    }
    constexpr PortSequence mirrored_descending(Hypercube cube) const {
        return PortSequence::descending(mirrored_set(cube), cube.dim - 1u - first());
    }

private:
    static constexpr unsigned kFirstAt = 24;
    static_assert(kDimMax <= kFirstAt);
    constexpr std::uint32_t set() const { return packed_ & low_bits(kFirstAt); }
    constexpr unsigned first() const { return packed_ >> kFirstAt; }
    constexpr std::uint32_t mirrored_set(Hypercube cube) const {
        return mirror(cube, packed_); // `first` drops out
    }
    std::uint32_t packed_;
};

/// The rotation to the left that makes a word the greatest, the first of several alike; these
/// follow each other by `period`, which is the dimension if there is but one. In one register.
class Turn {
public:
    constexpr Turn(unsigned count, unsigned period) : packed_(count | (period << 8)) {}

    constexpr unsigned count() const { return packed_ & 0xFFu; }
    constexpr unsigned period() const { return packed_ >> 8; }

private:
    std::uint32_t packed_;
};

/// The greatest rotation is one of those that bring a bit of `tops`, the highest ones of the
/// longest blocks, to the front.
constexpr Turn greatest_turn(Hypercube cube, std::uint32_t word, std::uint32_t tops) {
    std::uint32_t greatest = 0;
    unsigned found = 0;
    for (tops <<= 32u - cube.dim; tops != 0;) {
        const unsigned count = leading_zeroes(tops);
        tops ^= 0x8000'0000u >> count;
        const std::uint32_t moved = rotate_left(word, count, cube.dim);
        if (moved < greatest)
            continue;
        if (moved == greatest)
            return Turn(found, count - found);
        greatest = moved;
        found = count;
    }
    return Turn(found, cube.dim);
}

/// How many zeroes beside a single one can be turned without bringing a rotation ahead; the address
/// is `count` steps from its extreme rotation. In the middle of an even cube lies a cyclic node.
constexpr unsigned places_beside_single(Hypercube cube, unsigned count) {
    return (cube.dim - (2 * count >= cube.dim ? 1u : 0u)) / 2;
}

/// True if no rotation of the word in `line` exceeds it and, of several alike, `count` steps to it
/// are the fewest. Only those that begin at `starts`, its other blocks as long as the leading one,
/// can. Each is compared up to where it falls behind, and the next begins past that place; one
/// that never does makes the word periodic. The first bit of line and starts is bit 31.
constexpr bool is_greatest(Hypercube cube, std::uint32_t line, std::uint32_t starts,
                           unsigned count) {
    while (starts != 0) {
        const unsigned turn = leading_zeroes(starts);
        const std::uint32_t moved = line << turn;
        const unsigned alike = leading_zeroes(line ^ moved);
        if (turn + alike >= cube.dim)
            return cube.dim % turn == 0 && count < turn;
        if (line < moved)
            return false;
        starts &= 0x7FFF'FFFFu >> (turn + alike);
    }
    return true;
}

/// Children for minr. `lowest_only` true: the tree, where a cyclic node belongs to its lowest
/// subtree; false: the graph sbg. Let the address, turned, lead with `lead` zeroes, and `other` be
/// its next longest block. A one at `gap` places from the highest one leaves lead-1-gap leading
/// zeroes: it is a child while they outnumber `other` and are no fewer than `gap`, and none when
/// they fall short of either. Only where they number `other` must the rotations be compared.
constexpr Fan minr_fan(Hypercube cube, std::uint32_t address, bool lowest_only) {
    if (address == 0 || address == cube.ports())
        return Fan(address ^ cube.ports(), 0);
    const unsigned low = lowest_bit(address);
    const std::uint32_t gaps = zeroes(cube, address >> low); // turned: no block goes round the end
    const std::uint32_t tops = longest_tops(gaps);
    if ((tops & (tops - 1)) != 0)
        return Fan(0, 0); // of two longest blocks neither can give up a zero
    const unsigned turn = highest_bit(tops) + 1;
    const unsigned lead = block_length(gaps, turn - 1);
    const unsigned start = turn - lead;
    const unsigned count = lowest_only ? wrap(cube, low + turn) : 0;
    const unsigned first = wrap(cube, low + start);
    unsigned places = (lead + 1) / 2;
    if (lead + 1u == cube.dim) {
        places = places_beside_single(cube, lowest_only ? low : 0);
    } else {
        const std::uint32_t others = gaps & ~(low_bits(lead) << start);
        const std::uint32_t other_tops = longest_tops(others);
        const unsigned other = others == 0 ? 0 : block_length(others, highest_bit(other_tops));
        const unsigned sure = lead - 1 - other;
        if (sure < places) {
            places = sure;
            const std::uint32_t turned_one = 1u << (cube.dim - 1u - other); // was a zero
            const std::uint32_t child = rotate_right(gaps, turn, cube.dim) & ~turned_one;
            std::uint32_t starts = rotate_right(other_tops, turn, cube.dim);
            if (sure == other)
                starts |= turned_one >> 1;
            const unsigned spare = 32u - cube.dim;
            if (other == 0 ? count == 0 : is_greatest(cube, child << spare, starts << spare, count))
                ++places;
        }
    }
    return Fan(rotate_left(low_bits(places), first, cube.dim), first);
}

/// Of several blocks with these tops, the longest ones of `word`, keeps those that the fewest
/// zeroes follow; the places from one of these to the next block.
[[gnu::always_inline]] constexpr unsigned keep_nearest(Hypercube cube, std::uint32_t word,
                                                       std::uint32_t& tops) {
    unsigned distance = block_length(word, highest_bit(tops)) + 1;
    std::uint32_t ahead = (word << distance) | (word >> (cube.dim - distance));
    for (; (tops & ahead) == 0; ++distance) {
        ahead <<= 1;
        ahead |= ahead >> cube.dim;
    }
    tops &= ahead;
    return distance;
}

/// Children for maxl in the frame of the greatest rotation, which has several ones: zeroes at its
/// end. `rivals` are the other blocks that begin like the leading one. Brought to the front, a
/// later block falls behind at a zero; let the last of these zeroes be at `edge`, `period` from
/// the one it fell short of. A new one before the edge puts that block ahead, after it keeps all
/// behind; at the edge the block falls behind later, at a zero that stands against a one, or the
/// word becomes periodic. A new one after the edge leads a rotation itself: more zeroes must
/// follow it, up to the front, than follow the leading one.
[[gnu::always_inline]] constexpr std::uint32_t maxl_places(Hypercube cube, std::uint32_t word,
                                                           std::uint32_t rivals, unsigned count) {
    const unsigned spare = 32u - cube.dim;
    const unsigned end = cube.dim - lowest_bit(word);
    const std::uint32_t line = word << spare;
    const std::uint32_t rest = line << 1 >> 1;
    rivals = (rivals << spare << 1 >> 1) |
             (((rest + lowest_one(rest)) & ~rest) >> 1); // and the last block
    unsigned period = 0;
    unsigned edge = 0;
    do { // ends: the last block gets to `end` at least
        rivals &= ~0u >> edge;
        period = leading_zeroes(rivals);
        edge = period + leading_zeroes(line ^ (line << period));
    } while (edge < end);
    if (edge >= cube.dim)
        return 0;
    const unsigned doubtful = cube.dim - 1u - edge;
    const unsigned gap = leading_zeroes(rest) - 1;
    std::uint32_t places = low_bits(doubtful) & ~low_bits(gap + 1);
    const std::uint32_t child = word | (1u << doubtful);
    if (((child >> period) & low_bits(doubtful)) != 0 || (cube.dim % period == 0 && count < period))
        places |= 1u << doubtful;
    return places;
}

/// At the source, or where the address is a single one.
constexpr Fan maxl_fan_of_single(Hypercube cube, std::uint32_t address) {
    if (address == 0)
        return Fan(cube.ports(), cube.dim - 1u);
    const unsigned one = highest_bit(address);
    const unsigned places = places_beside_single(cube, cube.dim - 1u - one);
    const unsigned first = wrap(cube, one + cube.dim - places);
    return Fan(rotate_left(low_bits(places), first, cube.dim), one);
}

constexpr Fan maxl_fan(Hypercube cube, std::uint32_t address) {
    if (address == cube.ports())
        return Fan(0, 0);
    if ((address & (address - 1)) == 0)
        return maxl_fan_of_single(cube, address);
    const unsigned low = lowest_bit(~address);
    const std::uint32_t turned = rotate_right(address, low, cube.dim);
    std::uint32_t tops = longest_tops(turned);
    std::uint32_t best = tops;
    if ((tops & (tops - 1)) != 0) {
        // Of blocks that follow each other at the same distance the first comes before the others.
        const unsigned distance = keep_nearest(cube, turned, tops);
        best = tops & ~rotate_right(tops, distance, cube.dim);
        if (best == 0)
            return Fan(0, 0);
    }
    unsigned ahead = cube.dim - 1u - highest_bit(best);
    if ((best & (best - 1)) != 0) {
        const Turn turn = greatest_turn(cube, turned, best);
        if (turn.period() != cube.dim)
            return Fan(0, 0);
        ahead = turn.count();
    }
    const std::uint32_t word = rotate_left(turned, ahead, cube.dim);
    const unsigned count = wrap(cube, ahead + cube.dim - low);
    const std::uint32_t rivals = (tops << ahead) | (tops >> (cube.dim - ahead));
    const std::uint32_t places = maxl_places(cube, word, rivals, count);
    return Fan(rotate_right(places, count, cube.dim), cube.dim - 1u - count);
}

constexpr unsigned minr_parent(Hypercube cube, std::uint32_t address) {
    if (address == cube.ports())
        return cube.dim - 1u;
    const unsigned low = lowest_bit(address);
    const std::uint32_t gaps = zeroes(cube, address >> low);
    const Turn turn = greatest_turn(cube, gaps, longest_tops(gaps));
    const unsigned count = (low + cube.dim - turn.count()) % turn.period();
    const unsigned lead = block_length(gaps, cube.dim - 1u - turn.count());
    return wrap(cube, cube.dim - 1u - lead + count);
}

constexpr unsigned maxl_parent(Hypercube cube, std::uint32_t address) {
    if (address == cube.ports())
        return 0;
    const unsigned low = lowest_bit(~address);
    const std::uint32_t turned = rotate_right(address, low, cube.dim);
    const Turn turn = greatest_turn(cube, turned, longest_tops(turned));
    const unsigned count = (turn.count() + cube.dim - low) % turn.period();
    return wrap(cube, lowest_bit(rotate_left(turned, turn.count(), cube.dim)) + cube.dim - count);
}

constexpr unsigned minbl_parent(Hypercube cube, std::uint32_t address) {
    return cube.dim - 1u - minr_parent(cube, mirror(cube, address));
}

/// The parent in sbnt-minbl; where that is the parent in sbnt-minr too, the next one to the right
/// of it, cyclically.
constexpr unsigned alt_parent(Hypercube cube, std::uint32_t address) {
    const unsigned taken = minr_parent(cube, address);
    if ((address & (address - 1)) == 0)
        return taken;
    const unsigned mirrored = minbl_parent(cube, address);
    if (mirrored != taken)
        return mirrored;
    const std::uint32_t right = address & low_bits(taken);
    return highest_bit(right != 0 ? right : address);
}

/// The only child that can have its parent next to the one that both sbnt-minr and sbnt-minbl take:
/// this one has a longest block on either side, so in `address` it ends the single longest block.
/// Precondition: neither 0 nor all ones. The port may be that of a one.
constexpr unsigned alt_candidate(Hypercube cube, std::uint32_t address) {
    MESH_EXPECT(address != 0 && address != cube.ports());
    const unsigned low = lowest_bit(address);
    const std::uint32_t turned = address >> low;
    const unsigned above = highest_bit(longest_tops(zeroes(cube, turned))) + 1;
    const std::uint32_t next = (rotate_right(turned, above, cube.dim) & ~1u) | (1u << cube.dim);
    const unsigned distance = lowest_bit(next); // of a single one to itself
    return wrap(cube, wrap(cube, low + above) + cube.dim - distance);
}

/// Ports to all parents in sbg: a cyclic node is alike in each of its periods.
constexpr std::uint32_t sbg_parents(Hypercube cube, std::uint32_t address) {
    const std::uint32_t one = 1u << minr_parent(cube, address);
    std::uint32_t ports = 0;
    for (unsigned count = 0; count < cube.dim; ++count) {
        if (rotate_right(address, count, cube.dim) == address)
            ports |= rotate_right(one, count, cube.dim);
    }
    return ports;
}

constexpr std::uint32_t seen_from_root(const Hop& hop) { return index(hop.self) ^ index(hop.root); }

/// The common part of the balanced trees: T::parent_port(cube, address) for non-root nodes.
template <class T>
struct BalancedTree : SingleTree {
    static constexpr Port parent(Hypercube cube, const Hop& hop) {
        return hop.self == hop.root ? kNoPort : port_at(T::parent_port(cube, seen_from_root(hop)));
    }
    static constexpr unsigned height(Hypercube cube) { return cube.dim; }
};

} // namespace detail

/// Example (sbnt-minr, n = 4): node 0110 of root 0000. Turned right by 1 it is 0011, its least
/// rotation, which leads with two zeroes. The parent lacks the highest one of 0011, bit 1, turned
/// back dimension 2: 0010. A child has a one more to the left. At gap 0 it is 0111, which is the
/// least of its rotations too: a child, turned back across dimension 3: 1110. At gap 1 it is 1011,
/// whose least rotation is another one, 0111: no child. By the formula of minr_fan(): lead 2, other
/// 0, and lead-1-gap is 1 for gap 0 (more than other, no less than gap) and 0 for gap 1 (less than
/// gap).
struct SbntMinrTree : detail::BalancedTree<SbntMinrTree> {
    static constexpr Rule kRule = Rule::sbnt_minr;
    static constexpr std::string_view kName = "sbnt-minr";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        return detail::minr_fan(cube, detail::seen_from_root(hop), true).ascending();
    }
    static constexpr unsigned parent_port(Hypercube cube, std::uint32_t address) {
        return detail::minr_parent(cube, address);
    }
};

/// sbnt-minr in a mirror: bit d becomes bit n-1-d, and the order turns round.
/// Example (sbnt-minbl, n = 4): node 1000 is 0001 in the mirror. There it has children across 1 and
/// 2, in this order. Back from the mirror these are 3-1 = 2 and 3-2 = 1: it serves 1100, then 1010.
/// Node 0011 is 1100, whose parent lies across 3: so its own lies across 0, 0010.
struct SbntMinblTree : detail::BalancedTree<SbntMinblTree> {
    static constexpr Rule kRule = Rule::sbnt_minbl;
    static constexpr std::string_view kName = "sbnt-minbl";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        const std::uint32_t address = detail::mirror(cube, detail::seen_from_root(hop));
        return detail::minr_fan(cube, address, true).mirrored_descending(cube);
    }
    static constexpr unsigned parent_port(Hypercube cube, std::uint32_t address) {
        return detail::minbl_parent(cube, address);
    }
};

/// Example (sbnt-maxl, n = 4): node 0110 of root 0000. Its greatest rotation is 1100, one step to
/// the left. The parent lacks the lowest one of 1100, bit 2, turned back to the right dimension 1:
/// 0100. A child has a one more to the right: 1110 is the greatest of its rotations, so bit 1,
/// turned back dimension 0, leads to the child 0111. 1101 is not, for 1110 exceeds it: no child.
struct SbntMaxlTree : detail::BalancedTree<SbntMaxlTree> {
    static constexpr Rule kRule = Rule::sbnt_maxl;
    static constexpr std::string_view kName = "sbnt-maxl";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        return detail::maxl_fan(cube, detail::seen_from_root(hop)).descending();
    }
    static constexpr unsigned parent_port(Hypercube cube, std::uint32_t address) {
        return detail::maxl_parent(cube, address);
    }
};

/// sbnt-maxl in a mirror.
/// Example (sbnt-maxbr, n = 4): node 0111 is 1110 in the mirror. There its parent lies across 1
/// (1100) and its only child across 0 (1111). Back from the mirror: the parent across 3-1 = 2
/// (0011), the child across 3-0 = 3 (1111).
struct SbntMaxbrTree : detail::BalancedTree<SbntMaxbrTree> {
    static constexpr Rule kRule = Rule::sbnt_maxbr;
    static constexpr std::string_view kName = "sbnt-maxbr";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        const std::uint32_t address = detail::mirror(cube, detail::seen_from_root(hop));
        return detail::maxl_fan(cube, address).mirrored_ascending(cube);
    }
    static constexpr unsigned parent_port(Hypercube cube, std::uint32_t address) {
        return cube.dim - 1u - detail::maxl_parent(cube, detail::mirror(cube, address));
    }
};

/// A graph, not a tree: a cyclic node has a parent in each of its subtrees. parent() is that of
/// sbnt-minr, parents() are all. A packet for one node names by Hop::subtree the subtree it takes.
/// Example (sbg, n = 4): 0101 looks the same when it is turned by 2, so it is in subtrees 0 and 2.
/// In sbnt-minr its parent lies across 2: 0001. Turned by 2 that is dimension 0: the other parent
/// is 0100. The packet of subtree 2 crosses bit 2 first, then upward and cyclically bit 0: 0000
/// 0100 0101. Homeward it crosses bit 0, the last of these, first.
struct SbgGraph : SbntMinrTree {
    static constexpr Rule kRule = Rule::sbg;
    static constexpr std::string_view kName = "sbg";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        return detail::minr_fan(cube, detail::seen_from_root(hop), false).ascending();
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
/// Example (alt, n = 4 and 5): of 0110 sbnt-minr has the parent across 2, sbnt-minbl across 1: alt
/// takes 1, so the parent is 0100. Of 01011 both have it across 3: alt takes the next one to the
/// right, bit 1: 01001.
struct AltTree : detail::BalancedTree<AltTree> {
    static constexpr Rule kRule = Rule::alt;
    static constexpr std::string_view kName = "alt";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        const std::uint32_t address = detail::seen_from_root(hop);
        const std::uint32_t all = cube.ports();
        if (address == 0 || address == all)
            return PortSequence::ascending(address ^ all);
        const std::uint32_t minr = SbntMinrTree::children(cube, hop).set();
        std::uint32_t set = SbntMinblTree::children(cube, hop).set() & ~minr;
        const unsigned port = detail::alt_candidate(cube, address);
        const std::uint32_t one = 1u << port;
        if ((address & one) == 0 && detail::alt_parent(cube, address | one) == port)
            set |= one;
        return PortSequence::ascending(set);
    }
    static constexpr unsigned parent_port(Hypercube cube, std::uint32_t address) {
        return detail::alt_parent(cube, address);
    }
};

} // namespace mesh
