// All sets of two faults in networks with disjoint trees: whatever two nodes or cables are dead,
// each other node has a path from the root, in one of the trees, that avoids both. So copies over
// all trees get through; tests/mesh shows it for runs of some of these sets.
#include "core/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <vector>

namespace mesh {
namespace fault_sets_test {

/// The parts that may be dead: nodes by their numbers, behind them the cables; a link of the UHC is
/// one.
constexpr std::size_t kNodesMax = 128, kPortsMax = 8, kPartsMax = kNodesMax * (1 + kPortsMax);
using Faults = std::bitset<kPartsMax>;

std::size_t cable(Network network, NodeId from, Port port) {
    const NodeId to = neighbor(network, from, port);
    const NodeId named = network.topology == Topology::uhc ? from : std::min(from, to);
    return kNodesMax + kPortsMax * index(named) + index(port);
}

/// The nodes and cables on which a packet's way from the root to `node` depends.
Faults way(Network network, Rule rule, unsigned tree, NodeId root, NodeId node) {
    Faults faults;
    for (NodeId at = node; at != root;) {
        const Port port = parent(network, rule, tree, root, at);
        faults.set(index(at));
        at = neighbor(network, at, port);
        faults.set(cable(network, at, port));
    }
    return faults;
}

/// All that can fail but the root.
std::vector<std::size_t> all_faults(Network network, NodeId root) {
    Faults all;
    for (std::uint32_t id = 0; id < node_count(network); ++id) {
        all[id] = node_at(id) != root;
        for (PortSequence out = PortSequence::ascending(out_ports(network, node_at(id)));
             !out.empty();)
            all.set(cable(network, node_at(id), out.pop()));
    }
    std::vector<std::size_t> numbers;
    for (std::size_t fault = 0; fault < all.size(); ++fault)
        if (all[fault])
            numbers.push_back(fault);
    return numbers;
}

/// Pairs of faults that leave every living node a way in some tree.
std::size_t harmless_pairs(Network network, Rule rule, NodeId root) {
    std::vector<std::vector<Faults>> ways(node_count(network)); // by node, by tree
    const unsigned first = first_subtree(network, rule);
    for (std::uint32_t node = 0; node < node_count(network); ++node)
        for (unsigned tree = first; tree < first + subtree_count(network, rule); ++tree)
            ways[node].push_back(way(network, rule, tree, root, node_at(node)));
    const std::vector<std::size_t> faults = all_faults(network, root);
    std::size_t harmless = 0;
    for (std::size_t a = 0; a < faults.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const auto free = [&](const Faults& one) { return !one[faults[a]] && !one[faults[b]]; };
            bool all_reached = true;
            for (std::uint32_t node = 0; node < node_count(network); ++node)
                all_reached = all_reached && (node == faults[a] || node == faults[b] ||
                                              std::ranges::any_of(ways[node], free));
            harmless += all_reached ? 1 : 0;
        }
    return harmless;
}

TEST(FaultSets, NoTwoFaultsOfTheUhcOfDimension6CutANodeOffInAllTrees) {
    for (const Rule rule : {Rule::ist, Rule::adst})
        for (const std::uint32_t root : {0u, 61u})
            EXPECT_EQ(harmless_pairs({Topology::uhc, 6}, rule, node_at(root)), 255u * 254 / 2)
                << name(rule) << " from root " << root;
}

TEST(FaultSets, NoTwoFaultsOfTheStarCutANodeOffInAllTrees) {
    EXPECT_EQ(harmless_pairs({Topology::star, 4}, Rule::edt, node_at(0)), 59u * 58 / 2);
    EXPECT_EQ(harmless_pairs({Topology::star, 5}, Rule::edt, node_at(0)), 359u * 358 / 2);
}

TEST(FaultSets, SomeTwoFaultsAreFatalWhereThereAreOnlyTwoTrees) {
    EXPECT_LT(harmless_pairs({Topology::uhc, 4}, Rule::ist, node_at(0)), 47u * 46 / 2);
}

} // namespace fault_sets_test
} // namespace mesh
