// The star's trees against the paper's formulas, and the steps of broadcasts over them.
#include "claim_check.hpp"
#include "star_claims.hpp"
#include "trees_simulator.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mesh::claims {
namespace star_trees_test {

Network star(unsigned symbols) { return {Topology::star, static_cast<std::uint8_t>(symbols)}; }

TEST(StarTrees, AllClaimsHoldUpToSixSymbols) {
    unsigned claims = 0;
    for_each_star_claim(6, [&](const char* claim, const Verdict& verdict) {
        ++claims;
        EXPECT_TRUE(holds(verdict)) << claim;
    });
    EXPECT_GE(claims, 4u * 23u);
}

TEST(StarTrees, AllClaimsHoldForTheIdentityOfSevenSymbols) {
    const NodeId zero = node_at(0);
    for (const Rule rule : trees(star(7))) {
        EXPECT_TRUE(holds(tree_spans_all_nodes(star(7), rule, zero)));
        EXPECT_TRUE(holds(height_is_reached(star(7), rule, zero)));
        EXPECT_TRUE(holds(one_parent_each(star(7), rule, zero)));
        EXPECT_TRUE(holds(children_invert_parent(star(7), rule, zero)));
        if (rule != Rule::spt) {
            EXPECT_TRUE(holds(trees_share_no_link(star(7), rule, zero)));
            EXPECT_TRUE(holds(paths_share_no_node(star(7), rule, zero)));
            EXPECT_TRUE(holds(next_tree_is_rotated(star(7), rule, zero)));
            EXPECT_TRUE(holds(arrival_port_tells_the_tree(star(7), rule, zero)));
        }
    }
}

TEST(StarTrees, EveryRootHasItsTreesUpToFiveSymbols) {
    for (unsigned symbols = 3; symbols <= 5; ++symbols) {
        for (const Rule rule : trees(star(symbols))) {
            EXPECT_TRUE(holds(for_all_roots(star(symbols), rule, tree_spans_all_nodes)));
            EXPECT_TRUE(holds(for_all_roots(star(symbols), rule, one_parent_each)));
            EXPECT_TRUE(holds(for_all_roots(star(symbols), rule, children_invert_parent)));
        }
    }
}

TEST(StarTrees, NoPacketLeavesByAPortThatIsNone) {
    for (unsigned symbols = 3; symbols <= 5; ++symbols)
        EXPECT_TRUE(holds(for_all_roots(star(symbols), Rule::unicast, corrupt_packets_are_safe)));
}

TEST(StarTrees, DepthsAreThoseMeasured) {
    const std::vector<unsigned> paper{5, 7, 8, 10, 11, 13};
    for (unsigned symbols = 3; symbols <= 8; ++symbols) {
        EXPECT_EQ(height(star(symbols), Rule::edt), paper[symbols - 3]);
        EXPECT_EQ(height(star(symbols), Rule::edt_v2), symbols == 4 ? 6 : paper[symbols - 3]);
    }
}

// Total exchange time: the sum of the depths of one subtree.
TEST(StarTrees, SumsOfDepthsAreThoseMeasured) {
    const std::vector<unsigned> paper{15, 96, 648, 4838, 40190};
    const std::vector<unsigned> v2{15, 94, 638, 4792, 39952};
    const auto sum = [](unsigned symbols, Rule rule, unsigned tree) {
        unsigned total = 0;
        for (std::uint32_t node = 1; node < node_count(star(symbols)); ++node)
            total += depth(star(symbols), rule, tree, node_at(0), node_at(node), 99);
        return total;
    };
    for (unsigned symbols = 3; symbols <= 7; ++symbols) {
        for (const unsigned tree : {2u, symbols}) {
            EXPECT_EQ(sum(symbols, Rule::edt, tree), paper[symbols - 3]) << symbols;
            EXPECT_EQ(sum(symbols, Rule::edt_v2, tree), v2[symbols - 3]) << symbols;
        }
    }
}

// ---- definition 8, formulas (1) to (11), on strings of digits
// ------------------------------------

using Word = std::string; // word[0] is i_1

// The neighbour that starts with this symbol.
Word starting_with(Word word, char symbol) {
    std::swap(word[0], word[word.find(symbol)]);
    return word;
}

char digit(std::size_t number) { return static_cast<char>('0' + number); }

// i_{p_i}: the symbol with which the parent in the shortest path graph starts.
char symbol_at_p(const Word& word, std::size_t k) {
    if (word[0] != digit(k))
        return word[static_cast<std::size_t>(word[0] - '1')];
    for (std::size_t turn = 1; turn < word.size(); ++turn) {
        const std::size_t position = (k - 2 + turn) % (word.size() - 1) + 2;
        if (word[position - 1] != digit(position))
            return word[position - 1];
    }
    return 0;
}

Word printed_parent(const Word& word, std::size_t l) {
    const std::size_t k = word.find('1') + 1;
    if (k == 1)
        return starting_with(word, word[l - 1]); // (11)
    const char next = symbol_at_p(word, k);
    if (l == k)
        return starting_with(word, next);                                 // (1) (4) (7)
    if (next == digit(k))                                                 // type 1
        return starting_with(word, digit(l) == word[0] ? '1' : digit(l)); // (2) (3)
    if (word[0] == digit(k))                                              // type 2
        return starting_with(word, digit(l) == next ? '1' : digit(l));    // (5) (6)
    if (digit(l) == word[0])
        return starting_with(word, '1'); // (8)
    if (digit(l) == next)
        return starting_with(word, digit(k)); // (9)
    return starting_with(word, digit(l));     // (10)
}

Word word_of(unsigned symbols, NodeId node) {
    const Label label = StarGraph{static_cast<std::uint8_t>(symbols)}.unrank(node);
    Word word;
    for (unsigned position = 1; position <= symbols; ++position)
        word.push_back(digit(label.at(position)));
    return word;
}

TEST(EdtTree, ParentsAreThoseOfDefinition8) {
    for (unsigned symbols = 3; symbols <= 7; ++symbols) {
        for (std::uint32_t node = 1; node < node_count(star(symbols)); ++node) {
            for (unsigned tree = 2; tree <= symbols; ++tree) {
                const Port up = parent(star(symbols), Rule::edt, tree, node_at(0), node_at(node));
                const NodeId other = neighbor(star(symbols), node_at(node), up);
                ASSERT_EQ(word_of(symbols, other),
                          printed_parent(word_of(symbols, node_at(node)), tree))
                    << word_of(symbols, node_at(node)) << " tree " << tree;
            }
        }
    }
}

TEST(EdtTree, WorkedExamplesOfThePaper) {
    EXPECT_EQ(printed_parent("3124", 3), "1324");
    EXPECT_EQ(printed_parent("3124", 4), "4123");
    EXPECT_EQ(printed_parent("2143", 4), "1243");
    EXPECT_EQ(printed_parent("2143", 3), "3142");
    EXPECT_EQ(printed_parent("4123", 4), "1423");
    EXPECT_EQ(printed_parent("4123", 3), "2143");
}

TEST(EdtTree, ChildrenOfTreeLAreServedFromDimensionLPlus1) {
    for (unsigned tree = 2; tree <= 6; ++tree) {
        for (std::uint32_t node = 0; node < 720; ++node) {
            unsigned last = 0;
            for (PortSequence out = children(star(6), Rule::edt, tree, node_at(0), node_at(node));
                 !out.empty();) {
                const unsigned dimension = StarGraph::dimension(out.pop());
                const unsigned place = (dimension + 5 - 1 - tree) % 5 + 1; // l+1 first, l last
                EXPECT_GT(place, last);
                last = place;
            }
        }
    }
}

TEST(EdtTree, VariantsDifferInTwoRowsOnly) {
    unsigned differ = 0;
    for (std::uint32_t node = 1; node < 120; ++node) {
        unsigned trees_moved = 0;
        for (unsigned tree = 2; tree <= 5; ++tree) {
            if (parent(star(5), Rule::edt, tree, node_at(0), node_at(node)) !=
                parent(star(5), Rule::edt_v2, tree, node_at(0), node_at(node)))
                ++trees_moved;
        }
        EXPECT_TRUE(trees_moved == 0 || trees_moved == 2);
        differ += trees_moved != 0 ? 1 : 0;
    }
    EXPECT_GT(differ, 0u);
}

// Message m goes to the trees 2 + (m * x + j) mod (n-1): ceil(Mx/(n-1)) + depth - 1 steps.
TEST(StarSteps, StripedCopiesTakeTheStepsOfTheFormula) {
    for (const Rule rule : {Rule::edt, Rule::edt_v2}) {
        for (unsigned symbols = 3; symbols <= 5; ++symbols) {
            const unsigned count = symbols - 1;
            for (unsigned copies = 1; copies <= count; ++copies) {
                for (unsigned messages = 1; messages <= 12; ++messages) {
                    std::vector<std::uint32_t> load(count);
                    for (unsigned copy = 0; copy < messages * copies; ++copy)
                        ++load[copy % count];
                    TreesSimulator simulator(star(symbols), rule, node_at(4));
                    EXPECT_EQ(simulator.broadcast(load), (messages * copies + count - 1) / count +
                                                             height(star(symbols), rule) - 1)
                        << name(rule) << " n " << symbols << " x " << copies << " M " << messages;
                }
            }
        }
    }
}

TEST(StarSteps, OneTreeOfShortestPathsTakesMPlusDiameterMinus1) {
    for (unsigned symbols = 3; symbols <= 6; ++symbols) {
        for (std::uint32_t messages = 1; messages <= 4; ++messages) {
            TreesSimulator simulator(star(symbols), Rule::spt, node_at(1));
            EXPECT_EQ(simulator.broadcast({messages}), messages + 3 * (symbols - 1) / 2 - 1);
        }
    }
}

TEST(StarTrees, NamesLeadBackToTheirRules) {
    for (const char* tree : {"spt", "edt", "edt-v2"})
        EXPECT_EQ(name(*rule_by_name(Topology::star, tree)), tree);
    EXPECT_EQ(rule_by_name(Topology::star, "bt1"), std::nullopt);
    EXPECT_EQ(trees(star(5)).size(), 3u);
}

} // namespace star_trees_test
} // namespace mesh::claims
