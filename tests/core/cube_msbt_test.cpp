// msbt and tcbt against their definitions: edge-disjoint trees with disjoint paths, and a complete
// binary tree with two roots. (ho-johnsson-1986, 3.2 and 3.4)
#include "claim_check.hpp"

#include "core/network.hpp"
#include "core/schedules/timetable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace mesh::claims {
namespace cube_msbt_test {

const NodeId kZero = node_at(0);

// children_MSBT of the paper, with M scanned bit by bit.
std::uint32_t defined_children(unsigned n, std::uint32_t c, unsigned j) {
    if (c == 0)
        return 1u << j;
    if (((c >> j) & 1u) == 0)
        return 0;
    std::uint32_t set = 0;
    unsigned k = j;
    for (unsigned t = 1; t <= n; ++t) {
        k = (j + n - t) % n;
        if (((c >> k) & 1u) != 0)
            break;
        set |= 1u << k;
    }
    return k == j ? set : set | (1u << j);
}

TEST(MsbtTrees, AreThoseOfThePaper) {
    for (const Network cube : networks(Topology::cube, 1, 12)) {
        for (std::uint32_t c = 0; c < node_count(cube); ++c) {
            for (unsigned j = 0; j < cube.dim; ++j)
                ASSERT_EQ(children(cube, Rule::msbt, j, kZero, node_at(c)).set(),
                          defined_children(cube.dim, c, j));
        }
    }
}

TEST(MsbtTrees, NoDirectedLinkIsInTwoTrees) {
    for (const Network cube : networks(Topology::cube, 1, 10)) {
        for (std::uint32_t c = 0; c < node_count(cube); ++c) {
            std::uint32_t used = 0;
            for (unsigned j = 0; j < cube.dim; ++j) {
                const std::uint32_t set = children(cube, Rule::msbt, j, kZero, node_at(c)).set();
                EXPECT_EQ(used & set, 0u);
                used |= set;
            }
            // All links are used but those into the root.
            const bool beside_root = (c & (c - 1)) == 0 && c != 0;
            EXPECT_EQ(used, beside_root ? out_ports(cube, kZero) & ~c : out_ports(cube, kZero));
        }
    }
}

// So x copies over x trees survive any x-1 dead links or nodes.
TEST(MsbtTrees, TheRootPathsOfANodeShareNoInnerNodeAndNoLink) {
    for (const Network cube : networks(Topology::cube, 2, 8)) {
        for (std::uint32_t c = 1; c < node_count(cube); ++c) {
            std::set<NodeId> inner;
            std::set<std::pair<NodeId, NodeId>> links;
            for (unsigned j = 0; j < cube.dim; ++j) {
                NodeId at = node_at(c);
                while (at != kZero) {
                    const NodeId up = neighbor(cube, at, parent(cube, Rule::msbt, j, kZero, at));
                    ASSERT_TRUE(links.insert(std::minmax(at, up)).second);
                    ASSERT_TRUE(up == kZero || inner.insert(up).second);
                    at = up;
                }
            }
        }
    }
}

TEST(MsbtTrees, TheLightRuleNeedsNoRoot) {
    for (const Network cube : networks(Topology::cube, 1, 10)) {
        for (std::uint32_t c = 1; c < node_count(cube); ++c) {
            for (unsigned j = 0; j < cube.dim; ++j) {
                const Port arrival = parent(cube, Rule::msbt, j, kZero, node_at(c));
                const bool first_link = neighbor(cube, node_at(c), arrival) == kZero;
                EXPECT_EQ(msbt_children_light({cube.dim}, arrival, j, first_link),
                          children(cube, Rule::msbt, j, kZero, node_at(c)).set());
            }
        }
    }
}

TEST(MsbtTrees, ASubtreeThatIsNoneGoesNowhere) {
    for (const Network cube : networks(Topology::cube, 1, 10)) {
        const Envelope envelope{Rule::msbt, cube.dim, kZero, kNoNode};
        EXPECT_TRUE(route(cube, node_at(1), port_at(0), envelope).nowhere());
    }
}

// The rule of the clock: in step t only dimension t mod n is used.
TEST(MsbtTrees, TheClockUsesOneDimensionAStep) {
    for (const Network cube : networks(Topology::cube, 1, 8)) {
        const unsigned n = cube.dim;
        for (std::uint32_t c = 0; c < node_count(cube); ++c) {
            for (std::uint32_t packet = 0; packet < 2 * n + 1; ++packet) {
                const unsigned j = packet % n;
                PortSequence down = children(cube, Rule::msbt, j, kZero, node_at(c));
                std::uint32_t last = 0;
                for (bool first = true; !down.empty(); first = false) {
                    const Port port = down.pop();
                    const std::uint32_t step = msbt_start({cube.dim}, PortModel::duplex,
                                                          Relative{c}, port, packet, 2 * n + 1);
                    EXPECT_EQ(step % n, index(port));
                    EXPECT_TRUE(first || step > last);
                    last = step;
                }
            }
        }
    }
}

/// Levels of the complete binary tree below `node`; 0 if it is none.
unsigned complete_levels(Network cube, NodeId node) {
    PortSequence down = children(cube, Rule::tcbt, 0, kZero, node);
    if (down.empty())
        return 1;
    if (down.size() != 2)
        return 0;
    const unsigned left = complete_levels(cube, neighbor(cube, node, down.pop()));
    const unsigned right = complete_levels(cube, neighbor(cube, node, down.pop()));
    return left == right && left != 0 ? left + 1 : 0;
}

TEST(TcbtTree, IsACompleteBinaryTreeWithTwoRoots) {
    for (const Network cube : networks(Topology::cube, 2, 12)) {
        PortSequence source = children(cube, Rule::tcbt, 0, kZero, kZero);
        ASSERT_EQ(source.size(), 2u);
        const Port across = source.pop();
        EXPECT_EQ(across, port_at(cube.dim - 1u)) << "the other root comes first";
        const NodeId other = neighbor(cube, kZero, across);
        EXPECT_EQ(complete_levels(cube, neighbor(cube, kZero, source.pop())), cube.dim - 1u);
        PortSequence child = children(cube, Rule::tcbt, 0, kZero, other);
        ASSERT_EQ(child.size(), 1u);
        EXPECT_EQ(complete_levels(cube, neighbor(cube, other, child.pop())), cube.dim - 1u);
    }
}

TEST(TcbtTree, HasTheParentsOfTheCheckValues) {
    const unsigned ports[] = {3, 2, 1, 2, 2, 1, 0, 3, 0, 0, 1, 3, 0, 1, 2};
    const Network cube{Topology::cube, 4};
    for (std::uint32_t c = 1; c < 16; ++c)
        EXPECT_EQ(parent(cube, Rule::tcbt, 0, kZero, node_at(c)), port_at(ports[c - 1]));
}

/// pi of m dimensions: m-2 goes to m-1, m-1 to 0, 0 to m-2.
unsigned turned(unsigned dim, unsigned m) {
    return dim == m - 2 ? m - 1 : dim == m - 1 ? 0 : dim == 0 ? m - 2 : dim;
}

std::uint32_t turned_address(std::uint32_t address, unsigned m) {
    std::uint32_t image = 0;
    for (unsigned bit = 0; bit < m; ++bit)
        image |= ((address >> bit) & 1u) << turned(bit, m);
    return image;
}

/// Parent ports of the tree with one dimension more: `tree` over its source and other root, and
/// `tree` turned; the upper root, and what the two trees lose at their roots, hang across.
std::vector<unsigned> joined(const std::vector<unsigned>& tree, unsigned m) {
    const std::uint32_t half = 1u << m;
    std::vector<unsigned> up(2 * half);
    for (std::uint32_t x = 0; x < half; ++x) {
        const bool across = x == (half / 2 | 1u);
        up[x ^ half / 2] = x == 0 ? m - 1 : across ? m : tree[x];
        up[half | turned_address(x, m)] = x == 0 || x == half / 4 ? m : turned(tree[x], m);
    }
    return up;
}

TEST(TcbtTree, IsTwoTreesOfOneDimensionLess) {
    std::vector<unsigned> up{0, 0, 1, 0};
    for (const Network cube : networks(Topology::cube, 3, 16)) {
        up = joined(up, cube.dim - 1u);
        std::vector<std::uint32_t> down(node_count(cube), 0);
        for (std::uint32_t c = 1; c < node_count(cube); ++c) {
            ASSERT_EQ(parent(cube, Rule::tcbt, 0, kZero, node_at(c)), port_at(up[c]))
                << "n=" << +cube.dim << " c=" << c;
            down[c ^ (1u << up[c])] |= 1u << up[c];
        }
        for (std::uint32_t c = 0; c < node_count(cube); ++c)
            ASSERT_EQ(children(cube, Rule::tcbt, 0, kZero, node_at(c)).set(), down[c])
                << "n=" << +cube.dim << " c=" << c;
    }
}

} // namespace cube_msbt_test
} // namespace mesh::claims
