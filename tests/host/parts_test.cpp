// The cut of a network into parts.
#include "host-tools/mesh/ranks/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

using namespace mesh;
using namespace mesh::host;

namespace {

constexpr unsigned kPartsMax = 6;

std::vector<Network> networks() {
    std::vector<Network> all;
    for (const Topology topology : {Topology::cube, Topology::uhc, Topology::star})
        for (std::uint8_t dim = 3; dim <= 7; ++dim)
            if (valid(Network{topology, dim}))
                all.push_back({topology, dim});
    return all;
}

std::vector<std::uint32_t> sizes(Network network, unsigned parts) {
    std::vector<std::uint32_t> count(parts);
    for (std::uint32_t node = 0; node < node_count(network); ++node)
        ++count.at(part_of(network, node_at(node), parts));
    return count;
}

} // namespace

TEST(Parts, EveryNodeIsInOnePartAndNodeZeroInTheFirst) {
    for (const Network network : networks())
        for (unsigned parts = 1; parts <= kPartsMax; ++parts) {
            EXPECT_EQ(part_of(network, NodeId{0}, parts), 0u);
            const auto count = sizes(network, parts);
            EXPECT_GT(*std::ranges::min_element(count), 0u) << parts;
        }
}

TEST(Parts, PartsDifferByNoMoreThanOneClass) {
    for (const Network network : networks())
        for (unsigned parts = 1; parts <= kPartsMax; ++parts) {
            const auto count = sizes(network, parts);
            const unsigned n = network.dim;
            const std::uint32_t of_one_class =
                network.topology == Topology::star ? node_count(network) / (n * (n - 1)) : 1;
            EXPECT_LE(*std::ranges::max_element(count) - *std::ranges::min_element(count),
                      of_one_class)
                << name(network.topology) << " " << n << " in " << parts;
        }
}

TEST(Parts, OneLinkOfTheBinomialTreeCrossesTheCutOfACubeInTwo) {
    const Network cube{Topology::cube, 6};
    unsigned across = 0;
    for (std::uint32_t node = 1; node < node_count(cube); ++node) {
        const Port up = parent(cube, Rule::sbt, 0, NodeId{0}, node_at(node));
        const NodeId above = neighbor(cube, node_at(node), up);
        across += part_of(cube, above, 2) != part_of(cube, node_at(node), 2) ? 1 : 0;
    }
    EXPECT_EQ(across, 1u);
}

TEST(Parts, Node13OfTheStarOf4IsInTheSecondOfTwo) { // the example of parts.hpp
    const Network star{Topology::star, 4};
    EXPECT_EQ(part_of(star, NodeId{13}, 12), 6u);
    EXPECT_EQ(part_of(star, NodeId{13}, 2), 1u);
}

TEST(Parts, OneDimensionOfAStarCrossesTheCutByTheLastSymbol) {
    const Network star{Topology::star, 5};
    for (std::uint32_t node = 0; node < node_count(star); ++node)
        for (unsigned port = 0; port + 1 < port_count(star); ++port) {
            const NodeId there = neighbor(star, node_at(node), port_at(port));
            EXPECT_EQ(part_of(star, node_at(node), 5), part_of(star, there, 5));
        }
}
