// The cube and its trees: the claims, and the trees against definitions made another way.
#include "claim_check.hpp"

#include "core/network.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mesh::claims {
namespace {

constexpr unsigned kDims = 10;
const std::vector<Network> kCubes = networks(Topology::cube, 1, kDims);

/// Trees whose claims are checked directly for every root, not by translation alone.
constexpr unsigned kAllRootsDims = 6;

void expect_for_all_trees(Verdict (*claim)(Network, Rule, NodeId)) {
    for (const Network cube : kCubes) {
        for (const Rule rule : trees(cube)) {
            if (cube.dim <= kAllRootsDims)
                EXPECT_TRUE(holds(for_all_roots(cube, rule, claim)));
            else
                EXPECT_TRUE(holds(claim(cube, rule, node_at(0))));
        }
    }
}

TEST(Cube, EveryLinkEndsAtTheSamePortOfBothNodes) {
    for (const Network cube : kCubes) {
        for (std::uint32_t node = 0; node < node_count(cube); ++node) {
            EXPECT_EQ(out_ports(cube, node_at(node)), (1u << cube.dim) - 1u);
            for (unsigned dim = 0; dim < port_count(cube); ++dim) {
                const NodeId other = neighbor(cube, node_at(node), port_at(dim));
                EXPECT_EQ(index(other), node ^ (1u << dim));
                EXPECT_EQ(neighbor(cube, other, port_at(dim)), node_at(node));
            }
        }
    }
}

TEST(Cube, OnlyDimensionsThatExistAreValid) {
    for (unsigned dim = 0; dim < 256; ++dim) {
        const Network cube{Topology::cube, static_cast<std::uint8_t>(dim)};
        EXPECT_EQ(valid(cube), dim >= 1 && dim <= kDimMax);
    }
    EXPECT_FALSE(valid({static_cast<Topology>(7), 3}));
}

TEST(CubeUnicast, TakesAShortestPathBetweenAllPairs) {
    for (const Network cube : kCubes)
        EXPECT_TRUE(holds(for_all_roots(cube, Rule::unicast, unicast_takes_a_shortest_path)));
}

TEST(CubeUnicast, CrossesDimensionsInAscendingOrder) {
    for (const Network cube : kCubes) {
        for (std::uint32_t apart = 1; apart < node_count(cube); ++apart) {
            const Envelope envelope{Rule::unicast, 0, kNoNode, node_at(apart)};
            Route step = route(cube, node_at(0), kNoPort, envelope);
            const unsigned chosen = index(step.ports.pop());
            EXPECT_EQ(apart & ((2u << chosen) - 1u), 1u << chosen);
        }
    }
}

TEST(CubeTrees, ParentsLeadEveryNodeToTheRootWithinTheHeight) {
    expect_for_all_trees(tree_spans_all_nodes);
}

TEST(CubeTrees, TheHeightIsReached) { expect_for_all_trees(height_is_reached); }

TEST(CubeTrees, EveryNonRootNodeHasExactlyOneParent) { expect_for_all_trees(one_parent_each); }

TEST(CubeTrees, ChildrenAreTheInverseOfParent) { expect_for_all_trees(children_invert_parent); }

TEST(CubeTrees, ParentIsOneOfParents) { expect_for_all_trees(parent_is_one_of_parents); }

TEST(CubeTrees, TheTreeOfAnyRootIsTheTreeOfRootZeroTranslated) {
    for (const Network cube : kCubes) {
        for (const Rule rule : trees(cube))
            EXPECT_TRUE(holds(for_all_roots(cube, rule, tree_is_translated)));
    }
}

TEST(CubeTrees, BsRoutesAsSbtWithTheHeaderBlanked) {
    for (const Network cube : kCubes)
        EXPECT_TRUE(holds(for_all_roots(cube, Rule::bs, bs_needs_only_the_arrival_port)));
}

TEST(CubeTrees, CorruptPacketsNeverLeaveByAPortThatIsNotThere) {
    for (const Network cube : kCubes)
        EXPECT_TRUE(holds(for_all_roots(cube, Rule::unicast, corrupt_packets_are_safe)));
}

TEST(CubeTrees, ATreeDeliversEverywhereButAtItsRoot) {
    const Network cube{Topology::cube, 4};
    const Envelope envelope{Rule::sbt, 0, node_at(5), kNoNode};
    EXPECT_FALSE(route(cube, node_at(5), kNoPort, envelope).deliver);
    EXPECT_TRUE(route(cube, node_at(4), port_at(0), envelope).deliver);
    EXPECT_TRUE(route(cube, node_at(13), port_at(3), envelope).deliver); // a leaf
}

// Recursive doubling: in step d every node that has the packet sends it over dimension d.
TEST(SbtTree, IsRecursiveDoubling) {
    for (const Network cube : kCubes) {
        for (unsigned dim = 0; dim < cube.dim; ++dim) {
            for (std::uint32_t node = 0; node < 1u << dim; ++node) {
                const NodeId child = node_at(node | (1u << dim));
                EXPECT_EQ(parent(cube, Rule::sbt, 0, node_at(0), child), port_at(dim));
            }
        }
    }
}

TEST(SbtTree, SendsTheLargestSubtreeFirst) {
    const Network cube{Topology::cube, 4};
    PortSequence order = children(cube, Rule::sbt, 0, node_at(13), node_at(12));
    EXPECT_EQ(order.pop(), port_at(1));
    EXPECT_EQ(order.pop(), port_at(2));
    EXPECT_EQ(order.pop(), port_at(3));
    EXPECT_TRUE(order.empty());
}

// The reflected code, built by reflecting: the list, then the list backwards with a new bit.
TEST(HpTree, VisitsTheReflectedGrayCode) {
    std::vector<std::uint32_t> path{0};
    for (const Network cube : kCubes) {
        for (std::size_t back = path.size(); back-- > 0;)
            path.push_back(path[back] | (1u << (cube.dim - 1u)));
        for (std::size_t position = 0; position < path.size(); ++position) {
            PortSequence next = children(cube, Rule::hp, 0, node_at(0), node_at(path[position]));
            if (position + 1 == path.size()) {
                EXPECT_TRUE(next.empty());
                continue;
            }
            ASSERT_EQ(next.size(), 1u);
            EXPECT_EQ(index(neighbor(cube, node_at(path[position]), next.pop())),
                      path[position + 1]);
        }
    }
}

TEST(CubeTrees, NamesLeadBackToTheirRules) {
    const Network cube{Topology::cube, 3};
    for (const Rule rule : trees(cube))
        EXPECT_EQ(rule_by_name(Topology::cube, name(rule)), rule);
    EXPECT_EQ(rule_by_name(Topology::cube, "sbt"), Rule::sbt);
    EXPECT_EQ(rule_by_name(Topology::cube, "unicast"), std::nullopt);
    EXPECT_EQ(rule_by_name(Topology::cube, ""), std::nullopt);
    EXPECT_EQ(rule_by_name(Topology::star, "sbt"), std::nullopt);
}

} // namespace
} // namespace mesh::claims
