// Every guest vertex has a node of its own, and every guest edge is one link.
#include "core/embedding.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <vector>

namespace mesh {
namespace embedding_test {

unsigned apart(NodeId one, NodeId other) {
    return static_cast<unsigned>(std::popcount(index(one) ^ index(other)));
}

TEST(BinaryTreeGuest, EveryEdgeIsOneLinkAndNoNodeIsUsedTwice) {
    for (unsigned levels = 1; levels <= 13; ++levels) {
        const BinaryTreeGuest tree{levels};
        std::set<NodeId> used;
        for (std::uint32_t vertex = 0; vertex < tree.vertex_count(); ++vertex) {
            const NodeId node = tree.node_of(vertex);
            ASSERT_LT(index(node), 1u << tree.dimension());
            ASSERT_TRUE(used.insert(node).second);
            if (vertex != 0) {
                ASSERT_EQ(apart(node, tree.node_of((vertex - 1) / 2)), 1u);
            }
            ASSERT_EQ(tree.vertex_of(node), vertex);
        }
    }
}

TEST(BinaryTreeGuest, ANodeFindsItsRelativesByItself) {
    for (unsigned levels = 1; levels <= 10; ++levels) {
        const BinaryTreeGuest tree{levels};
        for (std::uint32_t vertex = 0; vertex < tree.vertex_count(); ++vertex) {
            const NodeId node = tree.node_of(vertex);
            PortSequence down = tree.children(node);
            ASSERT_EQ(down.empty(), 2 * vertex + 1 >= tree.vertex_count());
            for (std::uint32_t child = 2 * vertex + 1; !down.empty(); ++child) {
                const Port port = down.pop();
                ASSERT_EQ(index(node) ^ (1u << index(port)), index(tree.node_of(child)));
                ASSERT_EQ(tree.parent(tree.node_of(child)), port);
            }
        }
        EXPECT_EQ(tree.parent(tree.node_of(0)), kNoPort);
    }
}

TEST(BinaryTreeGuest, NodesThatHoldNoVertexSaySo) {
    for (unsigned levels = 1; levels <= 10; ++levels) {
        const BinaryTreeGuest tree{levels};
        std::uint32_t held = 0;
        for (std::uint32_t node = 0; node < 2u << tree.dimension(); ++node)
            held += tree.vertex_of(node_at(node)).has_value() ? 1u : 0u;
        EXPECT_EQ(held, tree.vertex_count());
    }
}

TEST(BinaryTreeGuest, NeedsOneDimensionMoreFromThreeLevelsOn) {
    EXPECT_EQ(BinaryTreeGuest{2}.dimension(), 2u);
    EXPECT_EQ(BinaryTreeGuest{3}.dimension(), 4u);
    EXPECT_EQ(BinaryTreeGuest{10}.dimension(), 11u);
    EXPECT_TRUE(BinaryTreeGuest{kDimMax - 1}.valid());
    EXPECT_FALSE(BinaryTreeGuest{kDimMax}.valid());
    EXPECT_FALSE(BinaryTreeGuest{0}.valid());
}

GridGuest grid(std::initializer_list<std::uint32_t> sides) {
    GridGuest guest;
    for (const std::uint32_t side : sides)
        EXPECT_TRUE(guest.add_axis(side));
    return guest;
}

void expect_one_link_per_edge(const GridGuest& guest) {
    std::set<NodeId> used;
    for (std::uint32_t vertex = 0; vertex < guest.vertex_count(); ++vertex) {
        const NodeId node = guest.node_of(vertex);
        ASSERT_LT(index(node), 1u << guest.dimension());
        ASSERT_TRUE(used.insert(node).second);
        const auto place = guest.place_of(node);
        ASSERT_TRUE(place.has_value());
        ASSERT_EQ(guest.node_of(*place), node);
        std::uint32_t stride = 1;
        for (unsigned axis = guest.axes(); axis-- > 0; stride *= guest.side(axis)) {
            const std::uint32_t side = guest.side(axis);
            const Port next = guest.shift(node, axis, true);
            const std::uint32_t at = (*place)[axis];
            ASSERT_EQ(at, vertex / stride % side);
            const bool round = side > 1 && (side & (side - 1)) == 0;
            ASSERT_EQ(next == kNoPort, at + 1 == side && !round);
            if (next == kNoPort)
                continue;
            const std::uint32_t other = vertex + stride - (at + 1 == side ? stride * side : 0);
            ASSERT_EQ(index(node) ^ (1u << index(next)), index(guest.node_of(other)));
            ASSERT_EQ(guest.shift(guest.node_of(other), axis, false), next);
        }
    }
}

TEST(GridGuest, EveryEdgeIsOneLinkAndNoNodeIsUsedTwice) {
    expect_one_link_per_edge(grid({}));
    for (std::uint32_t x = 1; x <= 17; ++x) {
        expect_one_link_per_edge(grid({x}));
        for (std::uint32_t y = 1; y <= 17; ++y) {
            expect_one_link_per_edge(grid({x, y}));
            expect_one_link_per_edge(grid({x, 3, y}));
        }
    }
    expect_one_link_per_edge(grid({2, 2, 2, 2, 2, 2, 2, 2}));
}

TEST(GridGuest, NeedsTheDimensionsOfThePaper) {
    EXPECT_EQ(grid({5, 5}).dimension(), 6u);
    EXPECT_EQ(grid({9, 9, 9}).dimension(), 12u);
    EXPECT_EQ(grid({5, 5, 3}).dimension(), 8u);
    EXPECT_EQ(grid({1, 1}).dimension(), 0u);
}

TEST(GridGuest, NodesThatHoldNoVertexSaySo) {
    const GridGuest guest = grid({5, 6});
    unsigned held = 0;
    for (std::uint32_t node = 0; node < 200; ++node)
        held += guest.place_of(node_at(node)).has_value() ? 1u : 0u;
    EXPECT_EQ(held, 30u);
}

TEST(GridGuest, AnAxisThatDoesNotFitIsRefused) {
    GridGuest guest = grid({1024, 1024});
    EXPECT_EQ(guest.dimension(), kDimMax);
    EXPECT_FALSE(guest.add_axis(2));
    EXPECT_FALSE(guest.add_axis(0));
    EXPECT_TRUE(guest.add_axis(1));
    EXPECT_FALSE(GridGuest{}.add_axis(0xFFFF'FFFF));
}

} // namespace embedding_test
} // namespace mesh
