// The star's numbering, symmetries, distances and unicast rule against the definition.
#include "core/star/graph.hpp"
#include "topology_claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace mesh::claims {
namespace star_topology_test {

static_assert(TopologyType<StarGraph>);

StarGraph star(unsigned symbols) { return {static_cast<std::uint8_t>(symbols)}; }

::testing::AssertionResult none(const std::optional<NodePair>& pair) {
    if (!pair)
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << "counterexample: nodes " << index(pair->from) << " and " << index(pair->to);
}

Label label_of(const std::vector<unsigned>& symbols) {
    Label label;
    for (unsigned position = 1; position <= symbols.size(); ++position)
        label.put(position, symbols[position - 1]);
    return label;
}

TEST(StarGraph, NumbersAreTheLexicographicRanks) {
    for (unsigned n = kSymbolsMin; n <= kSymbolsMax; ++n) {
        std::vector<unsigned> symbols(n);
        std::iota(symbols.begin(), symbols.end(), 1u);
        std::uint32_t number = 0;
        do {
            ASSERT_EQ(star(n).unrank(node_at(number)), label_of(symbols)) << n << ' ' << number;
            ASSERT_EQ(star(n).rank(label_of(symbols)), node_at(number)) << n << ' ' << number;
            ++number;
        } while (std::next_permutation(symbols.begin(), symbols.end()));
        EXPECT_EQ(star(n).node_count(), number);
    }
}

TEST(StarGraph, PortDSwapsPositions1AndDPlus2) {
    const NodeId node = star(6).rank(label_of({3, 4, 1, 5, 2, 6}));
    EXPECT_EQ(star(6).unrank(star(6).neighbor(node, port_at(0))), label_of({4, 3, 1, 5, 2, 6}));
    EXPECT_EQ(star(6).unrank(star(6).neighbor(node, port_at(4))), label_of({6, 4, 1, 5, 2, 3}));
}

TEST(StarGraph, EveryCableLeadsBack) {
    for (unsigned n = kSymbolsMin; n <= 8; ++n)
        EXPECT_TRUE(none(cables_fit_both_ends(star(n), false))) << "n " << n;
}

TEST(StarGraph, UnicastTakesAShortestPathBetweenAllPairs) {
    for (unsigned n = kSymbolsMin; n <= 5; ++n) {
        for (std::uint32_t to = 0; to < star(n).node_count(); ++to)
            ASSERT_TRUE(none(distances_are_shortest(star(n), node_at(to)))) << "n " << n;
    }
}

TEST(StarGraph, UnicastTakesAShortestPathInSampledLargeNetworks) {
    for (unsigned n = 6; n <= 8; ++n) {
        for (std::uint32_t to : {0u, 1u, 409u, star(n).node_count() - 1u})
            ASSERT_TRUE(none(distances_are_shortest(star(n), node_at(to)))) << "n " << n;
    }
}

TEST(StarGraph, DiameterIsReachedAndNotExceeded) {
    for (unsigned n = kSymbolsMin; n <= kSymbolsMax; ++n)
        EXPECT_EQ(farthest(star(n), node_at(0)), star(n).diameter()) << "n " << n;
}

// t_n of the paper: 9, 62, 442, 3444, 29628.
TEST(StarGraph, SumOfDistancesIsThePapers) {
    const std::vector<std::uint32_t> printed{9, 62, 442, 3444, 29628};
    for (unsigned n = 3; n <= 7; ++n) {
        std::uint32_t sum = 0;
        for (std::uint32_t node = 0; node < star(n).node_count(); ++node)
            sum += star(n).distance(node_at(0), node_at(node));
        EXPECT_EQ(sum, printed[n - 3]);
    }
}

TEST(StarGraph, TranslationKeepsTheDimensionOfEveryLink) {
    for (std::uint32_t root = 0; root < 120; ++root) {
        for (std::uint32_t number = 0; number < 120; ++number) {
            const Label seen = star(5).relative_label(node_at(number), node_at(root));
            const Label back = star(5).translate(star(5).unrank(node_at(root)), seen);
            ASSERT_EQ(star(5).rank(back), node_at(number));
            for (unsigned port = 0; port < 4; ++port) {
                Label crossed = seen;
                crossed.cross(StarGraph::dimension(port_at(port)));
                const NodeId other = star(5).neighbor(node_at(number), port_at(port));
                ASSERT_EQ(star(5).relative_label(other, node_at(root)), crossed);
            }
        }
    }
}

TEST(StarGraph, RotationTakesDimensionDToTheNext) {
    for (unsigned n = kSymbolsMin; n <= 6; ++n) {
        for (std::uint32_t number = 0; number < star(n).node_count(); ++number) {
            const Label label = star(n).unrank(node_at(number));
            for (unsigned dimension = 2; dimension <= n; ++dimension) {
                Label crossed = label;
                crossed.cross(dimension);
                Label turned = star(n).rotate(label);
                turned.cross(star(n).next_cyclic(dimension));
                ASSERT_EQ(star(n).rotate(crossed), turned);
            }
        }
    }
}

// Necklaces printed in the paper.
TEST(StarGraph, NecklacesAreThePapers) {
    const Label first = label_of({4, 1, 2, 3});
    EXPECT_EQ(star(4).rotate(first), label_of({2, 4, 1, 3}));
    EXPECT_EQ(star(4).rotate(star(4).rotate(first)), label_of({3, 4, 2, 1}));
    EXPECT_EQ(star(5).rotate(label_of({1, 3, 2, 5, 4})), label_of({1, 5, 4, 3, 2}));
    EXPECT_EQ(star(5).rotate(label_of({1, 5, 4, 3, 2})), label_of({1, 3, 2, 5, 4}));
}

TEST(StarGraph, ThreeToNineSymbolsAndNoOthers) {
    for (unsigned n = 0; n < 20; ++n)
        EXPECT_EQ(star(n).valid(), n >= 3 && n <= 9);
}

} // namespace star_topology_test
} // namespace mesh::claims
