// The worked examples in the comments of core/ and core/cube/: each is computed by the functions
// beside which it stands. The comment above a case is the example's own name; a house rule sees
// that every example has its case.
#include "examples.hpp"

#include "core/embedding.hpp"
#include "core/multicast.hpp"
#include "core/own_rule.hpp"
#include "core/schedules/ascend_steps.hpp"
#include "core/schedules/scatter_order.hpp"
#include "core/schedules/timetable.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace mesh::examples {
namespace cube_examples {

constexpr Network kCube3{Topology::cube, 3};
constexpr Network kCube4{Topology::cube, 4};
constexpr Hypercube kOf3{3};
constexpr Hypercube kOf4{4};

struct OverTrailingZeroes {
    static constexpr PortSequence children(Network, NodeId self, NodeId root) {
        const std::uint32_t relative = index(self) ^ index(root);
        return PortSequence::descending((relative == 0 ? 16u : lowest_one(relative)) - 1u);
    }
};

// Example (parity)
TEST(WorkedExamples, FiveOnesAreFoldedToThreeAndFoundOdd) {
    EXPECT_EQ(0b0110u ^ 0b1011u, 0b1101u);
    EXPECT_EQ(0x6996u >> 0b1101u & 1u, 1u);
    EXPECT_TRUE(odd_weight(0b0110'1011));
    EXPECT_TRUE(odd_weight(0b1101));
}

// Example (Gray code)
TEST(WorkedExamples, GrayWords5And6DifferInBit1) {
    EXPECT_EQ(gray(5), 0b111u);
    EXPECT_EQ(gray(6), 0b101u);
    EXPECT_EQ(gray_position(0b101), 6u);
}

// Example (order of ports)
TEST(WorkedExamples, PortsAreServedFrom2UpwardOrDownward) {
    EXPECT_EQ(in_order(PortSequence::ascending(0b1101, 2)), (Ports{2, 3, 0}));
    EXPECT_EQ(in_order(PortSequence::descending(0b1101, 2)), (Ports{2, 0, 3}));
}

// Example (relative address, n = 4)
TEST(WorkedExamples, Node0110IsAt0011OfRoot0101) {
    EXPECT_EQ(index(relative_address(node_at(0b0110), node_at(0b0101))), 0b0011u);
    EXPECT_EQ(kOf4.distance(node_at(0b0110), node_at(0b0101)), 2u);
}

// Example (unicast, cube, n = 4)
TEST(WorkedExamples, ECubeCrossesDimension0ThenDimension3) {
    const Envelope envelope{Rule::unicast, 0, kNoNode, node_at(0b1010)};
    EXPECT_EQ(way(kCube4, envelope, node_at(0b0011)), (Nodes{0b0011, 0b0010, 0b1010}));
}

// Example (sbt, n = 4)
TEST(WorkedExamples, SbtOfRoot0101LeadsFrom0100Over0110To0010And1110) {
    EXPECT_EQ(sends(kCube4, Rule::sbt, 0b0101, 0b0110), (Ports{2, 3}));
    EXPECT_EQ(fed_by(kCube4, Rule::sbt, 0b0101, 0b0110), 1u);
    EXPECT_EQ(index(kOf4.neighbor(node_at(0b0110), port_at(2))), 0b0010u);
    EXPECT_EQ(index(kOf4.neighbor(node_at(0b0110), port_at(3))), 0b1110u);
    EXPECT_EQ(index(kOf4.neighbor(node_at(0b0110), port_at(1))), 0b0100u);
}

// Example (bs, n = 4)
TEST(WorkedExamples, BsGoesOnAboveTheArrivalPort) {
    EXPECT_EQ(bs_children(kOf4, port_at(1)), 0b1100u);
    EXPECT_EQ(sends(kCube4, Rule::bs, 0b0101, 0b0110), sends(kCube4, Rule::sbt, 0b0101, 0b0110));
}

// Example (own, n = 4)
TEST(WorkedExamples, ANodeOfAFilesTreeFindsItsParentAmongItsNeighbours) {
    OwnRule rule = own_rule_of<OverTrailingZeroes>(4);
    loaded_rule = &rule;
    EXPECT_EQ(sends(kCube4, Rule::own, 0, 0b0100), (Ports{1, 0}));
    EXPECT_EQ(sends(kCube4, Rule::own, 0, 0b0111), (Ports{}));
    EXPECT_EQ(fed_by(kCube4, Rule::own, 0, 0b0110), 1u);
    const Envelope envelope{Rule::own, 0, node_at(0), node_at(0b0110)};
    EXPECT_EQ(way(kCube4, envelope, node_at(0)), (Nodes{0b0000, 0b0100, 0b0110}));
    EXPECT_EQ(subtree_count(kCube4, Rule::own), 1u);
    loaded_rule = nullptr;
    EXPECT_EQ(subtree_count(kCube4, Rule::own), 0u);
    EXPECT_TRUE(route(kCube4, node_at(0), kNoPort, envelope).nowhere());
}

// Example (hp, n = 4)
TEST(WorkedExamples, HpBeginsAsTheGrayCodeDoes) {
    std::uint32_t node = 0;
    for (const std::uint32_t next : {0b0001u, 0b0011u, 0b0010u, 0b0110u, 0b0111u}) {
        node ^= hp_children(kOf4, Relative{node});
        EXPECT_EQ(node, next);
    }
}

// Example (hp, way back, n = 4)
TEST(WorkedExamples, Hp0110CameFrom0010AndThisFrom0011) {
    EXPECT_EQ(hp_parent(Relative{0b0110}), port_at(2));
    EXPECT_EQ(hp_parent(Relative{0b0010}), port_at(0));
}

// Example (tcbt, n = 4)
TEST(WorkedExamples, TcbtFeeds0110Across1AndItsChildrenLieAcross0And2) {
    EXPECT_EQ(fed_by(kCube4, Rule::tcbt, 0, 0b0110), 1u);
    EXPECT_EQ(sends(kCube4, Rule::tcbt, 0, 0b0110), (Ports{0, 2}));
}

// Example (msbt, n = 4, tree 1)
TEST(WorkedExamples, Msbt0110IsAnInnerNodeOfTree1With0100AsLeaf) {
    EXPECT_EQ(rotate_right(0b0110, 1, 4), 0b0011u);
    EXPECT_EQ(msbt_children(kOf4, Relative{0b0110}, 1), 0b1011u);
    EXPECT_EQ(msbt_parent(kOf4, Relative{0b0110}, 1), port_at(2));
    EXPECT_EQ(rotate_right(0b0100, 1, 4), 0b0010u);
    EXPECT_EQ(msbt_children(kOf4, Relative{0b0100}, 1), 0u);
    EXPECT_EQ(msbt_parent(kOf4, Relative{0b0100}, 1), port_at(1));
}

// Example (msbt without its root, n = 4, tree 1)
TEST(WorkedExamples, MsbtFindsTheSameChildrenByTheArrivalPort) {
    EXPECT_EQ(rotate_left(0b1101, 1, 4), 0b1011u);
    EXPECT_EQ(msbt_children_light(kOf4, port_at(2), 1, false), 0b1011u);
}

// Example (msbt-rot, n = 3)
TEST(WorkedExamples, MsbtRotTree4BeginsWithDimension1AndMeetsNoOther) {
    EXPECT_EQ(sends(kCube3, Rule::msbt_rot, 0, 0b000, 4), (Ports{1, 2, 0}));
    EXPECT_EQ(rotate_right(0b010, 1, 3), 0b001u);
    EXPECT_EQ(sends(kCube3, Rule::msbt_rot, 0, 0b010, 4), (Ports{2, 0}));
    EXPECT_EQ(sends(kCube3, Rule::msbt_rot, 0, 0b000, 3), (Ports{0, 1, 2}));
    EXPECT_EQ(sends(kCube3, Rule::msbt_rot, 0, 0b000, 5), (Ports{2, 0, 1}));
    for (const unsigned first : {0u, 1u, 2u})
        EXPECT_EQ(rotated_lag(kOf3, Relative{0}, port_at((first + 1) % 3), first, first), 1u);
    EXPECT_EQ(rotated_lag(kOf3, Relative{0b010}, port_at(2), 1, 1), 1u);
    EXPECT_EQ(rotated_lag(kOf3, Relative{0b010}, port_at(0), 1, 1), 2u);
}

// Example (sbnt-minr, n = 4)
TEST(WorkedExamples, SbntMinr0110LiesBetween0010And1110) {
    for (const unsigned turn : {0u, 2u, 3u})
        EXPECT_GT(rotate_right(0b0110, turn, 4), rotate_right(0b0110, 1, 4));
    EXPECT_EQ(fed_by(kCube4, Rule::sbnt_minr, 0, 0b0110), 2u);
    EXPECT_EQ(sends(kCube4, Rule::sbnt_minr, 0, 0b0110), (Ports{3}));
    EXPECT_EQ(rotate_left(0b0111, 1, 4), 0b1110u);
    EXPECT_EQ(rotate_right(0b1011, 3, 4), 0b0111u);
}

// Example (sbnt-minbl, n = 4)
TEST(WorkedExamples, SbntMinblIsSbntMinrInTheMirror) {
    EXPECT_EQ(detail::mirror(kOf4, 0b1000), 0b0001u);
    EXPECT_EQ(sends(kCube4, Rule::sbnt_minr, 0, 0b0001), (Ports{1, 2}));
    EXPECT_EQ(sends(kCube4, Rule::sbnt_minbl, 0, 0b1000), (Ports{2, 1}));
    EXPECT_EQ(detail::mirror(kOf4, 0b0011), 0b1100u);
    EXPECT_EQ(fed_by(kCube4, Rule::sbnt_minr, 0, 0b1100), 3u);
    EXPECT_EQ(fed_by(kCube4, Rule::sbnt_minbl, 0, 0b0011), 0u);
}

// Example (sbnt-maxl, n = 4)
TEST(WorkedExamples, SbntMaxl0110LiesBetween0100And0111) {
    for (const unsigned turn : {0u, 2u, 3u})
        EXPECT_LT(rotate_left(0b0110, turn, 4), rotate_left(0b0110, 1, 4));
    EXPECT_EQ(rotate_left(0b0110, 1, 4), 0b1100u);
    EXPECT_EQ(fed_by(kCube4, Rule::sbnt_maxl, 0, 0b0110), 1u);
    EXPECT_EQ(sends(kCube4, Rule::sbnt_maxl, 0, 0b0110), (Ports{0}));
    EXPECT_EQ(rotate_left(0b1101, 3, 4), 0b1110u);
}

// Example (sbnt-maxbr, n = 4)
TEST(WorkedExamples, SbntMaxbrIsSbntMaxlInTheMirror) {
    EXPECT_EQ(detail::mirror(kOf4, 0b0111), 0b1110u);
    EXPECT_EQ(fed_by(kCube4, Rule::sbnt_maxl, 0, 0b1110), 1u);
    EXPECT_EQ(sends(kCube4, Rule::sbnt_maxl, 0, 0b1110), (Ports{0}));
    EXPECT_EQ(fed_by(kCube4, Rule::sbnt_maxbr, 0, 0b0111), 2u);
    EXPECT_EQ(sends(kCube4, Rule::sbnt_maxbr, 0, 0b0111), (Ports{3}));
}

// Example (sbg, n = 4)
TEST(WorkedExamples, Sbg0101HasTheParents0001And0100) {
    EXPECT_EQ(rotate_right(0b0101, 2, 4), 0b0101u);
    EXPECT_EQ(fed_by(kCube4, Rule::sbnt_minr, 0, 0b0101), 2u);
    EXPECT_EQ(parents(kCube4, Rule::sbg, 0, node_at(0), node_at(0b0101)), 0b0101u);
    Envelope envelope{Rule::sbg, 2, node_at(0), node_at(0b0101)};
    EXPECT_EQ(way(kCube4, envelope, node_at(0)), (Nodes{0, 0b0100, 0b0101}));
    envelope = {Rule::sbg, 2, node_at(0b0101), node_at(0), 0, true};
    EXPECT_EQ(way(kCube4, envelope, node_at(0b0101)), (Nodes{0b0101, 0b0100, 0}));
}

// Example (alt, n = 4 and 5)
TEST(WorkedExamples, AltTakesTheParentOfSbntMinblOrTheNextOneToTheRight) {
    EXPECT_EQ(fed_by(kCube4, Rule::sbnt_minr, 0, 0b0110), 2u);
    EXPECT_EQ(fed_by(kCube4, Rule::sbnt_minbl, 0, 0b0110), 1u);
    EXPECT_EQ(fed_by(kCube4, Rule::alt, 0, 0b0110), 1u);
    const Network cube5{Topology::cube, 5};
    EXPECT_EQ(fed_by(cube5, Rule::sbnt_minr, 0, 0b01011), 3u);
    EXPECT_EQ(fed_by(cube5, Rule::sbnt_minbl, 0, 0b01011), 3u);
    EXPECT_EQ(fed_by(cube5, Rule::alt, 0, 0b01011), 1u);
}

// Example (disjoint, cube, n = 3)
TEST(WorkedExamples, ThreeDisjointPathsLeadFrom000To011) {
    const auto path = [](std::uint8_t number) {
        return way(kCube3, {Rule::disjoint, number, node_at(0), node_at(0b011)}, node_at(0));
    };
    EXPECT_EQ(path(0), (Nodes{0b000, 0b001, 0b011}));
    EXPECT_EQ(path(1), (Nodes{0b000, 0b010, 0b011}));
    EXPECT_EQ(path(2), (Nodes{0b000, 0b100, 0b101, 0b111, 0b011}));
}

// Example (packet for one node, n = 4)
TEST(WorkedExamples, APacketFor1110Crosses0010AndItsPort2) {
    const Envelope envelope{Rule::sbnt_minr, 0, node_at(0), node_at(0b1110)};
    EXPECT_EQ(way(kCube4, envelope, node_at(0)), (Nodes{0, 0b0010, 0b0110, 0b1110}));
    EXPECT_EQ(in_order(route(kCube4, node_at(0b0010), port_at(1), envelope).ports), (Ports{2}));
}

// Example (interval of a broadcast)
TEST(WorkedExamples, HpStartsAPacketEveryTwoStepsAndTcbtEveryThree) {
    EXPECT_EQ(sends(kCube3, Rule::hp, 0, 0b000), (Ports{0}));
    EXPECT_EQ(sends(kCube3, Rule::hp, 0, 0b001), (Ports{1}));
    EXPECT_EQ(broadcast_interval(kCube3, Rule::hp, PortModel::half), 2u);
    EXPECT_EQ(sends(kCube3, Rule::tcbt, 0, 0b101).size(), 2u);
    EXPECT_EQ(broadcast_interval(kCube3, Rule::tcbt, PortModel::half), 3u);
}

// Example (interval of a message)
TEST(WorkedExamples, FourPacketsCrossThreeLinksUnderHalfInNineSteps) {
    EXPECT_EQ(3 * unicast_interval(PortModel::half, 3) + 3, 9u);
}

// Example (msbt in time, n = 4)
TEST(WorkedExamples, Msbt0011SendsPacket5InStep9UnderHalfAt15) {
    const auto start = [](PortModel ports, std::uint32_t node, unsigned port) {
        return msbt_start(kOf4, ports, Relative{node}, port_at(port), 5, 8);
    };
    EXPECT_EQ(msbt_subtree(kOf4, 5), 1u);
    EXPECT_EQ(start(PortModel::duplex, 0b0000, 1), 5u);
    EXPECT_EQ(start(PortModel::duplex, 0b0010, 2), 6u);
    EXPECT_EQ(start(PortModel::duplex, 0b0010, 0), 8u);
    EXPECT_EQ(start(PortModel::duplex, 0b0011, 1), 9u);
    EXPECT_EQ(start(PortModel::half, 0b0000, 1), 6u);
    EXPECT_EQ(start(PortModel::half, 0b0011, 1), 15u);
}

// Example (lag of msbt, n = 4)
TEST(WorkedExamples, Msbt0011SendsPacket5ThreeStepsAfterItComes) {
    EXPECT_EQ(msbt_start(kOf4, PortModel::half, Relative{0b0010}, port_at(0), 5, 8), 12u);
    EXPECT_EQ(msbt_lag(kOf4, Relative{0b0011}, port_at(1), 1, 5, 8), 3u);
}

// Example (trees in turn, n = 3)
TEST(WorkedExamples, TheLastRoundOfMsbtRotTakesBinomialTrees) {
    const auto trees = [](Rule rule) {
        Ports taken;
        for (std::uint32_t packet = 0; packet < 5; ++packet)
            taken.push_back(
                broadcast_subtree(rule, subtree_count(kCube3, rule), PortModel::all, packet, 5));
        return taken;
    };
    EXPECT_EQ(trees(Rule::msbt_rot), (Ports{0, 1, 2, 3, 4}));
    EXPECT_EQ(trees(Rule::msbt), (Ports{0, 1, 2, 0, 1}));
}

// Example (lag of msbt-rot, n = 3)
TEST(WorkedExamples, MsbtRotSendsPacket4InTheSecondRound) {
    const auto lag = [](std::uint32_t node, unsigned port) {
        return rotated_lag(kOf3, Relative{node}, port_at(port), 1, 4);
    };
    EXPECT_EQ((Ports{lag(0, 1), lag(0, 2), lag(0, 0)}), (Ports{1, 2, 3}));
    EXPECT_EQ((Ports{lag(0b010, 2), lag(0b010, 0)}), (Ports{1, 2}));
}

Ports ports_of(const TreePath& path) {
    return {path.ports.begin(), path.ports.begin() + path.links};
}

// Example (path, n = 4)
TEST(WorkedExamples, ThePathTo0110Crosses1Then2) {
    EXPECT_EQ(ports_of(path_to(CyclePlan{kOf4}, 0b0110, 0)), (Ports{1, 2}));
}

// Example (shares in sbg, n = 4)
TEST(WorkedExamples, NineBytesFor0101AreSharedByTwoSubtrees) {
    const CyclePlan plan{kOf4, Rule::sbg};
    EXPECT_EQ(ports_of(path_to(CyclePlan{kOf4, Rule::sbnt_minr}, 0b0101, 0)), (Ports{0, 2}));
    EXPECT_EQ(subtrees_of(plan, 0b0101), 0b0101u);
    Nodes bytes;
    for_each_crossing(plan, [&](unsigned cycle, const Crossing& share) {
        if (share.block == 0b0101 && cycle == 0)
            bytes.insert(bytes.end(), {share.port, share.begin(9), share.size(9)});
    });
    EXPECT_EQ(bytes, (Nodes{0, 0, 4, 2, 4, 5}));
    EXPECT_EQ(ports_of(path_to(plan, 0b0101, 2)), (Ports{2, 0}));
}

// Example (cycles, n = 3)
TEST(WorkedExamples, TheDataOf101CrossesItsLinksInTheseCycles) {
    const auto cycles = [](Schedule schedule, bool one_port) {
        const CyclePlan plan{kOf3, Rule::sbt, schedule, one_port};
        Ports found;
        for_each_link<AllRules>(
            plan, path_to(plan, 0b101, 0),
            [&](unsigned, std::uint32_t, unsigned cycle) { found.push_back(cycle); });
        return found;
    };
    EXPECT_EQ(ports_of(path_to(CyclePlan{kOf3}, 0b101, 0)), (Ports{0, 2}));
    EXPECT_EQ(cycles(Schedule::subtree, false), (Ports{0, 1}));
    EXPECT_EQ(cycles(Schedule::subtree, true), (Ports{0, 2}));
    EXPECT_EQ(cycles(Schedule::level, false), (Ports{1, 2}));
}

Nodes scattered(Hypercube cube, Schedule schedule) {
    ScatterOrder order(cube, Rule::sbt, schedule);
    Nodes nodes;
    while (const std::uint32_t node = order.next())
        nodes.push_back(node);
    return nodes;
}

// Example (orders of a scatter, n = 3)
TEST(WorkedExamples, AScatterOverSbtSendsInTheseOrders) {
    EXPECT_EQ(scattered(kOf3, Schedule::port),
              (Nodes{0b111, 0b011, 0b101, 0b001, 0b110, 0b010, 0b100}));
    EXPECT_EQ(scattered(kOf3, Schedule::postorder),
              (Nodes{0b111, 0b110, 0b100, 0b011, 0b010, 0b101, 0b001}));
    EXPECT_EQ(scattered(kOf3, Schedule::gray),
              (Nodes{0b111, 0b110, 0b101, 0b100, 0b011, 0b010, 0b001}));
}

// Example (farthest first, n = 4)
TEST(WorkedExamples, FarthestFirstServesLevel3BeforeLevel2) {
    const auto below_port_0 = [](Schedule schedule) {
        Nodes nodes = scattered(kOf4, schedule);
        std::erase_if(nodes, [](std::uint32_t node) { return node % 2 == 0; });
        return nodes;
    };
    EXPECT_EQ(below_port_0(Schedule::postorder),
              (Nodes{0b1111, 0b0111, 0b1011, 0b0011, 0b1101, 0b0101, 0b1001, 0b0001}));
    EXPECT_EQ(below_port_0(Schedule::rbf),
              (Nodes{0b1111, 0b0111, 0b1011, 0b1101, 0b0011, 0b0101, 0b1001, 0b0001}));
}

// Example (ascend, cube, n = 3)
TEST(WorkedExamples, Nodes001And011ExchangeAcrossDimension1) {
    const AscendRound round = ascend_round(kCube3, {3, false}, 1);
    EXPECT_EQ(round.first, port_at(1));
    const AscendStep step = ascend_program(kCube3, PortModel::all, round, node_at(0b001)).step[0];
    EXPECT_EQ(step.send, Place::a);
    EXPECT_EQ(step.receive, Place::b);
    EXPECT_EQ(step.then[0].result, Place::c);
    const auto first = [=](std::uint32_t node) {
        return ascend_program(kCube3, PortModel::half, round, node_at(node)).step[0];
    };
    EXPECT_EQ(first(0b001).send, Place::a);
    EXPECT_EQ(first(0b011).receive, Place::b);
}

/// The values of a round's nodes, place by place: programs are followed step by step, adding.
struct Adding {
    AscendRound round;
    std::vector<std::array<unsigned, 4>> values;

    void step(Network network, unsigned number) {
        const auto before = values;
        const auto program = [&](std::uint32_t node) {
            return ascend_program(network, PortModel::half, round, node_at(node));
        };
        for (std::uint32_t node = 0; node < values.size(); ++node) {
            const AscendProgram mine = program(node);
            const AscendStep step = mine.step[number];
            auto& places = values[node];
            if (step.receive != Place::none) {
                const Port in = ascend_ports(network, round, mine).in;
                const std::uint32_t sender = node ^ (1u << index(in));
                places[static_cast<unsigned>(step.receive)] =
                    before[sender][static_cast<unsigned>(program(sender).step[number].send)];
            }
            for (const AscendOperation& then : step.then)
                if (then.result != Place::none)
                    places[static_cast<unsigned>(then.result)] =
                        places[static_cast<unsigned>(then.mine)] +
                        places[static_cast<unsigned>(then.partners)];
        }
    }
};

// Example (ascend, uhc, n = 4)
TEST(WorkedExamples, TwoNodesOfA4CycleWorkForAllFour) {
    const Network uhc{Topology::uhc, 4};
    // Nodes 0000, 0001, 0010, 0011 with the values 1, 20, 300, 4000; operations are sums.
    Adding nodes{ascend_round(uhc, {4, false}, 0), {{1}, {20}, {300}, {4000}}};
    nodes.step(uhc, 0); // 0001 has the new values of dimension 0: its own in c, that of 0000 in d
    EXPECT_EQ(nodes.values[0b0001][2], 21u);
    EXPECT_EQ(nodes.values[0b0001][3], 21u);
    nodes.step(uhc, 1); // they go across 1: to 0011, and from 0010 to 0000
    EXPECT_EQ(nodes.values[0b0011][0], 21u);
    EXPECT_EQ(nodes.values[0b0000][0], 4300u);
    nodes.step(uhc, 2); // and from 0000 to 0001, which does dimension 1 for itself and 0011
    EXPECT_EQ(nodes.values[0b0001][1], 4321u);
    EXPECT_EQ(nodes.values[0b0001][3], 4321u);
    nodes.step(uhc, 3);
    EXPECT_EQ(nodes.values[0b0011][0], 4321u);
    EXPECT_EQ(ascend_program(uhc, PortModel::half, nodes.round, node_at(0)).steps, 4u);
}

// Example (bitonic sorting, n = 3)
TEST(WorkedExamples, Node010KeepsTheLargerValueAnd110TheSmaller) {
    EXPECT_FALSE(bitonic_keeps_smaller(node_at(0b010), 1, port_at(1)));
    EXPECT_TRUE(bitonic_keeps_smaller(node_at(0b110), 1, port_at(1)));
}

// Example (binary tree, 3 levels)
TEST(WorkedExamples, Vertex4OfTheBinaryTreeIsNode0010) {
    const BinaryTreeGuest tree{3};
    EXPECT_EQ(tree.node_of(0), node_at(0b0100));
    EXPECT_EQ(in_order(tree.children(node_at(0b0100))), (Ports{1, 3}));
    EXPECT_EQ(in_order(tree.children(node_at(0b0110))), (Ports{0, 2}));
    EXPECT_EQ(tree.node_of(4), node_at(0b0010));
}

// Example (grid, 3 x 4)
TEST(WorkedExamples, Vertex9OfTheGridIsNode1101) {
    GridGuest grid;
    ASSERT_TRUE(grid.add_axis(3) && grid.add_axis(4));
    EXPECT_EQ(grid.node_of(9), node_at(0b1101));
    EXPECT_EQ(grid.node_of({2, 2}), node_at(0b1111));
    EXPECT_EQ(grid.shift(node_at(0b1101), 1, true), port_at(1));
    EXPECT_EQ(grid.shift(grid.node_of({2, 3}), 1, true), port_at(1));
    EXPECT_EQ(grid.shift(node_at(0b1101), 0, true), kNoPort);
}

// Example (multicast, n = 4)
TEST(WorkedExamples, AMulticastTo0110And1011GoesOnWhereTheyAre) {
    std::array<std::byte, NodeSet::bytes_for(16)> bytes{};
    NodeSet::add(bytes, node_at(0b0110));
    NodeSet::add(bytes, node_at(0b1011));
    const auto ports = [&](unsigned node) {
        return sbt_ports_to_set(kOf4, node_at(0), node_at(node), NodeSet{bytes});
    };
    EXPECT_EQ(ports(0b0000), 0b0011u);
    EXPECT_EQ(0b1011u ^ 0b0001u, 0b1010u);
    EXPECT_EQ(ports(0b0001), 0b0010u);
    EXPECT_EQ(0b1011u ^ 0b0011u, 0b1000u);
    EXPECT_EQ(ports(0b0011), 0b1000u);
    EXPECT_EQ(0b0110u ^ 0b0010u, 0b0100u);
    EXPECT_EQ(ports(0b0010), 0b0100u);
    for (const unsigned member : {0b0110u, 0b1011u})
        EXPECT_EQ(ports(member), 0u);
}

} // namespace cube_examples
} // namespace mesh::examples
