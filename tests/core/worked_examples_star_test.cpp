// The worked examples in the comments of core/star/ and core/schedules/path_choice.hpp and, of the
// star, in core/network.hpp: see worked_examples_cube_test.cpp. Nodes are written as their labels:
// 2143.
#include "examples.hpp"

#include "core/schedules/path_choice.hpp"
#include "core/schedules/star_paths.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mesh::examples {
namespace star_examples {

constexpr StarGraph kOf3{3};
constexpr StarGraph kOf4{4};
constexpr Network kStar4{Topology::star, 4};

using Labels = std::vector<unsigned>; // as decimal digits

unsigned digits(StarGraph star, const Label& label) {
    unsigned number = 0;
    for (unsigned position = 1; position <= star.symbols; ++position)
        number = 10 * number + label.at(position);
    return number;
}
unsigned digits(StarGraph star, std::uint32_t node) {
    return digits(star, star.unrank(node_at(node)));
}

Label label(StarGraph star, unsigned number) {
    Label found;
    for (unsigned position = star.symbols; position != 0; --position, number /= 10)
        found.put(position, number % 10);
    return found;
}
NodeId node(StarGraph star, unsigned number) { return star.rank(label(star, number)); }
NodeId node(unsigned number) { return node(kOf4, number); }
StarView view(unsigned number) { return {kOf4, label(kOf4, number)}; }

Labels labels(const Nodes& nodes) {
    Labels found;
    for (const std::uint32_t number : nodes)
        found.push_back(digits(kOf4, number));
    return found;
}

// Example (label, star of 4)
TEST(WorkedExamples, TheLabelOfNode13Is3142) {
    EXPECT_EQ(2u * 6 + 0u * 2 + 1u, 13u);
    EXPECT_EQ(digits(kOf4, 13), 3142u);
}

// Example (rank, star of 4)
TEST(WorkedExamples, TheNodeOfLabel3142Is13) { EXPECT_EQ(index(node(3142)), 13u); }

// Example (relative label, star of 4)
TEST(WorkedExamples, Node3124IsAt3214OfRoot2134) {
    EXPECT_EQ(digits(kOf4, kOf4.relative_label(node(3124), node(2134))), 3214u);
    EXPECT_EQ(kOf4.neighbor(node(1234), StarGraph::port_of(3)), node(3214));
    EXPECT_EQ(kOf4.neighbor(node(2134), StarGraph::port_of(3)), node(3124));
}

// Example (rotation, star of 4)
TEST(WorkedExamples, RotationTakesDimension2To3) {
    EXPECT_EQ(digits(kOf4, kOf4.rotate(label(kOf4, 2134))), 3214u);
    EXPECT_EQ(kOf4.neighbor(node(1234), StarGraph::port_of(2)), node(2134));
}

// Example (distance, star of 4)
TEST(WorkedExamples, Node3412IsFourLinksFromTheIdentity) {
    EXPECT_EQ(kOf4.distance(node(3412), node(1234)), 4u);
}

// Example (unicast, star of 4)
TEST(WorkedExamples, TheWayFrom2143SendsSymbolsHome) {
    const Envelope envelope{Rule::unicast, 0, kNoNode, node(1234)};
    EXPECT_EQ(labels(way(kStar4, envelope, node(2143))), (Labels{2143, 1243, 4213, 3214, 1234}));
}

// Example (spt, star of 4)
TEST(WorkedExamples, Spt2143Has4123AsParentAndThis3124) {
    EXPECT_EQ(view(2143).nearer(), 3u);
    EXPECT_EQ(kOf4.neighbor(node(2143), StarGraph::port_of(3)), node(4123));
    EXPECT_EQ(view(4123).nearer(), 4u);
    EXPECT_EQ(kOf4.neighbor(node(4123), StarGraph::port_of(4)), node(3124));
    EXPECT_EQ(fed_by(kStar4, Rule::spt, 0, index(node(2143))), index(StarGraph::port_of(3)));
}

/// The dimensions over which trees 2, 3 and 4 feed 2413.
Ports exits_of_2413(EdtVariant variant) {
    return {edt_parent(view(2413), 2, variant), edt_parent(view(2413), 3, variant),
            edt_parent(view(2413), 4, variant)};
}

// Example (edt, star of 4)
TEST(WorkedExamples, EdtFeeds2413Over3And2And4) {
    const EdtExits exits(view(2413), EdtVariant::paper);
    EXPECT_EQ(exits.home, 3u);
    EXPECT_EQ(exits.nearer, 2u);
    EXPECT_EQ(exits.over_home, 2u);
    EXPECT_EQ(exits.over_displaced, 4u);
    EXPECT_EQ(exits_of_2413(EdtVariant::paper), (Ports{3, 2, 4}));
}

// Example (edt-v2, star of 4)
TEST(WorkedExamples, EdtV2Feeds2413Over4And2And3) {
    EXPECT_EQ(view(2413).at(view(2413).first_misplaced()), 3u);
    EXPECT_EQ(exits_of_2413(EdtVariant::v2), (Ports{4, 2, 3}));
}

// Example (edt by its in-port, star of 4)
TEST(WorkedExamples, EdtTellsTheTreeByTheInPort) {
    EXPECT_EQ(edt_subtree(view(2413), 2, EdtVariant::paper), 3u);
    EXPECT_EQ(edt_subtree(view(2413), 3, EdtVariant::paper), 2u);
    EXPECT_EQ(edt_subtree(view(2413), 4, EdtVariant::paper), 4u);
}

// Example (look, star of 4)
TEST(WorkedExamples, TheTreesReach2314AsTree2ReachesItsRotations) {
    EXPECT_EQ(digits(kOf4, kOf4.rotate(label(kOf4, 2314))), 3241u);
    EXPECT_EQ(digits(kOf4, kOf4.rotate(label(kOf4, 3241))), 4132u);
    const PathLook look = StarPaths{kOf4}.look(index(node(2314)));
    EXPECT_EQ((Labels{digits(kOf4, look.turned[1]), digits(kOf4, look.turned[2])}),
              (Labels{4132, 3241}));
    EXPECT_EQ((Ports{look.links[0], look.links[1], look.links[2]}), (Ports{4, 2, 6}));
}

std::uint32_t chosen(unsigned copies, unsigned label) {
    return PathChoice(StarPaths{kOf4}, copies).trees_to(index(node(label)));
}

// Example (path choice, star of 4)
TEST(WorkedExamples, ACopyTakesTheNearestTreeOrThatOfTheSmallerLabel) {
    EXPECT_EQ(chosen(1, 2314), 0b010u);
    EXPECT_EQ(chosen(2, 2314), 0b011u);
    const PathLook look = StarPaths{kOf4}.look(index(node(1243)));
    EXPECT_EQ((Ports{look.links[0], look.links[1], look.links[2]}), (Ports{5, 3, 3}));
    EXPECT_EQ((Labels{digits(kOf4, look.turned[1]), digits(kOf4, look.turned[2])}),
              (Labels{1324, 1432}));
    EXPECT_EQ(chosen(1, 1243), 0b010u);
}

// Example (equal trees, star of 4)
TEST(WorkedExamples, NodesAlikeFromAllTreesTakeThemInTurn) {
    for (const unsigned label : {1342u, 1423u}) {
        const PathLook look = StarPaths{kOf4}.look(index(node(label)));
        EXPECT_TRUE(look.repeats);
        EXPECT_EQ((Ports{look.links[0], look.links[1], look.links[2]}), (Ports{4, 4, 4}));
    }
    EXPECT_EQ(chosen(1, 1342), 0b001u);
    EXPECT_EQ(chosen(1, 1423), 0b010u);
}

// Example (deepest first, star of 3)
TEST(WorkedExamples, AScatterSendsToTheDeepestNodesFirst) {
    DeepestFirst order(PathChoice(StarPaths{kOf3}, 1));
    Labels sent;
    for (PathTurn turn = order.next(); turn.node != 0; turn = order.next()) {
        const unsigned tree = lowest_bit(turn.trees);
        sent.insert(sent.end(),
                    {digits(kOf3, turn.node), tree, StarPaths{kOf3}.look(turn.node).links[tree]});
    }
    EXPECT_EQ(sent, (Labels{132, 0, 3, 231, 1, 2, 312, 0, 2, 213, 0, 1, 321, 1, 1}));
}

// Example (rounds, star of 3)
TEST(WorkedExamples, ATotalExchangeHasThreeRoundsOf3And1And2Links) {
    Rounds rounds(PathChoice(StarPaths{kOf3}, 1));
    auto round = rounds.next();
    EXPECT_EQ(round.links, 3u);
    EXPECT_EQ(round.trees, 0b01u);
    EXPECT_EQ(digits(kOf3, round.nodes[0]), 132u);
    round = rounds.next();
    EXPECT_EQ(round.links, 1u);
    EXPECT_EQ((Labels{digits(kOf3, round.nodes[0]), digits(kOf3, round.nodes[1])}),
              (Labels{213, 321}));
    round = rounds.next();
    EXPECT_EQ(round.links, 2u);
    EXPECT_EQ((Labels{digits(kOf3, round.nodes[0]), digits(kOf3, round.nodes[1])}),
              (Labels{312, 231}));
    EXPECT_EQ(rounds.next().links, 0u);
}

// Example (trees in turn, star of 4)
TEST(WorkedExamples, Packet1OfNode4TakesTrees0And1) {
    const PathChoice choice(StarPaths{kOf4}, 2);
    EXPECT_EQ(spread_tree(choice, node_at(4), 1, 0), 0u);
    EXPECT_EQ(spread_tree(choice, node_at(4), 1, 1), 1u);
}

// Example (disjoint, star of 4)
TEST(WorkedExamples, Path1OfTheStarTo2314IsThatOfTree3) {
    const Envelope envelope{Rule::disjoint, 1, node(1234), node(2314)};
    EXPECT_EQ(labels(way(kStar4, envelope, node(1234))), (Labels{1234, 3214, 2314}));
}

} // namespace star_examples
} // namespace mesh::examples
