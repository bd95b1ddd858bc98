// The rule `disjoint`: between any two nodes as many paths as links may fail, less one, computed
// hop by hop from nothing but the two addresses and the number of the path.
#include "core/network.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <set>
#include <vector>

namespace mesh {
namespace disjoint_paths_test {

/// The nodes between the two on path `path`, as route() leads a packet; ends where it goes nowhere.
std::vector<NodeId> inner_nodes(Network network, NodeId from, NodeId to, std::uint8_t path) {
    const Envelope envelope{Rule::disjoint, path, from, to};
    std::vector<NodeId> nodes;
    NodeId at = from;
    Port arrival = kNoPort;
    for (unsigned links = 0; links <= height(network, Rule::disjoint); ++links) {
        Route way = route(network, at, arrival, envelope);
        EXPECT_EQ(way.deliver, at == to);
        if (way.deliver || way.ports.size() != 1)
            break;
        arrival = way.ports.pop();
        EXPECT_NE(out_ports(network, at) >> index(arrival) & 1u, 0u);
        at = neighbor(network, at, arrival);
        if (at != to)
            nodes.push_back(at);
    }
    EXPECT_EQ(at, to) << "path " << int{path} << " from " << index(from);
    return nodes;
}

void expect_disjoint(Network network, NodeId from, NodeId to) {
    std::set<NodeId> seen{from, to};
    unsigned direct = 0;
    for (std::uint8_t path = 0; path < path_count(network); ++path) {
        const std::vector<NodeId> inner = inner_nodes(network, from, to, path);
        direct += inner.empty() ? 1 : 0;
        for (const NodeId node : inner)
            EXPECT_TRUE(seen.insert(node).second)
                << name(network.topology) << int{network.dim} << ": node " << index(node)
                << " twice from " << index(from) << " to " << index(to);
    }
    EXPECT_LE(direct, 1u);
}

TEST(DisjointPaths, BetweenAnyTwoNodesShareNoNode) {
    for (const Network network :
         {Network{Topology::cube, 1}, Network{Topology::cube, 2}, Network{Topology::cube, 5},
          Network{Topology::uhc, 2}, Network{Topology::uhc, 4}, Network{Topology::uhc, 5},
          Network{Topology::star, 3}, Network{Topology::star, 4}})
        for (std::uint32_t from = 0; from < node_count(network); ++from)
            for (std::uint32_t to = 0; to < node_count(network) && !testing::Test::HasFailure();
                 ++to)
                if (from != to)
                    expect_disjoint(network, node_at(from), node_at(to));
}

TEST(DisjointPaths, FromOneNodeOfALargerNetworkShareNoNode) {
    for (const Network network : {Network{Topology::cube, 11}, Network{Topology::uhc, 9},
                                  Network{Topology::uhc, 10}, Network{Topology::star, 6}})
        for (std::uint32_t to = 1; to < node_count(network) && !testing::Test::HasFailure(); ++to)
            expect_disjoint(network, node_at(0), node_at(to));
}

/// The checksum of tests/verify/proof/trees/Tables.v: of the ports of all paths to each node, as
/// seen from `from`, and of where lists end.
std::uint64_t checksum_of_paths(Network cube, NodeId from) {
    std::uint64_t sum = 0;
    const auto mix = [&](std::uint64_t token) { sum = sum * 1000003 + token; };
    for (std::uint32_t relative = 1; relative < node_count(cube); ++relative) {
        const NodeId to = node_at(index(from) ^ relative);
        for (std::uint8_t path = 0; path < path_count(cube); ++path) {
            std::vector<NodeId> nodes = inner_nodes(cube, from, to, path);
            nodes.push_back(to);
            NodeId at = from;
            for (const NodeId next : nodes) {
                mix(static_cast<unsigned>(std::countr_zero(index(at) ^ index(next))) + 2u);
                at = next;
            }
            mix(1);
        }
        mix(0);
    }
    return sum & (~std::uint64_t{0} >> 1); // modulo 2^63
}

TEST(DisjointPaths, OfCubesAreThoseThatCoqProvesThingsAbout) {
    // Those of tests/verify/proof/tables.csv, which tests/mesh/trees/test_proved_rules.py compares
    // with these.
    constexpr std::uint64_t kProved[] = {0x000001D1AA107D55u, 0x55EA032FAD529430u,
                                         0x623EFF428CA292A7u, 0x109249B2CBB456F0u,
                                         0x2B841E42F7E5AC0Du, 0x1A6EB88F5642BE48u};
    std::uint8_t dim = 0;
    for (const std::uint64_t proved : kProved) {
        const Network cube{Topology::cube, ++dim};
        EXPECT_EQ(checksum_of_paths(cube, node_at(0)), proved) << int{dim};
        EXPECT_EQ(checksum_of_paths(cube, node_at(node_count(cube) / 3)), proved) << int{dim};
    }
}

TEST(DisjointPaths, AreAsManyAsThePortsOfANode) {
    EXPECT_EQ(path_count({Topology::cube, 7}), 7u);
    EXPECT_EQ(path_count({Topology::uhc, 7}), 3u);
    EXPECT_EQ(path_count({Topology::star, 7}), 6u);
}

TEST(DisjointPaths, WithANumberOrANodeThatThereIsNotGoNowhere) {
    for (const Network network :
         {Network{Topology::cube, 3}, Network{Topology::uhc, 4}, Network{Topology::star, 4}}) {
        const auto paths = static_cast<std::uint8_t>(path_count(network));
        const NodeId from = node_at(0), to = node_at(3), nobody = node_at(node_count(network));
        const auto goes = [&](const Envelope& envelope) {
            return !route(network, from, kNoPort, envelope).nowhere();
        };
        EXPECT_TRUE(goes({Rule::disjoint, 0, from, to}));
        EXPECT_FALSE(goes({Rule::disjoint, paths, from, to}));
        EXPECT_FALSE(goes({Rule::disjoint, 0xFF, from, to}));
        EXPECT_FALSE(goes({Rule::disjoint, 0, nobody, to}));
        EXPECT_FALSE(goes({Rule::disjoint, 0, from, nobody}));
        EXPECT_FALSE(goes({Rule::disjoint, 0, from, kNoNode}));
    }
}

} // namespace disjoint_paths_test
} // namespace mesh
