// The closed forms for the UHC and the star equal what the step simulator measures, and there is
// none where its outcome follows no rule.
#include "claim_check.hpp"
#include "step_simulator.hpp"
#include "tests/exhaustive.hpp"

#include "host-tools/mesh/ops/formulas.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

namespace mesh {
namespace formulas_test {

constexpr Rule kUhcTrees[] = {Rule::bt1, Rule::bt1_counted, Rule::bt2,  Rule::bt3,
                              Rule::bts, Rule::bt4,         Rule::adst, Rule::ist};
constexpr Rule kStarTrees[] = {Rule::spt, Rule::edt, Rule::edt_v2};
constexpr std::uint32_t kPacketsMax = 9;

/// Copies of a packet take consecutive trees: as many packets more.
std::uint64_t measured(Network network, Rule rule, PortModel ports, NodeId root,
                       std::uint32_t packets) {
    const auto outcome = StepSimulator(network, rule, ports, root).broadcast(packets, 0);
    return outcome.complete ? outcome.steps : 0;
}

void expect_formula(Network network, Rule rule, PortModel ports, NodeId root, std::uint32_t packets,
                    std::uint32_t copies = 1) {
    const auto formula = broadcast_formula(network, rule, ports, packets, root, copies);
    ASSERT_TRUE(formula.has_value());
    EXPECT_EQ(formula->steps, measured(network, rule, ports, root, packets * copies))
        << name(network.topology) << " " << name(rule) << " n=" << int{network.dim} << " model "
        << static_cast<int>(ports) << " root " << index(root) << " P=" << packets << " x=" << copies
        << ": " << formula->text;
}

void expect_all_packet_counts(Network network, Rule rule, PortModel ports, NodeId root) {
    const std::uint32_t copies_max = has_disjoint_trees(rule) ? subtree_count(network, rule) : 1;
    for (std::uint32_t packets = 1; packets <= kPacketsMax; ++packets)
        for (std::uint32_t copies = 1; copies <= copies_max; ++copies)
            expect_formula(network, rule, ports, root, packets, copies);
}

/// All of a small network, some of a larger one, both parities among them.
std::vector<NodeId> roots_of(Network network) {
    std::vector<NodeId> roots;
    for (std::uint32_t root = 0; root < std::min(node_count(network), 32u); ++root)
        roots.push_back(node_at(root));
    if (node_count(network) <= 32)
        return roots;
    return {node_at(0), node_at(1), node_at(6), node_at(node_count(network) - 1)};
}

/// Links to the farthest node, counted node by node from below.
unsigned links_to_farthest(Network network, Rule rule, NodeId root) {
    unsigned most = 0;
    const unsigned first = first_subtree(network, rule);
    for (unsigned subtree = first; subtree < first + subtree_count(network, rule); ++subtree)
        for (std::uint32_t node = 0; node < node_count(network); ++node)
            most = std::max(most, claims::depth(network, rule, subtree, root, node_at(node),
                                                node_count(network)));
    return most;
}

TEST(Formulas, TheHeightFromARootIsThatOfItsFarthestNode) {
    for (const auto& [topology, dim_min, dim_max] :
         {std::tuple{Topology::cube, 1u, 6u}, {Topology::uhc, 2u, 7u}, {Topology::star, 3u, 5u}})
        for (const Network net : claims::networks(topology, dim_min, dim_max))
            for (const Rule rule : claims::trees(net))
                for (const NodeId root : roots_of(net))
                    EXPECT_EQ(host::height_from(net, rule, root),
                              links_to_farthest(net, rule, root))
                        << name(topology) << " " << name(rule) << " n=" << int{net.dim} << " root "
                        << index(root);
    EXPECT_EQ(host::height_from({Topology::cube, 4}, Rule::bts, node_at(0)), 0u);
    EXPECT_EQ(host::height_from({Topology::uhc, 5}, Rule::adst, node_at(0)), 0u); // even dims only
}

TEST(Formulas, BroadcastsOnTheUhcTakeTheirSteps) {
    for (const Network net : claims::networks(Topology::uhc, 2, test::exhaustive(6u, 9u)))
        for (const Rule rule : kUhcTrees)
            for (const NodeId root : roots_of(net)) {
                if (subtree_count(net, rule) == 0)
                    continue;
                expect_all_packet_counts(net, rule, PortModel::all, root);
                if (!has_disjoint_trees(rule))
                    expect_all_packet_counts(net, rule, PortModel::duplex, root);
            }
}

TEST(Formulas, BroadcastsOnTheLargestUhcTakeTheirSteps) {
    for (const Network net : claims::networks(Topology::uhc, 10, test::exhaustive(10u, 12u)))
        for (const Rule rule : kUhcTrees)
            for (const std::uint32_t packets : {1u, 2u, 7u}) {
                if (subtree_count(net, rule) == 0)
                    continue;
                expect_formula(net, rule, PortModel::all, node_at(9), packets);
                if (!has_disjoint_trees(rule))
                    expect_formula(net, rule, PortModel::duplex, node_at(8), packets);
            }
}

TEST(Formulas, BroadcastsOnTheStarTakeTheirSteps) {
    for (const Network net : claims::networks(Topology::star, 3, test::exhaustive(5u, 6u)))
        for (const Rule rule : kStarTrees)
            for (const NodeId root : roots_of(net))
                if (net.dim < 6 || index(root) < 2)
                    expect_all_packet_counts(net, rule, PortModel::all, root);
}

TEST(Formulas, AreSilentWhereStepsFollowNoRule) {
    const Network uhc{Topology::uhc, 4};
    const Network star{Topology::star, 4};
    for (const Rule rule : {Rule::adst, Rule::ist})
        EXPECT_FALSE(broadcast_formula(uhc, rule, PortModel::duplex, 3).has_value());
    for (const Rule rule : kUhcTrees)
        EXPECT_FALSE(broadcast_formula(uhc, rule, PortModel::half, 3).has_value());
    EXPECT_FALSE(broadcast_formula({Topology::uhc, 5}, Rule::adst, PortModel::all, 3).has_value());
    EXPECT_FALSE(broadcast_formula(uhc, Rule::spt, PortModel::all, 3).has_value());
    for (const Rule rule : kStarTrees)
        EXPECT_FALSE(broadcast_formula(star, rule, PortModel::duplex, 3).has_value());
    EXPECT_FALSE(broadcast_formula(star, Rule::spt, PortModel::all, 3, node_at(0), 2).has_value());
}

// ho-johnsson-1986 again: copies are packets too.
TEST(Formulas, CopiesOverTheCubesTreesCountAsPackets) {
    const Network cube{Topology::cube, 4};
    for (const PortModel ports : {PortModel::all, PortModel::duplex, PortModel::half}) {
        const auto copies = broadcast_formula(cube, Rule::msbt, ports, 5, node_at(3), 3);
        EXPECT_EQ(copies->steps, broadcast_formula(cube, Rule::msbt, ports, 15)->steps);
    }
}

/// Links that the farthest node's packet crosses to `root`, every node sending to its parent.
unsigned collecting_depth(UniHypercube net, NodeId root) {
    unsigned depth = 0;
    for (std::uint32_t number = 0; number < net.node_count(); ++number) {
        NodeId node = node_at(number);
        unsigned links = 0;
        for (; node != root && links <= net.diameter(); ++links)
            node = net.neighbor(node, uhc::collect_parent(net, root, node));
        depth = std::max(depth, links);
    }
    return depth;
}

TEST(Formulas, CollectingOnTheUhcTakesTheDepthOfItsTree) {
    for (std::uint8_t dim = 2; dim <= 10; ++dim)
        for (const std::uint32_t root : {0u, 1u, 2u, 3u}) {
            const auto formula = reduction_formula({Topology::uhc, dim}, Rule::bts, PortModel::all,
                                                   1, node_at(root));
            EXPECT_EQ(formula->steps, collecting_depth({dim}, node_at(root)))
                << "n=" << int{dim} << " root " << root;
        }
}

} // namespace formulas_test
} // namespace mesh
