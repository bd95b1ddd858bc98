// The UHC's links, distances and unicast rule against the definition of the network.
#include "core/uhc/uni_hypercube.hpp"
#include "topology_claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace mesh::claims {
namespace uhc_topology_test {

static_assert(TopologyType<UniHypercube>);

UniHypercube uhc(unsigned dim) { return {static_cast<std::uint8_t>(dim)}; }

::testing::AssertionResult none(const std::optional<NodePair>& pair) {
    if (!pair)
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << "counterexample: nodes " << index(pair->from) << " and " << index(pair->to);
}

// sign of (-1)^(b_{n-1} + .. + b_0 + i), digit by digit as printed.
bool polarity_is_positive(unsigned dim, std::uint32_t node, unsigned port) {
    unsigned sum = port;
    for (unsigned bit = 0; bit < dim; ++bit)
        sum += (node >> bit) & 1u;
    return std::pow(-1.0, sum) > 0;
}

TEST(UniHypercube, DirectionsAreThePolarityFunction) {
    for (unsigned dim = 2; dim <= 9; ++dim) {
        for (std::uint32_t node = 0; node < 1u << dim; ++node) {
            for (unsigned port = 0; port < dim; ++port) {
                const bool positive = polarity_is_positive(dim, node, port);
                ASSERT_EQ(uhc(dim).sends_on(node_at(node), port_at(port)), positive);
                ASSERT_EQ(((uhc(dim).out_ports(node_at(node)) >> port) & 1u) != 0, positive);
            }
        }
    }
}

TEST(UniHypercube, EveryLinkCarriesPacketsOneWayOnly) {
    for (unsigned dim = 2; dim <= 12; ++dim)
        EXPECT_TRUE(none(cables_fit_both_ends(uhc(dim), true))) << "dim " << dim;
}

TEST(UniHypercube, OutPortsAreNumberedByTheirSuperdimension) {
    for (unsigned dim = 2; dim <= 7; ++dim) {
        for (std::uint32_t number = 0; number < 1u << dim; ++number) {
            const NodeId node = node_at(number);
            std::uint32_t out = 0;
            for (unsigned j = 0; j < uhc(dim).out_port_count(node); ++j) {
                const Port port = uhc(dim).out_port(node, j);
                EXPECT_EQ(UniHypercube::superdimension(port), j);
                EXPECT_EQ(uhc(dim).in_port(node, j), port_at(index(port) ^ 1u));
                out |= 1u << index(port);
            }
            EXPECT_EQ(out, uhc(dim).out_ports(node));
        }
    }
    // The link from 0000 to 0100 is out-port 1 (port 2) of 0000 and in-port 1 of 0100.
    EXPECT_EQ(uhc(4).out_port(node_at(0), 1), port_at(2));
    EXPECT_EQ(uhc(4).in_port(node_at(4), 1), port_at(2));
}

TEST(UniHypercube, UnicastTakesAShortestPathBetweenAllPairs) {
    for (unsigned dim = 2; dim <= 9; ++dim) {
        for (std::uint32_t to = 0; to < 1u << dim; ++to)
            ASSERT_TRUE(none(distances_are_shortest(uhc(dim), node_at(to)))) << "dim " << dim;
    }
}

TEST(UniHypercube, UnicastTakesAShortestPathInSampledLargeNetworks) {
    for (unsigned dim = 10; dim <= 13; ++dim) {
        for (const std::uint32_t to : {0u, 1u, 3u, 0x155u, 0x2AAu, (1u << dim) - 1u})
            ASSERT_TRUE(none(distances_are_shortest(uhc(dim), node_at(to)))) << "dim " << dim;
    }
}

TEST(UniHypercube, DiameterIsOneMoreThanTheDimensionTwoMoreIfOdd) {
    for (unsigned dim = 2; dim <= 12; ++dim) {
        unsigned most = 0;
        for (std::uint32_t to = 0; to < 2; ++to)
            most = std::max(most, farthest(uhc(dim), node_at(to)));
        EXPECT_EQ(most, uhc(dim).diameter());
        EXPECT_EQ(uhc(dim).diameter(), dim % 2 == 0 ? dim + 1 : dim + 2);
    }
}

TEST(UniHypercube, TheWayBackOverALinkIsThreeLinksOnAFourCycle) {
    for (unsigned dim = 2; dim <= 8; ++dim) {
        for (std::uint32_t number = 0; number < 1u << dim; ++number) {
            std::uint32_t first_ports = 0;
            unsigned in_superdimensions = 0;
            for (unsigned port = 0; port < dim; ++port) {
                const NodeId node = node_at(number);
                if (uhc(dim).sends_on(node, port_at(port)))
                    continue;
                const NodeId sender = uhc(dim).neighbor(node, port_at(port));
                EXPECT_EQ(uhc(dim).distance(node, sender), 3u);
                first_ports |= 1u << index(uhc(dim).next_hop(node, sender));
                in_superdimensions += port / 2 * 2 + 1 < dim ? 1u : 0u;
            }
            EXPECT_GE(static_cast<unsigned>(std::popcount(first_ports)), in_superdimensions);
        }
    }
}

TEST(UniHypercube, OneDimensionIsNone) {
    EXPECT_FALSE(uhc(0).valid());
    EXPECT_FALSE(uhc(1).valid());
    EXPECT_TRUE(uhc(2).valid());
    EXPECT_TRUE(uhc(kDimMax).valid());
    EXPECT_FALSE(uhc(kDimMax + 1).valid());
}

} // namespace uhc_topology_test
} // namespace mesh::claims
