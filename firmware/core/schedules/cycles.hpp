// Personalised communication on the cube in cycles: in which cycle the data of which node crosses
// which link. One rule serves scatter, gather (the same backward), and all-to-all, where every node
// is the root of a translated tree and all do the same at once.
//
// All addresses are relative to the root. The data of node c goes from 0 to c along the path of the
// tree; the balanced graph sbg splits it over the paths through all subtrees that c belongs to.
// Everything follows from the path, so a node keeps no table. (ho-johnsson-1986, 5;
// ho-johnsson-1988, 5 and 6)
#pragma once

#include "core/base/expect.hpp"
#include "core/network.hpp"
#include "core/schedules/schedule.hpp"

#include <array>
#include <cstdint>

namespace mesh {

/// The plan on which the nodes of a collective agree.
struct CyclePlan {
    Hypercube cube;
    Rule tree = Rule::sbt;
    Schedule schedule = Schedule::subtree;
    bool one_port = false;
    /// The same data goes to everybody (all-to-all broadcast): only the last link of each path
    /// carries it, from the parent.
    bool broadcast = false;

    constexpr Network network() const { return {Topology::cube, cube.dim}; }
};

/// The links from the root to a node, by the dimension that each crosses.
struct TreePath {
    std::array<std::uint8_t, kDimMax + 1> ports{};
    unsigned links = 0;
};

/// The data of `block` (or its share `piece` of `pieces`) crosses a link from `tail` over `port`.
struct Crossing {
    std::uint32_t block;
    std::uint32_t tail;
    std::uint8_t port;
    std::uint8_t piece;
    std::uint8_t pieces;

    constexpr std::uint32_t head() const { return tail ^ (1u << port); }
    /// The part of a block of `bytes` that this piece is.
    constexpr std::uint32_t begin(std::uint32_t bytes) const { return share(bytes, piece); }
    constexpr std::uint32_t size(std::uint32_t bytes) const {
        return share(bytes, piece + 1u) - share(bytes, piece);
    }

private:
    constexpr std::uint32_t share(std::uint32_t bytes, unsigned number) const {
        return static_cast<std::uint32_t>(std::uint64_t{bytes} * number / pieces);
    }
};

/// The path to `node` (not 0). O(dim) calls of the tree's parent rule.
/// Example (path, n = 4): 0110 in sbt. The parents are 0010 (across 2) and 0000 (across 1), so the
/// path from the root crosses 1, then 2.
template <class Rules = AllRules>
constexpr TreePath path_to(const CyclePlan& plan, std::uint32_t node, unsigned subtree) {
    TreePath path;
    if (plan.tree == Rule::sbg) {
        for (std::uint32_t left = rotate_right(node, subtree, plan.cube.dim); left != 0;
             left &= left - 1)
            path.ports[path.links++] =
                static_cast<std::uint8_t>(detail::wrap(plan.cube, lowest_bit(left) + subtree));
        return path;
    }
    const unsigned longest = height<Rules>(plan.network(), plan.tree);
    while (node != 0 && path.links < longest) {
        const Port up = parent<Rules>(plan.network(), plan.tree, 0, NodeId{0}, node_at(node));
        path.ports[path.links++] = static_cast<std::uint8_t>(index(up));
        node ^= 1u << index(up);
    }
    for (unsigned low = 0, high = path.links; low + 1 < high; ++low) {
        --high;
        const std::uint8_t kept = path.ports[low];
        path.ports[low] = path.ports[high];
        path.ports[high] = kept;
    }
    return path;
}

/// Subtrees over which the data of `node` goes, as bits: several only for cyclic nodes of sbg,
/// which look the same from each. Precondition: not 0.
/// Example (shares in sbg, n = 4): 0101 has the path 0, 2 in sbnt-minr: subtree 0. Turned by 2 it
/// is the same, so it is in subtree 2 as well: 0101 as a set. Of 9 bytes for it, bytes 0..3 take
/// the path 0, 2 and bytes 4..8 the path 2, 0.
template <class Rules = AllRules>
constexpr std::uint32_t subtrees_of(const CyclePlan& plan, std::uint32_t node) {
    MESH_EXPECT(node != 0);
    if (plan.tree != Rule::sbg)
        return 1;
    CyclePlan tree = plan;
    tree.tree = Rule::sbnt_minr;
    const std::uint32_t lowest = 1u << path_to<Rules>(tree, node, 0).ports[0];
    std::uint32_t set = 0;
    for (unsigned count = 0; count < plan.cube.dim; ++count)
        if (rotate_right(node, count, plan.cube.dim) == node)
            set |= rotate_right(lowest, count, plan.cube.dim);
    return set;
}

namespace detail {

constexpr bool is_mirrored(Rule tree) {
    return tree == Rule::sbnt_maxl || tree == Rule::sbnt_minbl;
}

/// One port, whole subtrees: the cycle after `last` (-1 at the root) in which `node` serves its
/// child over `port`. In cycle t all nodes use one dimension, except in tcbt, where a node serves
/// its children one after the other. (ho-johnsson-1988, lemma 17)
template <class Rules>
constexpr int next_cycle(const CyclePlan& plan, std::uint32_t node, unsigned port, int last) {
    if (plan.tree == Rule::tcbt) {
        PortSequence order =
            children<Rules>(plan.network(), plan.tree, 0, NodeId{0}, node_at(node));
        int cycle = last + 1;
        while (!order.empty() && index(order.pop()) != port)
            ++cycle;
        return cycle;
    }
    const int dim = plan.cube.dim;
    const int place =
        is_mirrored(plan.tree) ? dim - 1 - static_cast<int>(port) : static_cast<int>(port);
    return last + 1 + (place - (last + 1) % dim + dim) % dim;
}

} // namespace detail

/// f(link, tail, cycle) for every link of a path, from the root on.
/// Example (cycles, n = 3): the path of 101 in sbt crosses 0, then 2. `subtree`, all ports: in
/// cycles 0 and 1. `subtree`, one port: dimension 0 in cycle 0 and, since cycle 1 belongs to
/// dimension 1, dimension 2 in cycle 2. `level`: two links of at most three, so in cycles 1 and 2.
template <class Rules, class F>
constexpr void for_each_link(const CyclePlan& plan, const TreePath& path, F f) {
    const unsigned levels = height<Rules>(plan.network(), plan.tree);
    std::uint32_t tail = 0;
    int cycle = -1;
    for (unsigned link = 0; link < path.links; ++link) {
        const unsigned port = path.ports[link];
        if (plan.schedule == Schedule::level && !plan.broadcast)
            cycle = static_cast<int>(levels - path.links + link);
        else if (plan.one_port)
            cycle = detail::next_cycle<Rules>(plan, tail, port, cycle);
        else
            cycle = static_cast<int>(link);
        f(link, tail, static_cast<unsigned>(cycle));
        tail ^= 1u << port;
    }
}

/// f(cycle, crossing) for everything that crosses a link, block by block.
/// O(nodes * dim) calls of the tree's parent rule.
template <class Rules = AllRules, class F>
constexpr void for_each_crossing(const CyclePlan& plan, F f) {
    for (std::uint32_t block = 1; block < plan.cube.node_count(); ++block) {
        const std::uint32_t subtrees = subtrees_of<Rules>(plan, block);
        const auto pieces = static_cast<std::uint8_t>(PortSequence::ascending(subtrees).size());
        std::uint8_t piece = 0;
        for (std::uint32_t left = subtrees; left != 0; left &= left - 1, ++piece) {
            const TreePath path = path_to<Rules>(plan, block, lowest_bit(left));
            for_each_link<Rules>(
                plan, path, [&](unsigned link, std::uint32_t tail, unsigned cycle) {
                    if (!plan.broadcast || link + 1 == path.links)
                        f(cycle, Crossing{block, tail, path.ports[link], piece, pieces});
                });
        }
    }
}

/// Number of cycles.
template <class Rules = AllRules>
constexpr unsigned cycle_count(const CyclePlan& plan) {
    unsigned count = 0;
    for_each_crossing<Rules>(plan, [&](unsigned cycle, const Crossing&) {
        count = cycle + 1 > count ? cycle + 1 : count;
    });
    return count;
}

/// True if the tree can be used so: a tree with one path to each node (or sbg) and a schedule that
/// the papers give for it. `level` needs all ports.
constexpr bool has_schedule(Rule tree, Schedule schedule, bool one_port) {
    const bool balanced = tree == Rule::sbnt_minr || tree == Rule::sbnt_maxl ||
                          tree == Rule::sbnt_minbl || tree == Rule::sbnt_maxbr;
    const bool known = balanced || tree == Rule::sbt || tree == Rule::tcbt || tree == Rule::sbg;
    switch (schedule) {
    case Schedule::gray:
    case Schedule::port: return tree == Rule::sbt;
    case Schedule::postorder:
    case Schedule::rbf:
    case Schedule::roundrobin: return balanced || tree == Rule::sbt || tree == Rule::own;
    case Schedule::level: return known && !one_port;
    case Schedule::subtree: return known;
    case Schedule::queue:
    case Schedule::necklace:
    case Schedule::dfs_ack:
    case Schedule::kCount: break;
    }
    return false;
}

} // namespace mesh
