// The cube and its trees: the claims, and the trees against definitions made another way.
#include "claim_check.hpp"
#include "tests/exhaustive.hpp"

#include "core/network.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mesh::claims {
namespace cube_test {

constexpr unsigned kDims = test::exhaustive(7u, 10u);
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

// Packets for one node of a tree ------------------------------------------------------------------

constexpr unsigned kPersonalDims = 7;

/// f(cube, rule, subtree, root) for every tree, its subtrees and a few roots.
template <class F>
void for_each_tree(F f) {
    for (const Network cube : networks(Topology::cube, 1, kPersonalDims)) {
        const std::uint32_t last = node_count(cube) - 1;
        for (const Rule rule : trees(cube))
            for (unsigned tree = 0; tree < subtree_count(cube, rule); ++tree)
                for (const std::uint32_t root : {0u, 5 & last, 42 & last, last})
                    f(cube, rule, tree, node_at(root));
    }
}

/// Follows a packet from `self` along `path` (ports in order) to where it must be delivered.
bool follows(Network cube, NodeId self, const std::vector<Port>& path, const Envelope& envelope) {
    Port arrival = kNoPort;
    for (const Port port : path) {
        const Route step = route(cube, self, arrival, envelope);
        if (step.deliver || step.ports.set() != 1u << index(port))
            return false;
        self = neighbor(cube, self, port);
        arrival = port;
    }
    const Route last = route(cube, self, arrival, envelope);
    return last.deliver && last.ports.empty() && self == envelope.destination;
}

/// A packet goes down `path`, and back up.
bool follows_both_ways(Network cube, const Envelope& outward, std::vector<Port> path) {
    if (!follows(cube, outward.source, path, outward))
        return false;
    const Envelope inward{outward.rule, outward.subtree, outward.destination, outward.source, 0,
                          true};
    const NodeId from = outward.destination;
    return follows(cube, from, {path.rbegin(), path.rend()}, inward);
}

/// Ports from the root to `node`, in all but sbg.
std::vector<Port> tree_path(Network cube, Rule rule, unsigned tree, NodeId root, NodeId node) {
    std::vector<Port> path;
    while (node != root) {
        path.insert(path.begin(), parent(cube, rule, tree, root, node));
        node = neighbor(cube, node, path.front());
    }
    return path;
}

TEST(CubePersonal, APacketForOneNodeTakesTheTreesPathDownAndUp) {
    for_each_tree([](Network cube, Rule rule, unsigned tree, NodeId root) {
        if (rule == Rule::sbg)
            return;
        for (std::uint32_t to = 0; to < node_count(cube); ++to) {
            const Envelope outward{rule, static_cast<std::uint8_t>(tree), root, node_at(to)};
            ASSERT_TRUE(
                follows_both_ways(cube, outward, tree_path(cube, rule, tree, root, node_at(to))))
                << name(rule) << " n=" << +cube.dim << " subtree " << tree << " root "
                << index(root) << " node " << to;
        }
    });
}

// Above its last link every path of sbg is one of minr; its subtree is the port of the first link.
TEST(CubePersonal, APacketOnTheGraphTakesThePathThroughEverySubtreeOfItsNode) {
    for_each_tree([](Network cube, Rule rule, unsigned, NodeId root) {
        if (rule != Rule::sbg)
            return;
        for (std::uint32_t to = 0; to < node_count(cube); ++to) {
            if (node_at(to) == root)
                continue;
            PortSequence last =
                PortSequence::ascending(parents(cube, Rule::sbg, 0, root, node_at(to)));
            while (!last.empty()) {
                const Port port = last.pop();
                const NodeId above = neighbor(cube, node_at(to), port);
                auto path = tree_path(cube, Rule::sbnt_minr, 0, root, above);
                path.push_back(port);
                const auto subtree = static_cast<std::uint8_t>(index(path.front()));
                ASSERT_TRUE(follows_both_ways(cube, {Rule::sbg, subtree, root, node_at(to)}, path))
                    << "n=" << +cube.dim << " root " << index(root) << " node " << to;
            }
        }
    });
}

TEST(CubePersonal, CorruptPacketsGoNowhere) {
    for_each_tree([](Network cube, Rule rule, unsigned tree, NodeId root) {
        const std::uint32_t nodes = node_count(cube);
        const auto number = static_cast<std::uint8_t>(tree);
        const NodeId other = node_at(index(root) ^ 1u);
        for (const bool inward : {false, true}) {
            const NodeId from = inward ? other : root;
            const NodeId to = inward ? root : other;
            const auto nowhere = [&](NodeId self, Port arrival, const Envelope& envelope) {
                return route(cube, self, arrival, envelope).nowhere();
            };
            EXPECT_FALSE(nowhere(from, kNoPort, {rule, number, from, to, 0, inward}));
            EXPECT_TRUE(nowhere(from, port_at(cube.dim), {rule, number, from, to, 0, inward}));
            EXPECT_TRUE(nowhere(from, kNoPort, {rule, number, from, node_at(nodes), 0, inward}));
            EXPECT_TRUE(nowhere(from, kNoPort, {Rule::spt, number, from, to, 0, inward}));
            EXPECT_TRUE(nowhere(from, kNoPort, {Rule::kCount, number, from, to, 0, inward}));
            EXPECT_TRUE(inward ||
                        nowhere(from, kNoPort, {rule, number, node_at(nodes), to, 0, false}));
            const auto strange = static_cast<std::uint8_t>(subtree_count(cube, rule));
            EXPECT_TRUE(rule == Rule::sbg ||
                        nowhere(from, kNoPort, {rule, strange, from, to, 0, inward}));
        }
    });
}

// For any envelope: all ports exist, and no packet wanders for ever.
TEST(CubePersonal, AnyEnvelopeEndsWithinTheHeightOfItsTree) {
    std::uint32_t state = 0x2545'F491u;
    const auto draw = [&state](std::uint32_t limit) {
        state = state * 1'664'525u + 1'013'904'223u;
        return (state >> 8) % limit;
    };
    for (const Network cube : networks(Topology::cube, 1, kPersonalDims)) {
        const std::uint32_t nodes = node_count(cube);
        for (unsigned trial = 0; trial < 20'000; ++trial) {
            const Rule rule = static_cast<Rule>(draw(static_cast<unsigned>(Rule::kCount) + 2));
            const Envelope envelope{rule,
                                    static_cast<std::uint8_t>(draw(cube.dim + 2u)),
                                    node_at(draw(nodes + 1)),
                                    node_at(draw(nodes + 1)),
                                    static_cast<std::uint8_t>(draw(256)),
                                    draw(2) != 0};
            NodeId self = node_at(draw(nodes));
            Port arrival = kNoPort;
            unsigned hops = 0;
            for (Route step = route(cube, self, arrival, envelope); !step.ports.empty();
                 step = route(cube, self, arrival, envelope)) {
                ASSERT_EQ(step.ports.set() >> cube.dim, 0u);
                ASSERT_LE(++hops, height(cube, rule)) << name(rule) << " n=" << +cube.dim;
                arrival = step.ports.pop();
                self = neighbor(cube, self, arrival);
            }
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

} // namespace cube_test
} // namespace mesh::claims
