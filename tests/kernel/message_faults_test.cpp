// A send ends, whatever node or cable dies: the receiver, the way there, or the way back.
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <utility>

namespace mesh::test {
namespace message_faults_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;

/// The orders for the programs of the running test, and its outcome.
struct Story {
    NodeId to{};
    SendOptions options{};
    wire::ModelTime late = 0; // how long the receiver sleeps first
    bool takes = true;        // the receiver
    std::optional<Status> sent{};
    std::optional<Received> got{};
};
Story story;

Process send_from_0(Kernel& node) {
    static const std::array<std::byte, 64> data{};
    if (node.id() == node_at(0))
        story.sent = co_await send(node, story.to, story.options, data);
    if (node.id() != story.to)
        co_return Status::ok;
    if (story.late != 0)
        co_await node.sleep(story.late);
    std::array<std::byte, 64> room{};
    if (story.takes)
        story.got = co_await receive(node, room);
    while (!story.takes) // it goes on with something else
        co_await node.receive({.tag = 999});
    co_return Status::ok;
}

/// Both directions of the cable at `port` of `node`.
auto cable(Network network, unsigned node, unsigned port) {
    return [network, node, port](NodeId from, Port by) {
        return by == port_at(port) &&
               (from == node_at(node) || neighbor(network, from, by) == node_at(node));
    };
}

constexpr Network kCube3{Topology::cube, 3};

TEST(MessageFaults, ASendEndsWhenTheReceiverDiesAfterItsLinkHasTheOffer) {
    for (const std::uint32_t to : {1u, 3u, 7u}) {
        story = {.to = node_at(to), .takes = false};
        Rig rig{kCube3, send_from_0};
        rig.is_cut = [&](NodeId from, Port by) {
            const bool there = from == story.to || neighbor(kCube3, from, by) == story.to;
            const unsigned links = distance(kCube3, node_at(0), story.to);
            return there && rig.total(Counter::packets_sent) >= links;
        };
        rig.run({});
        EXPECT_EQ(rig.kernel(to).counters()[Counter::packets_delivered], 1u);
        EXPECT_EQ(story.sent, Status::unreachable) << "to " << to;
    }
}

struct Beside {
    NodeId dead{};
    Rig* rig = nullptr;
    std::uint64_t asks = 0, losses = 0; // while node 0 sent its second message
};
Beside beside;

void count(bool before) {
    const std::uint64_t asks = beside.rig->total(Counter::asks);
    const std::uint64_t losses = beside.rig->total(Counter::drop_dead_link);
    beside.asks = before ? asks : asks - beside.asks;
    beside.losses = before ? losses : losses - beside.losses;
}

// All find out first that a node is dead.
Process send_from_0_beside_the_dead(Kernel& node) {
    std::array<std::byte, 64> data{};
    const Status to_dead = co_await send(node, beside.dead, {}, data);
    EXPECT_TRUE(to_dead == Status::unreachable || node.id() == beside.dead);
    co_await node.sleep(60'000 * kUnit);
    if (node.id() == node_at(0)) {
        count(true);
        story.sent = co_await send(node, story.to, {}, data);
        count(false);
    }
    if (node.id() == story.to)
        story.got = co_await receive(node, data);
    co_return Status::ok;
}

// A sender that has to ask has waited in vain for long.
TEST(MessageFaults, ASenderHearsThatItsMessageIsTakenThoughTheWayBackIsOverADeadNode) {
    for (const Network network : {kCube3, Network{Topology::cube, 4}, Network{Topology::uhc, 4},
                                  Network{Topology::star, 4}}) {
        unsigned detours = 0;
        for (std::uint32_t dead = 1; dead < node_count(network); ++dead)
            for (std::uint32_t to = 1; to < node_count(network); ++to) {
                if (to == dead)
                    continue;
                story = {.to = node_at(to)};
                Rig rig{network, send_from_0_beside_the_dead};
                beside = {.dead = node_at(dead), .rig = &rig};
                rig.is_cut = [&](NodeId from, Port by) {
                    const bool of_dead =
                        from == beside.dead || neighbor(network, from, by) == beside.dead;
                    return rig.started && of_dead;
                };
                rig.run({});
                EXPECT_EQ(story.sent, Status::ok) << "to " << to << " beside " << dead;
                const bool same_way = rig.kernel(0).counters()[Counter::disjoint_retries] == 0;
                if (same_way)
                    EXPECT_EQ(beside.asks, 0u) << "to " << to << " beside " << dead;
                detours += same_way && beside.losses != 0 ? 1u : 0u;
            }
        EXPECT_GT(detours, 0u) << static_cast<int>(network.topology);
    }
}

TEST(MessageFaults, AReceiverThatIsThereIsWaitedForHoweverLateItTakes) {
    for (const unsigned seconds : {0u, 2u, 20u, 100u}) {
        story = {.to = node_at(7), .late = seconds * 1000 * kUnit};
        Rig rig{kCube3, send_from_0};
        rig.run({});
        EXPECT_EQ(story.sent, Status::ok) << seconds;
        ASSERT_TRUE(story.got.has_value());
        EXPECT_EQ(story.got->bytes, 64u);
    }
}

bool given_back;

Process send_to_a_keeper(Kernel& node) {
    static const std::array<std::byte, 64> data{};
    story.sent = co_await send(node, node_at(1), {}, data);
    EXPECT_TRUE(given_back) << "the sender was told that its message is consumed";
    co_return Status::ok;
}

Process keep_within_the_message(Kernel& node) {
    if (node.id() == node_at(0))
        co_return co_await send_to_a_keeper(node);
    Message message = co_await receive_message(node);
    const Packet packet = co_await next(node, message);
    co_await node.sleep(20'000 * kUnit);
    given_back = true;
    co_return message.status();
}

Task<Packet> only_packet(Kernel& node) {
    Message message = co_await receive_message(node);
    Packet packet = co_await next(node, message);
    co_return packet;
}

Process keep_beyond_the_message(Kernel& node) {
    if (node.id() == node_at(0))
        co_return co_await send_to_a_keeper(node);
    const Packet packet = co_await only_packet(node);
    co_await node.sleep(20'000 * kUnit);
    given_back = true;
    co_return packet.status();
}

TEST(MessageFaults, AMessageWhosePacketIsKeptIsNotConsumedHoweverOftenItsReceiverWasAskedFor) {
    for (const auto program : {keep_within_the_message, keep_beyond_the_message}) {
        story = {.to = node_at(1)};
        given_back = false;
        Rig rig{{Topology::cube, 1}, program};
        rig.run({});
        EXPECT_EQ(story.sent, Status::ok);
        EXPECT_TRUE(given_back);
        EXPECT_GT(rig.total(Counter::asks), 0u);
    }
}

Process nothing_to_a_late_receiver(Kernel& node) {
    if (node.id() == node_at(0))
        co_return co_await send(node, node_at(1), {}, std::span<const std::byte>{});
    co_await node.sleep(20'000 * kUnit);
    const Received got = co_await receive(node, {});
    co_return got.status;
}

TEST(MessageFaults, AnEmptyMessageIsDeliveredOnceHoweverOftenTheReceiverWasAskedFor) {
    Rig rig{{Topology::cube, 1}, nothing_to_a_late_receiver};
    rig.run({});
    EXPECT_EQ(rig.report(0).done + rig.report(1).done, 2u);
    EXPECT_EQ(rig.kernel(1).counters()[Counter::packets_delivered], 1u);
}

TEST(MessageFaults, AMeshInWhichNobodyTakesAMessageOnlyAsksNowAndThen) {
    story = {.to = node_at(7), .takes = false};
    Rig rig{kCube3, send_from_0};
    rig.run({});
    rig.finish(3'600'000'000); // an hour
    EXPECT_FALSE(story.sent.has_value());
    EXPECT_EQ(rig.report(0).unacknowledged, 0u);
    EXPECT_EQ(rig.report(0).done, 0u);
}

Process send_twice_from_0(Kernel& node) {
    static const std::array<std::byte, 64> data{};
    if (node.id() == node_at(0)) {
        const Status direct = co_await send(node, node_at(1), {}, data);
        story.sent = co_await send(node, story.to, story.options, data);
        co_return direct;
    }
    std::array<std::byte, 64> room{};
    if (node.id() == story.to)
        story.got = co_await receive(node, room);
    else if (node.id() == node_at(1))
        std::ignore = co_await receive(node, room);
    co_return Status::ok;
}

TEST(MessageFaults, AMessageIsNotCalledLostForADeadLinkThatItsTreeDoesNotUse) {
    constexpr Network kCube2{Topology::cube, 2};
    static_cast<void>(tree_rules(Topology::cube)); // links the trees
    story = {.to = node_at(3), .options = {.route = Rule::tcbt}};
    Rig rig{kCube2, send_twice_from_0};
    rig.is_cut = [&rig, cut = cable(kCube2, 0, 0)](NodeId from, Port by) {
        return rig.started && cut(from, by);
    };
    rig.run({});
    EXPECT_EQ(rig.report(0).dead_ports, 1u);
    ASSERT_TRUE(story.got.has_value());
    EXPECT_EQ(story.sent, Status::ok);
    EXPECT_EQ(rig.total(Counter::disjoint_retries), 1u) << "of the first message only";
}

// Nodes that begin anew --------------------------------------------------------------------------

constexpr std::uint32_t kLongBytes = 6000;

Process long_from_0_to_3(Kernel& node) {
    static std::array<std::byte, kLongBytes> room;
    const SendOptions options{.packet_bytes = 200};
    if (node.id() == node_at(0))
        story.sent = co_await send(node, node_at(3), options, std::span{room});
    else if (node.id() == node_at(3))
        story.got = co_await receive(node, room);
    co_return Status::ok;
}

TEST(MessageFaults, WhatIsLostWithANodeThatIsBackBeforeAnybodyAsksIsSentAgain) {
    constexpr Network kCube2{Topology::cube, 2};
    unsigned moments = 0;
    for (const std::uint32_t reset : {1u, 2u}) // on the way there, on the way back
        for (std::uint64_t moment = 1; moment < 60; moment += 3, ++moments) {
            story = {};
            Rig rig{kCube2, long_from_0_to_3};
            rig.boot();
            for (std::uint32_t id = 0; id < rig.size(); ++id) {
                rig.tell(id, wire::HostTag::job, wire::bytes_of(wire::Job{.op = wire::Op::app}));
                rig.tell(id, wire::HostTag::start, {});
            }
            rig.pause_at = rig.carried + moment;
            rig.settle();
            rig.pause_at = ~std::uint64_t{0};
            rig.restart(reset);
            rig.finish();
            EXPECT_EQ(story.sent, Status::ok) << "reset of " << reset << " at " << moment;
            ASSERT_TRUE(story.got.has_value()) << "reset of " << reset << " at " << moment;
            EXPECT_EQ(story.got->bytes, kLongBytes);
        }
    EXPECT_EQ(moments, 40u);
}

bool second_life = false;

Process begins_to_take(Kernel& node) {
    static std::array<std::byte, 64> room;
    if (node.id() == node_at(0))
        co_return story.sent.emplace(co_await send(node, node_at(3), {.packet_bytes = 1}, room));
    if (node.id() != node_at(3))
        co_return Status::ok;
    const Tag tag = second_life ? 2 : kAnyTag;
    Message message = co_await receive_message(node, kAnySource, tag);
    co_await next(node, message);
    if (!second_life)
        co_await node.wait_until([] { return false; });
    co_return Status::ok;
}

Process sends_another(Kernel& node) {
    co_return co_await send(node, node_at(3), {.tag = 2}, std::span<const std::byte>{});
}

TEST(MessageFaults, ANodeThatBeganAnewClaimsNothingOfMessagesOfItsLifeBefore) {
    for (const bool takes_another : {false, true}) {
        story = {};
        second_life = false;
        Rig rig{{Topology::cube, 2}, begins_to_take};
        rig.limit_us = 1'000'000;
        rig.run({});
        EXPECT_FALSE(story.sent.has_value());
        second_life = true;
        rig.restart(3, {.op = wire::Op::app}, true);
        if (takes_another) { // with a later number
            ASSERT_TRUE(rig.kernel(0).spawn(sends_another(rig.kernel(0))));
        }
        rig.finish(100'000'000);
        EXPECT_EQ(story.sent, Status::unreachable);
    }
}

Process nothing(Kernel&) { co_return Status::ok; }

TEST(MessageFaults, ANodeThatStartsBesideADeadOneKeepsNoPacketsForIt) {
    story = {.to = node_at(1), .takes = false};
    Rig rig{{Topology::cube, 2}, send_from_0};
    rig.limit_us = 1'000'000;
    rig.run({});
    rig.is_cut = [](NodeId from, Port by) {
        return from == node_at(1) ||
               neighbor({Topology::cube, 2}, from, by) == node_at(1); // it has died
    };
    story.sent.reset();
    rig.restart(0, {.op = wire::Op::app}, true);
    rig.finish(60'000'000);
    EXPECT_EQ(story.sent, Status::unreachable);
    EXPECT_EQ(rig.report(0).dead_ports, 1u);
    EXPECT_EQ(rig.kernel(0).pool().used(), 2u);
}

} // namespace message_faults_test
} // namespace mesh::test
