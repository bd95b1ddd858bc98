// The worked examples in the comments of core/uhc/ and, of the uni-directional hypercube, in
// core/network.hpp: see worked_examples_cube_test.cpp.
#include "examples.hpp"

#include "core/schedules/uhc_paths.hpp"

#include <gtest/gtest.h>

namespace mesh::examples {
namespace uhc_examples {

constexpr Network kUhc4{Topology::uhc, 4};
constexpr Network kUhc6{Topology::uhc, 6};
constexpr UniHypercube kOf4{4};
constexpr unsigned kTrees = 2; // of adst and ist with four dimensions

/// A node of the UHC of four dimensions as root 0000 sees it.
UhcView view_of(std::uint32_t node) { return uhc_view(kOf4, node_at(node), node_at(0)); }

// Example (polarity, n = 4)
TEST(WorkedExamples, Node0110SendsOnEvenDimensionsAnd0010OnOddOnes) {
    EXPECT_EQ(kOf4.out_ports(node_at(0b0110)), 0b0101u);
    EXPECT_EQ(kOf4.in_ports(node_at(0b0110)), 0b1010u);
    EXPECT_EQ(kOf4.out_ports(node_at(0b0010)), 0b1010u);
    EXPECT_EQ(kOf4.out_port(node_at(0b0110), 1), port_at(2));
}

// Example (distance, uhc, n = 4)
TEST(WorkedExamples, From0000ToThreeNodesAre4And5And2Links) {
    EXPECT_EQ(kOf4.distance(node_at(0), node_at(0b1010)), 4u);
    EXPECT_EQ(kOf4.distance(node_at(0), node_at(0b1011)), 5u);
    EXPECT_EQ(kOf4.distance(node_at(0), node_at(0b0011)), 2u);
}

// Example (unicast, uhc, n = 4)
TEST(WorkedExamples, AWayToForeignDimensionsLeavesByThePartner) {
    const Envelope envelope{Rule::unicast, 0, kNoNode, node_at(0b1010)};
    EXPECT_EQ(way(kUhc4, envelope, node_at(0)), (Nodes{0, 0b0001, 0b0011, 0b0010, 0b1010}));
}

// Example (view, n = 4)
TEST(WorkedExamples, Node0111IsAt0110OfRoot0001) {
    const UhcView view = uhc_view(kOf4, node_at(0b0111), node_at(0b0001));
    EXPECT_EQ(view.relative, 0b0110u);
    EXPECT_EQ(view.out, 0b1010u);
    EXPECT_EQ(view.in, 0b0101u);
    EXPECT_EQ(view.own(), 0b0010u);
    EXPECT_EQ(view.foreign(), 0b0100u);
}

// Example (halves, n = 5)
TEST(WorkedExamples, TheFarHalfOfAnOddSourceBeginsAt11001) {
    const UniHypercube of5{5};
    const NodeId root = node_at(0b00001);
    EXPECT_EQ(of5.out_ports(root), 0b01010u);
    EXPECT_EQ(uhc_half(of5, node_at(0b01001), root).crossing, 0b10000u);
    EXPECT_TRUE(uhc_half(of5, node_at(0b11001), root).other);
    EXPECT_EQ(uhc_half(of5, node_at(0b11001), root).view.relative, 0b0000u);
    EXPECT_EQ(uhc_half(of5, node_at(0b11011), root).view.relative, 0b0010u);
}

// Example (bt1, n = 4)
TEST(WorkedExamples, Bt1GoesOnInASuperdimensionUntilTheThirdHop) {
    EXPECT_EQ(sends(kUhc4, Rule::bt1, 0, 0b0100), (Ports{3, 1}));
    EXPECT_EQ(sends(kUhc4, Rule::bt1, 0, 0b1100), (Ports{2, 0}));
    EXPECT_EQ(sends(kUhc4, Rule::bt1, 0, 0b1000), (Ports{1}));
}

// Example (bt1, way back, n = 4)
TEST(WorkedExamples, Bt1Feeds1000From1100) { EXPECT_EQ(bt1_parent(view_of(0b1000)), 0b0100u); }

// Example (hops of bt1, n = 4)
TEST(WorkedExamples, Bt1CountsOneTwoAndThreeHops) {
    EXPECT_EQ(bt1_count(view_of(0b0100)), 1u);
    EXPECT_EQ(bt1_count(view_of(0b1100)), 2u);
    EXPECT_EQ(bt1_count(view_of(0b1000)), 3u);
}

// Example (bts, n = 4)
TEST(WorkedExamples, Bts0110HasTwoChildrenAnd1110None) {
    EXPECT_EQ(sends(kUhc4, Rule::bts, 0, 0b0110), (Ports{2, 0}));
    EXPECT_EQ(sends(kUhc4, Rule::bts, 0, 0b1110), Ports{});
}

// Example (bts, way back, n = 4)
TEST(WorkedExamples, BtsFeeds0110Across1And0101Across3) {
    EXPECT_EQ(fed_by(kUhc4, Rule::bts, 0, 0b0110), 1u);
    EXPECT_EQ(fed_by(kUhc4, Rule::bts, 0, 0b0101), 3u);
}

// Example (sections, dim 10, bt4)
TEST(WorkedExamples, Bit8OfTenDimensionsIsInTheSectionFrom2To9) {
    const UhcView view = uhc_view({10}, node_at(0b01'0000'0000), node_at(0));
    const UhcSection section = lowest_section(view, 10, 8);
    EXPECT_EQ(section.base, 2u);
    EXPECT_EQ(section.width, 8u);
    const UhcSection first = lowest_section(uhc_view({10}, node_at(1), node_at(0)), 10, 8);
    EXPECT_EQ(first.base, 0u);
    EXPECT_EQ(first.width, 2u);
}

// Example (bt3, n = 6)
TEST(WorkedExamples, Bt3TakesEntry1FromEitherParityOfTheRoot) {
    EXPECT_EQ(kSectionTables[SectionTables::kBt3 + 1], 0b011u);
    EXPECT_EQ(spread_pairs(0b011), 0b001111u);
    EXPECT_EQ(sends(kUhc6, Rule::bt3, 0b000000, 0b000001), (Ports{3, 1}));
    EXPECT_EQ(pairs_swapped(0b000010), 0b000001u);
    EXPECT_EQ(sends(kUhc6, Rule::bt3, 0b000001, 0b000011), (Ports{2, 0}));
}

// Example (bt4, n = 6)
TEST(WorkedExamples, Bt4TakesSoManyOutPortsFrom0UpAsItsTableSays) {
    EXPECT_EQ(kSectionTables[SectionTables::kBt4Of6 + 1], 3u);
    EXPECT_EQ(sends(kUhc6, Rule::bt4, 0, 0b000001), (Ports{5, 3, 1}));
    EXPECT_EQ(kSectionTables[SectionTables::kBt4Of6 + 4], 2u);
    EXPECT_EQ(sends(kUhc6, Rule::bt4, 0, 0b000100), (Ports{3, 1}));
}

// Example (bt4, way back, n = 6)
TEST(WorkedExamples, Bt4Feeds000010FromTheFirstNodeThatSendsTo) {
    EXPECT_EQ(sends(kUhc6, Rule::bt4, 0, 0b000011), Ports{});
    EXPECT_NE(children(kUhc6, Rule::bt4, 0, node_at(0), node_at(0b000110)).set() & 0b100u, 0u);
    EXPECT_EQ(fed_by(kUhc6, Rule::bt4, 0, 0b000010), 2u);
}

// Example (bt2, n = 4)
TEST(WorkedExamples, Bt2CountsDownOnTheLastSuperdimension) {
    EXPECT_EQ(arrival_tag(kUhc4, Rule::bt2, node_at(0), node_at(0b0100)), 3u);
    EXPECT_EQ(sends(kUhc4, Rule::bt2, 0, 0b0100), (Ports{3, 1}));
    const auto step = [](std::uint32_t node, unsigned in_port, unsigned tag) {
        const TaggedStep found = bt2_step(kOf4.out_ports(node_at(node)), in_port, tag);
        return Nodes{found.ports, found.tag};
    };
    EXPECT_EQ(step(0b0100, 1, 3), (Nodes{0b1010, 2}));
    EXPECT_EQ(step(0b0110, 0, 2), (Nodes{0b0001, 1}));
    EXPECT_EQ(step(0b0111, 0, 1), (Nodes{0b0010, 0}));
    EXPECT_EQ(step(0b0101, 0, 0), (Nodes{0, 0}));
}

// Example (bt1-counted, n = 4)
TEST(WorkedExamples, Bt1CountedGoesStraightOnUntilCount3) {
    const auto routed = [](std::uint32_t node, unsigned port, std::uint8_t count) {
        return route(kUhc4, node_at(node), port_at(port),
                     {Rule::bt1_counted, 0, kNoNode, kNoNode, count});
    };
    const Route second = routed(0b1100, 3, 2);
    EXPECT_EQ(in_order(second.ports), (Ports{2, 0}));
    EXPECT_EQ(second.tags.at(port_at(2)), 3u);
    EXPECT_EQ(second.tags.at(port_at(0)), 1u);
    const Route third = routed(0b1000, 2, 3);
    EXPECT_EQ(in_order(third.ports), (Ports{1}));
    EXPECT_EQ(third.tags.at(port_at(1)), 1u);
}

// Example (bt2, one path, n = 4)
TEST(WorkedExamples, Bt2Goes0000And0001And1001) {
    EXPECT_EQ(bt2_toward(kOf4.out_ports(node_at(0b0000)), 0b1001), 0b0001u);
    EXPECT_EQ(bt2_toward(kOf4.out_ports(node_at(0b0001)), 0b1000), 0b1000u);
    EXPECT_EQ(fed_by(kUhc4, Rule::bt2, 0, 0b1001), 3u);
    EXPECT_EQ(arrival_tag(kUhc4, Rule::bt2, node_at(0), node_at(0b0001)), 3u);
    EXPECT_EQ(arrival_tag(kUhc4, Rule::bt2, node_at(0), node_at(0b1001)), 1u);
}

// Example (adst, n = 4)
TEST(WorkedExamples, AdstGoesOnAt0111Across3InTree0) {
    EXPECT_EQ(differing_superdimensions(view_of(0b0111)), 0b0101u);
    EXPECT_EQ(adst_children(view_of(0b0111), 2), 0b1000u);
    EXPECT_EQ(sends(kUhc4, Rule::adst, 0, 0b0111, 0), (Ports{3}));
}

// Example (adst, way back, n = 4)
TEST(WorkedExamples, AdstFeeds0111Across2InTree0AndAcross0InTree1) {
    EXPECT_EQ(adst_parent(view_of(0b0111), 0), 0b0100u);
    EXPECT_EQ(adst_parent(view_of(0b0111), 1), 0b0001u);
}

// Example (exchange in ist, n = 4)
TEST(WorkedExamples, IstExchangesItsTwoTreesAt0110) {
    EXPECT_EQ(view_of(0b0110).foreign(), 0b0010u);
    EXPECT_EQ(view_of(0b0110).own(), 0b0100u);
    EXPECT_EQ(ist_exchanged(view_of(0b0110), kTrees, 0), 1u);
    EXPECT_EQ(ist_parent(view_of(0b0110), kTrees, 0), 0b1000u);
    EXPECT_EQ(ist_parent(view_of(0b0110), kTrees, 1), 0b0010u);
}

// Example (ist, way back, n = 4)
TEST(WorkedExamples, IstFeeds0111Across2InTree0AndAcross0InTree1) {
    EXPECT_EQ(ist_parent(view_of(0b0111), kTrees, 0), 0b0100u);
    EXPECT_EQ(ist_parent(view_of(0b0111), kTrees, 1), 0b0001u);
    EXPECT_EQ(ist_subtree(view_of(0b0111), kTrees, 2), 0u);
}

// Example (ist, n = 4)
TEST(WorkedExamples, Ist0111HasTwoChildrenInTree0AndNoneInTree1) {
    EXPECT_EQ(view_of(0b0111).own(), 0b0010u);
    EXPECT_EQ(view_of(0b0111).foreign(), 0b0101u);
    EXPECT_EQ(sends(kUhc4, Rule::ist, 0, 0b0111, 0), (Ports{1, 3}));
    EXPECT_EQ(sends(kUhc4, Rule::ist, 0, 0b0111, 1), Ports{});
}

// Example (bts towards its root, n = 4)
TEST(WorkedExamples, Collecting0110SendsOver0010ToTheRoot) {
    EXPECT_EQ(uhc::collect_parent(kOf4, node_at(0), node_at(0b0110)), port_at(2));
    EXPECT_EQ(uhc::collect_parent(kOf4, node_at(0), node_at(0b0010)), port_at(1));
    EXPECT_NE(uhc::collect_children(kOf4, node_at(0), node_at(0b0010)) & 0b0100u, 0u);
}

// Example (look, uhc, n = 4)
TEST(WorkedExamples, IstReaches0110InTree1AsItReaches1001InTree0) {
    const PathLook look = UhcPaths{kOf4, Rule::ist}.look(0b0110);
    EXPECT_EQ(look.turned[1], 0b1001u);
    EXPECT_EQ(look.links[0], 6u);
    EXPECT_EQ(look.links[1], 2u);
    EXPECT_EQ((UhcPaths{kOf4, Rule::ist}.look(0b1001).links[0]), 2u);
    EXPECT_EQ(fed_by(kUhc4, Rule::ist, 0, 0b0110, 1), 1u);
    EXPECT_EQ(fed_by(kUhc4, Rule::ist, 0, 0b0100, 1), 2u);
}

// Example (disjoint, uhc, n = 4)
TEST(WorkedExamples, Path0OfTheUhcTo0111IsThatOfTree0) {
    const Envelope envelope{Rule::disjoint, 0, node_at(0), node_at(0b0111)};
    EXPECT_EQ(way(kUhc4, envelope, node_at(0)), (Nodes{0, 0b0001, 0b0011, 0b0111}));
}

} // namespace uhc_examples
} // namespace mesh::examples
