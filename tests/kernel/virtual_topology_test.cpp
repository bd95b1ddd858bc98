// Virtual topologies: every neighbour is one link away and agrees about it; nodes that hold nothing
// have no neighbours; messages go round a torus and up a tree.
#include "collectives/virtual_topology.hpp"

#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace mesh::test {
namespace virtual_topology_test {

constexpr Network cube(unsigned dim) { return {Topology::cube, static_cast<std::uint8_t>(dim)}; }

struct Axis {
    std::uint32_t side;
    Ends ends = Ends::open;
};

Grid grid_at(Network network, std::uint32_t self, const std::vector<Axis>& axes) {
    Grid grid{network, node_at(self)};
    for (const Axis& axis : axes)
        EXPECT_TRUE(grid.add_axis(axis.side, axis.ends));
    return grid;
}

/// Coordinate of the neighbour; -1 if there is none.
int beside(const Axis& axis, std::uint32_t at, int step) {
    const int to = static_cast<int>(at) + step;
    const int side = static_cast<int>(axis.side);
    if (to >= 0 && to < side)
        return to;
    return axis.ends == Ends::joined && side > 1 ? (to + side) % side : -1;
}

void expect_shifts(const Grid& grid, Network network, std::uint32_t self,
                   const std::vector<Axis>& axes) {
    const Grid::Coords coords = *grid.coords();
    for (unsigned axis = 0; axis < axes.size(); ++axis)
        for (const int step : {-1, 1}) {
            const auto found = grid.shift(axis, step);
            const int to = beside(axes[axis], coords[axis], step);
            ASSERT_EQ(found.has_value(), to >= 0) << "node " << self << ", axis " << axis;
            if (!found)
                continue;
            Grid::Coords expected = coords;
            expected[axis] = static_cast<std::uint32_t>(to);
            ASSERT_EQ(grid.coords(found->node), expected);
            ASSERT_EQ(grid.node_of(expected), found->node);
            ASSERT_EQ(neighbor(network, node_at(self), found->port), found->node);
            const Grid there = grid_at(network, index(found->node), axes);
            const Neighbor back{node_at(self), found->port};
            ASSERT_EQ(there.shift(axis, -step), back);
        }
    EXPECT_FALSE(grid.shift(static_cast<unsigned>(axes.size()), 1).has_value());
}

void expect_grid(unsigned dim, const std::vector<Axis>& axes) {
    std::set<Grid::Coords> places;
    for (std::uint32_t self = 0; self < node_count(cube(dim)); ++self) {
        const Grid grid = grid_at(cube(dim), self, axes);
        ASSERT_EQ(grid.member(), grid.coords().has_value());
        if (grid.member()) {
            ASSERT_TRUE(places.insert(*grid.coords()).second);
            expect_shifts(grid, cube(dim), self, axes);
            continue;
        }
        for (unsigned axis = 0; axis < axes.size(); ++axis)
            ASSERT_FALSE(grid.shift(axis, 1).has_value() || grid.shift(axis, -1).has_value());
    }
    EXPECT_EQ(places.size(), grid_at(cube(dim), 0, axes).places());
}

TEST(Grid, ItsNeighboursAreOneLinkAwayAndAgree) {
    for (std::uint32_t x = 1; x <= 9; ++x) {
        expect_grid(4, {{x}});
        for (std::uint32_t y = 1; y <= 9; ++y) {
            expect_grid(8, {{x}, {y}});
            expect_grid(9, {{x}, {2, Ends::joined}, {y}});
        }
    }
    expect_grid(8, {{3}, {4}, {2}, {5}});
}

TEST(Grid, SidesOfAPowerOfTwoCanBeJoined) {
    for (std::uint32_t x = 1; x <= 16; x *= 2)
        for (std::uint32_t y = 1; y <= 16; y *= 2) {
            expect_grid(8, {{x, Ends::joined}, {y, Ends::joined}});
            expect_grid(8, {{x, Ends::joined}, {y, Ends::open}});
        }
}

TEST(Grid, AnAxisThatCannotBeIsRefusedAndChangesNothing) {
    Grid grid{cube(4), node_at(5)};
    EXPECT_TRUE(grid.add_axis(3));
    EXPECT_FALSE(grid.add_axis(5));
    EXPECT_FALSE(grid.add_axis(0));
    EXPECT_FALSE(grid.add_axis(0xFFFF'FFFF));
    EXPECT_FALSE(grid.add_axis(3, Ends::joined));
    EXPECT_EQ(grid.axes(), 1u);
    EXPECT_TRUE(grid.add_axis(4, Ends::joined));
    EXPECT_FALSE(grid.add_axis(2));
    EXPECT_EQ(grid.places(), 12u);
    Grid star{{Topology::star, 4}, node_at(0)};
    EXPECT_FALSE(star.add_axis(2));
}

TEST(DimsCreate, UsesEveryNodeWithSidesAsEqualAsTheyCanBe) {
    for (unsigned dim = 1; dim <= 16; ++dim)
        for (unsigned axes = 1; axes <= 4; ++axes) {
            const Grid::Coords sides = dims_create(cube(dim), axes);
            Grid grid{cube(dim), node_at(0)};
            for (unsigned axis = 0; axis < axes; ++axis)
                ASSERT_TRUE(grid.add_axis(sides[axis], Ends::joined));
            EXPECT_EQ(grid.places(), node_count(cube(dim)));
            EXPECT_TRUE(std::is_sorted(sides.rbegin() + static_cast<int>(sides.size() - axes),
                                       sides.rend()));
            EXPECT_LE(sides[0], 2 * sides[axes - 1]);
        }
}

std::optional<std::uint32_t> vertex_at(Network network, std::optional<Neighbor> place,
                                       unsigned levels) {
    if (!place)
        return std::nullopt;
    return BinaryTree{network, place->node, levels}.vertex();
}

void expect_tree(unsigned dim, unsigned levels) {
    const Network network = cube(dim);
    std::uint32_t held = 0;
    for (std::uint32_t self = 0; self < node_count(network); ++self) {
        const BinaryTree tree{network, node_at(self), levels};
        ASSERT_EQ(tree.levels(), levels);
        const auto vertex = tree.vertex();
        for (const auto& relative : {tree.parent(), tree.left(), tree.right()})
            if (relative) {
                ASSERT_EQ(neighbor(network, node_at(self), relative->port), relative->node);
            }
        if (!vertex) {
            ASSERT_FALSE(tree.parent() || tree.left() || tree.right());
            continue;
        }
        ++held;
        ASSERT_EQ(tree.node_of(*vertex), node_at(self));
        const auto none = std::optional<std::uint32_t>{};
        const bool leaf = 2 * *vertex + 1 >= tree.vertices();
        ASSERT_EQ(vertex_at(network, tree.left(), levels), leaf ? none : 2 * *vertex + 1);
        ASSERT_EQ(vertex_at(network, tree.right(), levels), leaf ? none : 2 * *vertex + 2);
        ASSERT_EQ(vertex_at(network, tree.parent(), levels),
                  *vertex == 0 ? none : (*vertex - 1) / 2);
    }
    EXPECT_EQ(held, (1u << levels) - 1);
}

TEST(BinaryTree, ItsRelativesAreOneLinkAway) {
    for (unsigned dim = 1; dim <= 10; ++dim)
        for (unsigned levels = 1; levels <= BinaryTree::levels_max(cube(dim)); ++levels)
            expect_tree(dim, levels);
}

TEST(BinaryTree, IsAsLargeAsTheNetworkHolds) {
    EXPECT_EQ((BinaryTree{cube(1), node_at(0)}.levels()), 1u);
    EXPECT_EQ((BinaryTree{cube(2), node_at(0)}.levels()), 2u);
    EXPECT_EQ((BinaryTree{cube(3), node_at(0)}.levels()), 2u);
    EXPECT_EQ((BinaryTree{cube(8), node_at(0), 99}.levels()), 7u);
    const BinaryTree none{{Topology::star, 4}, node_at(0)};
    EXPECT_FALSE(none.vertex() || none.parent() || none.left() || none.right());
    EXPECT_EQ(none.vertices(), 0u);
}

// A value goes round each ring of a torus of 2 x 8, and each node ends with the value that it gave.

constexpr Tag kRound = 3;

Process goes_round(Kernel& node) {
    Grid torus{node};
    if (!torus.add_axis(2, Ends::joined) || !torus.add_axis(8, Ends::joined))
        co_return Status::bad_argument;
    const auto next = torus.shift(1, 1);
    const auto previous = torus.shift(1, -1);
    std::uint32_t value = index(node.id());
    for (unsigned turn = 0; turn < 8; ++turn) {
        OutgoingPacket packet = co_await node.allocate(Rule::unicast);
        packet.header().destination = next->node;
        packet.header().tag = kRound;
        wire::store(packet.resize(sizeof value), 0, value);
        node.inject(std::move(packet));
        Packet got = co_await node.receive({.tag = kRound, .source = previous->node});
        value = wire::load<std::uint32_t>(got.payload(), 0);
    }
    node.result().crc = value;
    co_return Status::ok;
}

TEST(Grid, AValueGoesRoundATorusOneLinkAStep) {
    Rig rig{cube(4), goes_round};
    rig.run({});
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_EQ(rig.report(id).status, 0u);
        EXPECT_EQ(rig.report(id).crc, id);
        EXPECT_EQ(rig.report(id).finish_time, 8 * wire::kTicksPerUnit);
    }
}

} // namespace virtual_topology_test
} // namespace mesh::test
