// The arithmetic of the balanced trees: sbnt-minr, sbnt-maxl, their mirrors, sbg and alt.
//
// The rules find children from where blocks of bits lie, without trying each; a reader learns more
// from the definition, by rotations. So that is told here, and a test says that it is the same.
#include "why.hpp"

namespace mesh::host {

namespace {

/// minr takes the least of all rotations to the right, maxl the greatest of those to the left.
struct Turning {
    Hypercube cube;
    bool least;

    std::uint32_t turned(std::uint32_t address, unsigned count) const {
        return least ? rotate_right(address, count, cube.dim)
                     : rotate_left(address, count, cube.dim);
    }
    /// The fewest steps to the extreme rotation.
    unsigned base(std::uint32_t address) const {
        unsigned base = 0;
        for (unsigned count = 1; count < cube.dim; ++count) {
            const std::uint32_t best = turned(address, base);
            const std::uint32_t other = turned(address, count);
            if (least ? other < best : other > best)
                base = count;
        }
        return base;
    }
    /// Bit `place` of the rotation, turned back by `count`.
    unsigned back(unsigned place, unsigned count) const {
        return (least ? place + count : place + cube.dim - count) % cube.dim;
    }
    std::string_view word() const { return least ? "least" : "greatest"; }
    std::string_view way() const { return least ? "right" : "left"; }
};

/// One more one in `place` of the rotation: is it a child?
std::string trial(const Turning& turning, std::uint32_t address, unsigned count, unsigned place,
                  std::uint32_t& children) {
    const std::uint32_t with = address | 1u << turning.back(place, count);
    const unsigned base = turning.base(with);
    const unsigned dim = turning.cube.dim;
    const std::string shown = bits_text(turning.turned(with, count), dim);
    if (base == count) {
        children |= 1u << turning.back(place, count);
        return fmt::format("{} is the {} of its rotations, a child", shown, turning.word());
    }
    if (turning.turned(with, base) == turning.turned(with, count))
        return fmt::format("{} is met in fewer steps, so no child", shown);
    return fmt::format("{} is not, {} is {}", shown, bits_text(turning.turned(with, base), dim),
                       turning.least ? "less" : "greater");
}

/// In the frame of one tree; ports are its own.
void add_by_rotation(Reason& reason, const Turning& turning, std::uint32_t address) {
    const unsigned dim = turning.cube.dim;
    if (address == 0) {
        reason.children = turning.cube.ports();
        reason.add("The root: a child across every bit. In the subtree of bit b hang the addresses "
                   "whose {} rotation is {}b steps to the {} away.",
                   turning.word(), turning.least ? "" : fmt::format("{}-", dim - 1), turning.way());
        return;
    }
    const unsigned count = turning.base(address);
    const std::uint32_t best = turning.turned(address, count);
    const unsigned place = turning.least ? highest_bit(best) : lowest_bit(best);
    reason.add("Of its rotations {} is the {}, {} to the {}.", bits_text(best, dim), turning.word(),
               count == 1 ? "1 step" : fmt::format("{} steps", count), turning.way());
    reason.parents = 1u << turning.back(place, count);
    reason.add("The parent lacks the {} one of it, bit {}: turned back, it is across bit {}.",
               turning.least ? "highest" : "lowest", place, turning.back(place, count));
    std::string trials;
    const unsigned first = turning.least ? place + 1 : 0;
    const unsigned end = turning.least ? dim : place;
    for (unsigned at = first; at < end; ++at)
        trials +=
            (trials.empty() ? "" : "; ") + trial(turning, address, count, at, reason.children);
    reason.add("{}{}.",
               trials.empty()  ? turning.least ? "No zero leads it" : "No zero ends it"
               : turning.least ? "A child has a one more among its leading zeroes: "
                               : "A child has a one more among its zeroes at the end: ",
               trials.empty() ? ": a leaf" : trials);
    if (reason.children != 0)
        reason.add("Turned back: {} across {}.",
                   (reason.children & (reason.children - 1)) == 0 ? "a child" : "children",
                   many("bit", reason.children));
}

void add_mirrored(Reason& reason, const Turning& turning, std::uint32_t address) {
    const Hypercube cube = turning.cube;
    const std::uint32_t seen = detail::mirror(cube, address);
    reason.add("In a mirror, where bit d is bit {}-d, it is {}.", cube.dim - 1,
               bits_text(seen, cube.dim));
    add_by_rotation(reason, turning, seen);
    reason.parents = detail::mirror(cube, reason.parents);
    reason.children = detail::mirror(cube, reason.children);
    reason.add("Back from the mirror: {}{}.",
               address == 0 ? "" : fmt::format("parent across {}, ", many("bit", reason.parents)),
               reason.children == 0 ? "no child"
                                    : "children across " + many("bit", reason.children));
}

/// Children are the neighbours with a one more that name this node as a parent.
template <class Parents>
void add_asked(Reason& reason, Hypercube cube, std::uint32_t address, Parents parents_of) {
    std::string text;
    for (unsigned bit = 0; bit < cube.dim; ++bit) {
        const std::uint32_t with = address | 1u << bit;
        if (with == address)
            continue;
        const std::uint32_t up = parents_of(with);
        const bool child = (up >> bit & 1u) != 0;
        text +=
            fmt::format("{}{} is fed across {}{}", text.empty() ? "" : "; ",
                        bits_text(with, cube.dim), many("bit", up), child ? ", so it is one" : "");
        reason.children |= child ? 1u << bit : 0u;
    }
    reason.add("{}{}.",
               text.empty() ? "No neighbour has a one more: a leaf"
                            : "A child has a one more and is fed by this node: ",
               text);
}

void add_graph(Reason& reason, Hypercube cube, std::uint32_t address) {
    if (address != 0) {
        std::uint32_t periods = 0;
        for (unsigned count = 0; count < cube.dim; ++count)
            periods |= rotate_right(address, count, cube.dim) == address ? 1u << count : 0u;
        const unsigned up = detail::minr_parent(cube, address);
        reason.add("Its parent in sbnt-minr is across bit {}.", up);
        for (unsigned count = 0; count < cube.dim; ++count)
            if ((periods >> count & 1u) != 0)
                reason.parents |= rotate_right(1u << up, count, cube.dim);
        if (periods == 1)
            reason.add("No turn leaves it the same: that is its only parent.");
        else
            reason.add("It stays the same when turned by {}: so parents are across {}, one in each "
                       "subtree that it belongs to.",
                       listed(periods & ~1u), many("bit", reason.parents));
    }
    add_asked(reason, cube, address,
              [&](std::uint32_t child) { return detail::sbg_parents(cube, child); });
}

void add_companion(Reason& reason, Hypercube cube, std::uint32_t address) {
    if (address != 0) {
        const unsigned taken = detail::minr_parent(cube, address);
        const unsigned mirrored = detail::minbl_parent(cube, address);
        const unsigned up = detail::alt_parent(cube, address);
        reason.add("Its parent in sbnt-minr is across bit {}, in sbnt-minbl across bit {}.", taken,
                   mirrored);
        reason.parents = 1u << up;
        if ((address & (address - 1)) == 0)
            reason.add("It is next to the root: its only one is bit {}, and the parent across it.",
                       up);
        else if (mirrored != taken)
            reason.add("They differ: the one of sbnt-minbl is taken, bit {}.", up);
        else
            reason.add(
                "They are the same: the next one to the right of it is taken, cyclically: bit "
                "{}.",
                up);
    }
    add_asked(reason, cube, address,
              [&](std::uint32_t child) { return 1u << detail::alt_parent(cube, child); });
}

} // namespace

Reason why_balanced(Hypercube cube, Rule rule, NodeId root, NodeId node) {
    Reason reason;
    const std::uint32_t address = index(node) ^ index(root);
    add_relative(reason, root, node, cube.dim);
    const bool least = rule == Rule::sbnt_minr || rule == Rule::sbnt_minbl;
    if (rule == Rule::sbg)
        add_graph(reason, cube, address);
    else if (rule == Rule::alt)
        add_companion(reason, cube, address);
    else if (rule == Rule::sbnt_minr || rule == Rule::sbnt_maxl)
        add_by_rotation(reason, {cube, least}, address);
    else
        add_mirrored(reason, {cube, least}, address);
    return reason;
}

} // namespace mesh::host
