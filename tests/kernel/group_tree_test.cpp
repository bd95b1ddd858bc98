// In a group that is a subcube each message crosses one link, and values are combined by ranks.
#include "library/group.hpp"

#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

namespace mesh::test {
namespace group_tree_test {

/// A subcube at `base` with these dimensions: bit b of a rank, or of its Gray code, is dimension
/// dims[b].
std::vector<NodeId> subcube(std::uint32_t base, std::span<const unsigned> dims, bool gray) {
    std::vector<NodeId> members;
    for (std::uint32_t rank = 0; rank < 1u << dims.size(); ++rank) {
        const std::uint32_t code = gray ? rank ^ rank >> 1 : rank;
        std::uint32_t node = base;
        for (std::size_t bit = 0; bit < dims.size(); ++bit)
            node ^= (code >> bit & 1u) << dims[bit];
        members.push_back(node_at(node));
    }
    return members;
}

void expect_links_and_order(const std::vector<NodeId>& members) {
    std::vector<unsigned> seen(1u << 10);
    for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
        const detail::GroupTree tree{Topology::cube, members, rank};
        const std::uint32_t place = tree.place();
        ASSERT_LT(place, members.size());
        EXPECT_EQ(tree.at(place), members[rank]);
        EXPECT_EQ(place == 0, rank == 0);
        ++seen[place];
        for (std::uint32_t bit = 1; bit < members.size(); bit <<= 1) {
            const NodeId other = tree.at(place ^ bit);
            EXPECT_EQ(std::popcount(index(other) ^ index(members[rank])), 1);
            const auto at = std::ranges::find(members, other) - members.begin();
            EXPECT_EQ(tree.is_first(bit), rank < static_cast<std::uint32_t>(at));
            // The blocks of both, of so many ranks, lie side by side.
            EXPECT_EQ(rank / bit ^ 1u, static_cast<std::uint32_t>(at) / bit);
        }
    }
    EXPECT_EQ(std::ranges::count(seen, 1u), static_cast<std::ptrdiff_t>(members.size()));
}

TEST(GroupTree, HasOneLinkForEachMessageInAnySubcubeByAddressesAndByTheGrayCode) {
    std::mt19937 random{1};
    for (unsigned size = 0; size <= 8; ++size)
        for (unsigned draw = 0; draw < 20; ++draw) {
            std::vector<unsigned> dims(10);
            std::iota(dims.begin(), dims.end(), 0u);
            std::ranges::shuffle(dims, random);
            dims.resize(size);
            const auto base = static_cast<std::uint32_t>(random() % 1024);
            expect_links_and_order(subcube(base, dims, false));
            expect_links_and_order(subcube(base, dims, true));
        }
}

TEST(GroupTree, IsTheWorkedExample) {
    const std::vector members = subcube(0, std::array{0u, 1u, 2u}, true);
    const std::vector<NodeId> ring{node_at(0), node_at(1), node_at(3), node_at(2),
                                   node_at(6), node_at(7), node_at(5), node_at(4)};
    EXPECT_EQ(members, ring);
    const detail::GroupTree tree{Topology::cube, members, 7};
    EXPECT_EQ(tree.place(), 4u);
    EXPECT_EQ(tree.at(4), node_at(4));
}

TEST(GroupTree, HasPlacesByRanksWhereTheMembersAreNoSubcubeInSuchAnOrder) {
    const auto nodes = [](std::initializer_list<unsigned> numbers) {
        std::vector<NodeId> members;
        for (const unsigned number : numbers)
            members.push_back(node_at(number));
        return members;
    };
    const std::vector<NodeId> ring = subcube(0, std::array{0u, 1u, 2u}, true);
    for (const auto& [topology, members] :
         {std::pair{Topology::cube, nodes({0, 1, 2, 3, 4, 5})},
          std::pair{Topology::cube, nodes({0, 3, 1, 2})}, // 0 and 3 are no subcube
          std::pair{Topology::cube, nodes({0, 1, 3, 4})}, // nor are these four
          std::pair{Topology::cube, nodes({0, 1, 6, 7})}, // two dimensions between halves
          std::pair{Topology::cube, nodes({0, 1, 2, 3, 4, 5, 6, 14})},
          std::pair{Topology::uhc, ring}, std::pair{Topology::star, ring}})
        for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
            const detail::GroupTree tree{topology, members, rank};
            EXPECT_EQ(tree.place(), rank);
            EXPECT_EQ(tree.at(rank), members[rank]);
        }
}

} // namespace group_tree_test
} // namespace mesh::test
