// The UHC's trees: what each rule promises, against constructions of the paper that share no code
// with the rules.
#include "claim_check.hpp"
#include "uhc_claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <queue>
#include <string>

namespace mesh::claims {
namespace uhc_trees_test {

Network uhc(unsigned dim) { return {Topology::uhc, static_cast<std::uint8_t>(dim)}; }

const std::vector<Rule> kRules{Rule::bt1, Rule::bt1_counted, Rule::bt2,  Rule::bt3,
                               Rule::bts, Rule::bt4,         Rule::adst, Rule::ist};

TEST(UhcTrees, AllClaimsHoldForAllRootsUpToEightDimensions) {
    unsigned claims = 0;
    for_each_uhc_claim(8, [&](const char* claim, const Verdict& verdict) {
        ++claims;
        EXPECT_TRUE(holds(verdict)) << claim;
    });
    EXPECT_GT(claims, 7u * 30u);
}

TEST(UhcTrees, SampledRootsUpToFourteenDimensions) {
    for (unsigned dim = 9; dim <= 14; ++dim) {
        for (const std::uint32_t root : {0u, 1u, 0x0F3u, (1u << dim) - 2u}) {
            for (const Rule rule : kRules) {
                if (subtree_count(uhc(dim), rule) == 0)
                    continue;
                if (dim > 11 && rule == Rule::bt2)
                    continue; // looks up every parent by its path
                ASSERT_TRUE(holds(tree_spans_all_nodes(uhc(dim), rule, node_at(root))));
                ASSERT_TRUE(holds(children_invert_parent(uhc(dim), rule, node_at(root))));
            }
            if (dim <= 11) {
                ASSERT_TRUE(holds(trees_share_no_link(uhc(dim), Rule::ist, node_at(root))));
                ASSERT_TRUE(holds(paths_share_no_node(uhc(dim), Rule::ist, node_at(root))));
            }
        }
    }
}

TEST(UhcTrees, HeightsAreThoseOfTheTable) {
    const std::map<Rule, std::vector<unsigned>> even{
        {Rule::bt1, {3, 6, 9, 12, 15, 18}}, {Rule::bt2, {3, 5, 7, 9, 11, 13}},
        {Rule::bt3, {3, 6, 7, 10, 13, 14}}, {Rule::adst, {3, 6, 10, 12, 16, 18}},
        {Rule::bts, {3, 5, 7, 9, 11, 13}},  {Rule::bt4, {3, 6, 7, 9, 12, 15}},
        {Rule::ist, {3, 6, 9, 11, 13, 15}}, {Rule::bt1_counted, {3, 6, 9, 12, 15, 18}},
    };
    for (const auto& [rule, heights] : even) {
        for (unsigned entry = 0; entry < heights.size(); ++entry) {
            const Network net = uhc(2 * entry + 2);
            EXPECT_EQ(height(net, rule), heights[entry]) << name(rule) << " dim " << int{net.dim};
            if (net.dim <= 10) {
                EXPECT_TRUE(holds(height_is_reached(net, rule, node_at(0))));
                EXPECT_TRUE(holds(height_is_reached(net, rule, node_at(1))));
            }
        }
    }
}

// The greatest depth from one root.
unsigned eccentricity(Network net, Rule rule, NodeId root) {
    unsigned most = 0;
    for (unsigned subtree = 0; subtree < subtree_count(net, rule); ++subtree) {
        for (std::uint32_t node = 0; node < node_count(net); ++node)
            most = std::max(most, depth(net, rule, subtree, root, node_at(node), 99));
    }
    return most;
}

TEST(UhcTrees, OddDimensionsCostOneStepFromAnEvenRootAndTwoFromAnOddOne) {
    for (unsigned dim = 3; dim <= 9; dim += 2) {
        for (std::uint32_t root = 0; root < 1u << dim; root += dim < 8 ? 1 : 37) {
            const unsigned odd = std::popcount(root) % 2 != 0 ? 1 : 0;
            EXPECT_EQ(crossing_steps({static_cast<std::uint8_t>(dim)}, node_at(root)), odd + 1);
            for (const Rule rule : {Rule::bt1, Rule::bt1_counted, Rule::bt2, Rule::bt3}) {
                EXPECT_EQ(eccentricity(uhc(dim), rule, node_at(root)),
                          height(uhc(dim - 1), rule) + 1 + odd)
                    << name(rule) << " dim " << dim << " root " << root;
            }
            EXPECT_EQ(eccentricity(uhc(dim), Rule::bts, node_at(root)), dim + 1 + odd);
            if (dim >= 5) {
                EXPECT_EQ(eccentricity(uhc(dim), Rule::ist, node_at(root)), dim + 3 + odd);
            }
        }
    }
}

TEST(UhcTrees, EvenOnlyTreesAreAbsentInOddDimensions) {
    for (unsigned dim = 2; dim <= 9; ++dim) {
        for (const Rule rule : {Rule::bt4, Rule::adst}) {
            EXPECT_EQ(subtree_count(uhc(dim), rule) != 0, dim % 2 == 0);
            EXPECT_EQ(height(uhc(dim), rule) != 0, dim % 2 == 0);
            const Envelope envelope{rule, 0, node_at(0), kNoNode};
            EXPECT_EQ(route(uhc(dim), node_at(0), kNoPort, envelope).nowhere(), dim % 2 != 0);
        }
        EXPECT_EQ(subtree_count(uhc(dim), Rule::ist), dim / 2);
    }
}

// ---- bt1 by the recursion of section 3
// -----------------------------------------------------------

// The source sends its packet round the 4-cycle of its leftmost two ports; each of the four nodes
// is the source of the subcube without these.
void build_bt1(unsigned dim, std::uint32_t source, std::map<std::uint32_t, std::uint32_t>& from) {
    if (dim == 0)
        return;
    std::uint32_t at = source;
    build_bt1(dim - 2, at, from);
    for (unsigned hop = 0; hop < 3; ++hop) {
        const unsigned parity = static_cast<unsigned>(std::popcount(at)) % 2;
        const std::uint32_t next = at ^ (1u << (dim - 2 + parity));
        ASSERT_TRUE(from.emplace(next, at).second);
        at = next;
        build_bt1(dim - 2, at, from);
    }
}

TEST(Bt1, IsTheRecursionOverFourCycles) {
    for (unsigned dim = 2; dim <= 8; dim += 2) {
        for (const std::uint32_t root : {0u, 1u, 2u, (1u << dim) - 1u}) {
            std::map<std::uint32_t, std::uint32_t> from;
            build_bt1(dim, root, from);
            ASSERT_EQ(from.size(), (1u << dim) - 1u);
            for (const auto& [node, up] : from) {
                const Port port = parent(uhc(dim), Rule::bt1, 0, node_at(root), node_at(node));
                ASSERT_EQ(index(neighbor(uhc(dim), node_at(node), port)), up);
            }
        }
    }
}

TEST(Bt1, IgnoresAPacketThatComesAnotherWay) {
    const Envelope envelope{Rule::bt1, 0, node_at(0), kNoNode};
    for (std::uint32_t node = 1; node < 64; ++node) {
        for (unsigned port = 0; port < 6; ++port) {
            if (port_at(port) != parent(uhc(6), Rule::bt1, 0, node_at(0), node_at(node))) {
                EXPECT_TRUE(route(uhc(6), node_at(node), port_at(port), envelope).nowhere());
            }
        }
    }
}

// ---- bt2 by algorithm 1, flooded
// -----------------------------------------------------------------

struct Got {
    std::uint32_t from;
    unsigned in_port;
    int tag;
};

// Algorithm 1 with its nested conditions as a flat chain, port numbers as printed.
std::map<std::uint32_t, Got> flood_bt2(unsigned dim, std::uint32_t source) {
    std::map<std::uint32_t, Got> got;
    std::queue<std::uint32_t> active;
    const auto send = [&](std::uint32_t node, int up_to, int tag) {
        for (int j = 0; j <= up_to; ++j) {
            const unsigned parity = static_cast<unsigned>(std::popcount(node)) % 2;
            const unsigned number = static_cast<unsigned>(j);
            const std::uint32_t to = node ^ (1u << (2 * number + parity));
            EXPECT_TRUE(got.emplace(to, Got{node, number, tag}).second) << "twice at " << to;
            active.push(to);
        }
    };
    send(source, static_cast<int>(dim / 2) - 1, static_cast<int>(dim / 2));
    for (; !active.empty(); active.pop()) {
        const Got& here = got.at(active.front());
        const int i = static_cast<int>(here.in_port);
        if (here.tag > i + 1)
            send(active.front(), i + 1, i);
        else if (here.tag == -1)
            continue;
        else if (i == 0)
            send(active.front(), 0, here.tag - 1);
        else if (here.tag <= i)
            send(active.front(), i - 1, i);
        else
            send(active.front(), i, i);
    }
    return got;
}

TEST(Bt2, IsAlgorithm1) {
    for (unsigned dim = 2; dim <= 10; dim += 2) {
        for (const std::uint32_t root : {0u, 1u, 3u, (1u << dim) - 2u}) {
            const auto got = flood_bt2(dim, root);
            ASSERT_EQ(got.size(), (1u << dim) - 1u);
            EXPECT_FALSE(got.contains(root));
            for (const auto& [node, how] : got) {
                const Port port = parent(uhc(dim), Rule::bt2, 0, node_at(root), node_at(node));
                ASSERT_EQ(index(neighbor(uhc(dim), node_at(node), port)), how.from);
                ASSERT_EQ(arrival_tag(uhc(dim), Rule::bt2, node_at(root), node_at(node)),
                          how.tag + 1);
            }
        }
    }
}

// ---- bt3's table by its construction
// -------------------------------------------------------------

TEST(Bt3, TableIsBt2OfSixDimensionsWithOneNodeMoved) {
    std::array<unsigned, 64> children_of{};
    for (const auto& [node, how] : flood_bt2(6, 0))
        children_of[how.from] |= 1u << how.in_port;
    EXPECT_EQ(children_of[0b101111], 0u);
    children_of[0b101110] &= ~1u;
    children_of[0b111111] |= 4u;
    for (unsigned entry = 0; entry < 64; ++entry)
        EXPECT_EQ(kSectionTables[SectionTables::kBt3 + entry], children_of[entry]) << entry;
}

TEST(Bt3, SectionExampleOfThePaper) {
    // 01001100 of 8 dimensions, root 0: its section 010011 sends by out-port 0 of the section and
    // by the out-port below it.
    const NodeId node = node_at(0b01001100);
    const std::uint32_t ports = children(uhc(8), Rule::bt3, 0, node_at(0), node).set();
    EXPECT_EQ(ports, 1u << 3 | 1u << 1);
}

TEST(UhcTables, DigitsAreKeptInOrder) {
    const std::string bt3 = "7301701111101101703111103101101130113301110111003301301111101105";
    const std::string six = "3300202030101301302111103101101112000102110120102201201210103001";
    for (unsigned entry = 0; entry < 64; ++entry) {
        EXPECT_EQ(kSectionTables[SectionTables::kBt3 + entry],
                  static_cast<unsigned>(bt3[entry] - '0'));
        EXPECT_EQ(kSectionTables[SectionTables::kBt4Of6 + entry],
                  static_cast<unsigned>(six[entry] - '0'));
    }
    EXPECT_EQ(kSectionTables[SectionTables::kBt4Of8], 4u);
    EXPECT_EQ(kSectionTables[SectionTables::kBt4Of8 + 4], 2u);
    EXPECT_EQ(kSectionTables[SectionTables::kBt4Of8 + 255], 1u);
    EXPECT_EQ(sizeof kSectionTables, 145u);
}

// ---- counted headers
// -----------------------------------------------------------------------------

TEST(Bt1Counted, TwoBitsAreEnoughInEvenDimensions) {
    for (unsigned dim = 2; dim <= 8; dim += 2) {
        for (std::uint32_t node = 0; node < 1u << dim; ++node)
            EXPECT_LE(arrival_tag(uhc(dim), Rule::bt1_counted, node_at(0), node_at(node)), 3);
    }
}

TEST(Bt2, TagsFitInFiveBits) {
    for (unsigned dim = 2; dim <= 11; ++dim) {
        for (const std::uint32_t root : {0u, 1u}) {
            for (std::uint32_t node = 0; node < 1u << dim; ++node)
                ASSERT_LE(arrival_tag(uhc(dim), Rule::bt2, node_at(root), node_at(node)), kTagMax);
        }
    }
}

TEST(UhcTrees, NamesLeadBackToTheirRules) {
    for (const Rule rule : kRules)
        EXPECT_EQ(rule_by_name(Topology::uhc, name(rule)), rule);
    EXPECT_EQ(rule_by_name(Topology::uhc, "sbt"), std::nullopt);
    EXPECT_EQ(rule_by_name(Topology::cube, "bt1"), std::nullopt);
    EXPECT_EQ(trees(uhc(4)).size(), kRules.size());
}

} // namespace uhc_trees_test
} // namespace mesh::claims
