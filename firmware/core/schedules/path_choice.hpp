// The choice of the disjoint trees that carry the packets for a node, and the order in which a
// source sends them, where packets for single nodes go over the trees of a rule at once.
//
// A node takes the `copies` trees that reach it over the fewest links. Where these are equally
// many, nodes that look alike but for a rotation take rotated trees, so that all trees carry the
// same; the few nodes that look the same from several trees take those that have least to carry.
// Nothing is listed: both follow from the node alone. (fragopoulou-akl-1993, 4.5, completed)
//
// `Paths` says how far a node is in each tree: StarPaths (star_paths.hpp), UhcPaths
// (uhc_paths.hpp). All nodes are relative to the source, which is 0.
#pragma once

#include "core/base/bits.hpp"
#include "core/base/rules.hpp"
#include "core/base/types.hpp"

#include <array>
#include <cstdint>

namespace mesh {

/// Most trees of a rule: ist of the largest UHC.
inline constexpr unsigned kPathsMax = kDimMax / 2;

/// True for the rules whose trees can be used so. Of a network that has the rule.
constexpr bool has_paths(Topology topology, Rule rule) {
    if (topology == Topology::star)
        return rule == Rule::edt || rule == Rule::edt_v2;
    return topology == Topology::uhc &&
           (rule == Rule::ist || rule == Rule::adst || rule == Rule::bts);
}

/// A node as its trees reach it. Trees count from 0 here.
struct PathLook {
    std::array<std::uint8_t, kPathsMax> links{};   // from the source to the node
    std::array<std::uint32_t, kPathsMax> turned{}; // where tree 0 has the node that looks like it
    bool repeats = false;                          // several trees see the same
};

/// Example (path choice, star of 4): the links to 2314 are 4, 2, 6 in trees 0, 1, 2. One copy takes
/// tree 1 (set 010), two copies 1 and 0 (set 011). To 1243 they are 5, 3, 3: trees 1 and 2 are
/// equally near. Tree 1 reaches it as tree 0 reaches 1324, tree 2 as tree 0 reaches 1432. The
/// smaller of these labels decides: tree 1.
/// Example (equal trees, star of 4): each of 1342 and 1423 is reached over 4 links by all trees,
/// and rotated it is the same label. One copy: 1342, the smaller one, takes tree 0. Tree 0 carries
/// one packet now, so 1423 takes tree 1.
template <class Paths>
class PathChoice {
public:
    /// `copies`: 1 .. paths.trees().
    constexpr PathChoice(const Paths& paths, unsigned copies) : paths_(paths), copies_(copies) {}

    constexpr const Paths& paths() const { return paths_; }
    constexpr unsigned copies() const { return copies_; }

    /// The trees for `node` (not 0), as bits.
    constexpr std::uint32_t trees_to(std::uint32_t node) const {
        return trees_to(node, paths_.look(node));
    }
    constexpr std::uint32_t trees_to(std::uint32_t node, const PathLook& look) const {
        if (copies_ == paths_.trees())
            return low_bits(copies_);
        if (!look.repeats)
            return nearest(look, look.turned);
        std::array<std::uint32_t, kPathsMax> carried{};
        for (std::uint32_t other = 1; other < node; ++other) {
            const PathLook seen = paths_.look(other);
            for (std::uint32_t left = seen.repeats ? nearest(seen, carried) : 0; left != 0;
                 left &= left - 1)
                ++carried[lowest_bit(left)];
        }
        return nearest(look, carried);
    }

private:
    /// The trees with the fewest links; of equals those with the smaller `tie`, then the first.
    constexpr std::uint32_t nearest(const PathLook& look,
                                    const std::array<std::uint32_t, kPathsMax>& tie) const {
        std::uint32_t chosen = 0;
        for (unsigned copy = 0; copy < copies_; ++copy) {
            unsigned best = kPathsMax;
            for (unsigned tree = 0; tree < paths_.trees(); ++tree) {
                const bool free = ((chosen >> tree) & 1u) == 0;
                const bool nearer = best == kPathsMax || look.links[tree] < look.links[best] ||
                                    (look.links[tree] == look.links[best] && tie[tree] < tie[best]);
                if (free && nearer)
                    best = tree;
            }
            chosen |= 1u << best;
        }
        return chosen;
    }

    Paths paths_;
    unsigned copies_;
};

/// A packet that a source sends: to which node, through which trees.
struct PathTurn {
    std::uint32_t node = 0; // relative; 0: no more
    std::uint32_t trees = 0;
};

/// The order of a scatter: in every tree the deepest nodes first, so that what is sent last has the
/// shortest way and the links of the source never wait.
/// Example (deepest first, star of 3): one copy takes 3 links to 132 in tree 0, 2 links to 231 in
/// tree 1 and to 312 in tree 0, 1 link to 213 in tree 0 and to 321 in tree 1. In this order they
/// are sent: deepest first, and of one level by number.
template <class Paths>
class DeepestFirst {
public:
    constexpr explicit DeepestFirst(const PathChoice<Paths>& choice)
        : choice_(choice),
          level_(choice.paths().height()) {}

    constexpr PathTurn next() {
        for (; level_ != 0; --level_, node_ = 0) {
            while (++node_ < choice_.paths().nodes()) {
                const PathLook look = choice_.paths().look(node_);
                const std::uint32_t here = at_level(look);
                const std::uint32_t trees = here != 0 ? here & choice_.trees_to(node_, look) : 0;
                if (trees != 0)
                    return {node_, trees};
            }
        }
        return {};
    }

private:
    constexpr std::uint32_t at_level(const PathLook& look) const {
        std::uint32_t trees = 0;
        for (unsigned tree = 0; tree < choice_.paths().trees(); ++tree)
            trees |= (look.links[tree] == level_ ? 1u : 0u) << tree;
        return trees;
    }

    PathChoice<Paths> choice_;
    unsigned level_;
    std::uint32_t node_ = 0;
};

/// A total exchange in rounds, where the trees are rotations of each other. In the round of a node
/// every source sends to it through the first tree and to its rotations through the others. All
/// these packets keep step, no two of all nodes ever want the same link, and the next round begins
/// when they have arrived. (fragopoulou-akl-1993, 4.6)
/// Example (rounds, star of 3): one copy. First round: everybody sends to 132 through tree 0, which
/// takes 3 links. Second: to 213 through tree 0 and to 321, its rotation, through tree 1, 1 link
/// each. Third: to 312 through tree 0 and to 231 through tree 1, 2 links each. Together 3 + 1 + 2 =
/// 6 steps.
template <class Paths>
class Rounds {
public:
    struct Round {
        std::uint32_t links = 0;                      // that each packet crosses; 0: no more rounds
        std::uint32_t trees = 0;                      // that take part, as bits
        std::array<std::uint32_t, kPathsMax> nodes{}; // relative, for each tree
    };

    constexpr explicit Rounds(const PathChoice<Paths>& choice) : choice_(choice) {}

    constexpr Round next() {
        const unsigned trees = choice_.paths().trees();
        while (++node_ < choice_.paths().nodes()) {
            const PathLook look = choice_.paths().look(node_);
            Round round{look.links[0], 0, {}};
            for (unsigned tree = 0; tree < trees; ++tree) {
                round.nodes[tree] = look.turned[tree == 0 ? 0 : trees - tree];
                round.trees |= choice_.trees_to(round.nodes[tree]) & (1u << tree);
            }
            if (round.trees != 0)
                return round;
        }
        return {};
    }

private:
    PathChoice<Paths> choice_;
    std::uint32_t node_ = 0;
};

/// The tree that takes copy `copy` of a packet that goes to everybody. Sources begin with different
/// trees, so that with few copies all links carry about the same.
/// Example (trees in turn, star of 4): with two copies of three trees node 4 sends the copies of
/// packet 1 through 4 + 1*2 + 0 = 6 and 7 modulo 3: trees 0 and 1.
template <class Paths>
constexpr unsigned spread_tree(const PathChoice<Paths>& choice, NodeId source, std::uint32_t packet,
                               unsigned copy) {
    const std::uint32_t turn = choice.paths().first_tree(source) + packet * choice.copies() + copy;
    return turn % choice.paths().trees();
}

} // namespace mesh
