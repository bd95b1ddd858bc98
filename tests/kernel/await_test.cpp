// A process that waits for a packet of one node gets it, however late it comes, or learns that the
// node cannot be reached.
#include "kernel/api/await.hpp"
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <utility>

namespace mesh::test {
namespace await_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr Network kCube3{Topology::cube, 3};
constexpr NodeId kWaits = node_at(0);

struct Story {
    NodeId from{};
    wire::ModelTime late = 0;       // how long the source sleeps first
    wire::ModelTime waits_late = 0; // and how long the receiver sleeps
    bool sends = true;
    bool stays = false; // if it does not send: its program does not end
    std::optional<bool> got{};
};
Story story;

Process waits_for_one(Kernel& node) {
    if (node.id() == story.from) {
        co_await node.sleep(story.late);
        while (!story.sends && story.stays)
            co_await node.receive({.tag = 6});
        if (!story.sends)
            co_return Status::ok;
        OutgoingPacket packet = co_await node.allocate(Rule::unicast);
        packet.header().destination = kWaits;
        packet.header().tag = 5;
        node.inject(std::move(packet));
    }
    if (node.id() == kWaits) {
        co_await node.sleep(story.waits_late);
        const Packet packet = co_await await_packet(node, story.from, {.tag = 5});
        story.got = static_cast<bool>(packet);
    }
    co_return Status::ok;
}

/// From the start nothing gets to the node or away from it.
auto dead(const Rig& rig, Network network, NodeId node) {
    return [&rig, network, node](NodeId from, Port by) {
        return rig.started && (from == node || neighbor(network, from, by) == node);
    };
}

TEST(Await, ANodeThatIsThereIsWaitedForHoweverLateItSends) {
    for (const unsigned seconds : {0u, 2u, 20u, 100u})
        for (const std::uint32_t from : {1u, 7u}) {
            story = {.from = node_at(from), .late = seconds * 1000 * kUnit};
            Rig rig{kCube3, waits_for_one};
            rig.run({});
            EXPECT_EQ(story.got, true) << seconds << " s, from " << from;
            EXPECT_EQ(rig.report(0).unacknowledged, 0u);
        }
}

TEST(Await, ANodeThatDiesBeforeItSendsIsUnreachableInBoundedTime) {
    for (const Network network : {kCube3, Network{Topology::uhc, 4}, Network{Topology::star, 4}})
        for (const std::uint32_t from : {1u, 7u}) {
            story = {.from = node_at(from)};
            Rig rig{network, waits_for_one};
            rig.limit_us = 30'000'000;
            rig.is_cut = dead(rig, network, story.from);
            rig.run({});
            EXPECT_EQ(story.got, false) << name(network.topology) << " from " << from;
        }
}

TEST(Await, ANeighbourBehindALinkThatIsKnownToBeDeadIsUnreachableAtOnce) {
    story = {.from = node_at(1), .waits_late = 40'000 * kUnit};
    Rig rig{{Topology::cube, 1}, waits_for_one};
    rig.is_cut = dead(rig, {Topology::cube, 1}, kWaits);
    rig.run({});
    // Node 1's packet finds the link dead on its side only; node 0 has sent nothing yet.
    EXPECT_EQ(story.got, false);
    const auto first = rig.board(0).now_us();
    EXPECT_GT(first, 40'000'000u);
    EXPECT_EQ(rig.report(0).dead_ports, 1u);
}

TEST(Await, WhatHasComeIsTakenThoughItsSourceHasDiedSince) {
    story = {.from = node_at(1), .waits_late = 40'000 * kUnit};
    Rig rig{kCube3, waits_for_one};
    rig.is_cut = [&rig, cut = dead(rig, kCube3, story.from)](NodeId from, Port by) {
        return rig.board(0).now_us() > 1'000'000u && cut(from, by);
    };
    rig.run({});
    EXPECT_EQ(story.got, true);
}

TEST(Await, ANodeWhoseProgramHasEndedIsNotWaitedFor) {
    for (const std::uint32_t from : {1u, 7u}) {
        story = {.from = node_at(from), .sends = false};
        Rig rig{kCube3, waits_for_one};
        rig.run({});
        EXPECT_EQ(story.got, false) << "from " << from;
    }
}

TEST(Await, AMeshInWhichNobodySendsOnlyAsksNowAndThen) {
    story = {.from = node_at(7), .sends = false, .stays = true};
    Rig rig{kCube3, waits_for_one};
    rig.run({});
    const std::uint64_t begun = rig.carried;
    rig.finish(3'600'000'000); // an hour
    EXPECT_LT(rig.carried - begun, 1000u);
    EXPECT_FALSE(story.got.has_value());
    EXPECT_EQ(rig.report(0).unacknowledged, 0u);
    EXPECT_EQ(rig.report(0).done, 0u);
}

/// So the host learns that a word on its way to this node was lost.
TEST(Await, ANodeThatIsToldToAskAgainIsPendingUntilItHasAnAnswer) {
    constexpr std::array<std::byte, 1> kAgain{};
    story = {.from = node_at(7), .sends = false, .stays = true};
    Rig rig{kCube3, waits_for_one};
    rig.run({});
    const std::uint64_t carried = rig.carried;
    rig.tell(0, wire::HostTag::poll, {});
    rig.settle();
    EXPECT_EQ(rig.carried, carried) << "it asks again without having been told to";
    EXPECT_EQ(rig.kernel(0).messages().pending(), 0u);

    rig.is_late = [](NodeId from, Port, const wire::LinkHeader&) { return from == story.from; };
    rig.tell(0, wire::HostTag::poll, kAgain);
    rig.settle();
    EXPECT_GT(rig.carried, carried);
    EXPECT_EQ(rig.kernel(0).messages().pending(), 1u);
    rig.bring_late();
    rig.settle();
    EXPECT_EQ(rig.kernel(0).messages().pending(), 0u);
}

Process receives_of_any(Kernel& node) {
    if (node.id() == kWaits) {
        std::array<std::byte, 4> room{};
        story.got = (co_await receive(node, room)).status == Status::ok;
    }
    while (node.id() == story.from)
        co_await node.receive({.tag = 6});
    co_return Status::ok;
}

/// There is no node that it could ask.
TEST(Await, ANodeThatWaitsForAnyNodeIsToldToAskAgainInVain) {
    constexpr std::array<std::byte, 1> kAgain{};
    story = {.from = node_at(7)};
    Rig rig{kCube3, receives_of_any};
    rig.run({});
    const std::uint64_t carried = rig.carried;
    rig.tell(0, wire::HostTag::poll, kAgain);
    rig.finish(3'600'000'000); // an hour
    EXPECT_EQ(rig.carried, carried);
    EXPECT_FALSE(story.got.has_value());
    EXPECT_EQ(rig.total(Counter::drop_no_route), 0u);
    EXPECT_EQ(rig.report(0).unacknowledged, 0u);
}

// A message for all nodes below a node ------------------------------------------------------------

constexpr Tag kTreeTag = 9;
constexpr Path kTree{.rule = Rule::sbt, .to_all = true};
std::map<std::uint32_t, Status> looks;

Process sends_down_a_tree(Kernel& node) {
    if (node.id() == node_at(0)) {
        OutgoingPacket packet = co_await node.allocate(Rule::sbt);
        packet.header().tag = kTreeTag;
        node.inject(std::move(packet));
    }
    co_await node.wait_until([] { return false; });
    co_return Status::ok;
}

Process looks_for_the_root(Kernel& node) {
    looks[index(node.id())] =
        co_await look_for(node, node_at(0), kTree, {.tag = kTreeTag, .source = node_at(0)});
    co_return Status::ok;
}

Process sends_down_a_tree_and_ends(Kernel& node) {
    if (node.id() == node_at(0)) {
        OutgoingPacket packet = co_await node.allocate(Rule::sbt);
        packet.header().tag = kTreeTag;
        node.inject(std::move(packet));
        co_return Status::ok;
    }
    co_await node.wait_until([] { return false; });
    co_return Status::ok;
}

Process looks_for_another_packet(Kernel& node) {
    looks[index(node.id())] =
        co_await look_for(node, node_at(0), kTree, {.tag = kTreeTag + 1, .source = node_at(0)});
    co_return Status::ok;
}

TEST(Await, APacketLostOnOneLinkOfATreeIsMissingBehindThatOneOnly) {
    for (const std::uint32_t lost : {0u, 1u, 2u}) {
        Rig rig{kCube3, sends_down_a_tree};
        rig.is_cut = [&rig, lost](NodeId from, Port by) {
            return rig.started && by == port_at(lost) &&
                   (from == node_at(0) || from == node_at(1u << lost));
        };
        rig.limit_us = 20'000'000;
        rig.run({});
        ASSERT_EQ(rig.kernel(0).dead_ports(), 1u << lost);
        rig.is_cut = [](NodeId, Port) { return false; };
        rig.finish(40'000'000);
        ASSERT_EQ(rig.kernel(0).dead_ports(), 0u) << "the cable is mended";
        for (std::uint32_t id = 1; id < rig.size(); ++id) {
            const Match match{.tag = kTreeTag};
            const bool came = rig.kernel(id).has(match);
            while (rig.kernel(id).has(match))
                static_cast<void>(rig.kernel(id).take(match));
            looks.clear();
            ASSERT_TRUE(rig.kernel(id).spawn(looks_for_the_root(rig.kernel(id))));
            rig.finish(100'000'000);
            ASSERT_EQ(looks.size(), 1u) << id;
            EXPECT_EQ(looks[id], came ? Status::ok : Status::unreachable)
                << "node " << id << ", lost at port " << lost;
        }
    }
}

// Within this time no node can have found out that another one is silent.
constexpr std::uint64_t kSoonUs = 1'000'000;

TEST(Await, WhoLooksBehindADeadLinkIsToldByAnotherWay) {
    for (const std::uint32_t lost : {0u, 1u, 2u}) {
        Rig rig{kCube3, sends_down_a_tree};
        rig.is_cut = [&rig, lost](NodeId from, Port by) {
            return rig.started && by == port_at(lost) &&
                   (from == node_at(0) || from == node_at(1u << lost));
        };
        rig.limit_us = 20'000'000;
        rig.run({});
        ASSERT_EQ(rig.kernel(0).dead_ports(), 1u << lost);
        const PortSet cut = 1u << lost;
        rig.tell(1u << lost, wire::HostTag::no_carrier, wire::bytes_of(cut));
        rig.finish(rig.board(0).now_us());
        ASSERT_EQ(rig.kernel(1u << lost).dead_ports(), cut) << "it has sent nothing there";
        for (std::uint32_t id = 1; id < rig.size(); ++id) {
            if (rig.kernel(id).has({.tag = kTreeTag}))
                continue;
            looks.clear();
            ASSERT_TRUE(rig.kernel(id).spawn(looks_for_the_root(rig.kernel(id))));
            rig.finish(rig.board(0).now_us() + kSoonUs);
            ASSERT_EQ(looks.size(), 1u) << "node " << id << ", lost at port " << lost;
            EXPECT_EQ(looks[id], Status::unreachable);
        }
    }
}

TEST(Await, WhoLooksForAProgramThatHasEndedHearsThatItHas) {
    Rig rig{kCube3, sends_down_a_tree_and_ends};
    rig.run({});
    for (std::uint32_t id = 1; id < rig.size(); ++id) {
        looks.clear();
        ASSERT_TRUE(rig.kernel(id).spawn(looks_for_another_packet(rig.kernel(id))));
        rig.finish(rig.board(0).now_us() + kSoonUs);
        ASSERT_EQ(looks.size(), 1u) << id;
        EXPECT_EQ(looks[id], Status::unreachable) << id;
    }
}

} // namespace await_test
} // namespace mesh::test
