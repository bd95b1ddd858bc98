// Messages and channels between nodes: every size, every end, and what a sender learns when a link
// is cut.
#include "kernel/api/alt.hpp"
#include "kernel/api/channel.hpp"
#include "ops/traffic.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

namespace mesh::test {
namespace message_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr Noise kLoud{.drop = 0.2, .corrupt = 0.1, .twice = 0.05, .swap = 0.1};

std::vector<std::byte> some_bytes(std::size_t size, std::uint32_t stream) {
    std::vector<std::byte> bytes(size);
    for (std::uint32_t at = 0; at < size; ++at)
        bytes[at] = static_cast<std::byte>(traffic_byte(stream, at));
    return bytes;
}

/// The orders for the programs of the running test, and their results.
struct Plan {
    NodeId from{0}, to{0};
    std::uint32_t size = 0;
    std::uint32_t room = 0; // of the receiver's buffer
    SendOptions options{};
    unsigned messages = 1;
    unsigned pause = 0; // units that the receiver is late
    // results
    std::vector<std::string> story{};
    std::vector<Status> sent{};
    std::vector<Received> got{};
    std::vector<std::vector<std::byte>> data{};
    std::deque<std::vector<std::byte>> scratch{}; // outlives processes that never end
};
Plan plan;

std::uint32_t done(Rig& rig) {
    std::uint32_t count = 0;
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        count += rig.report(id).done;
    return count;
}

// One message -------------------------------------------------------------------------------------

Process send_one(Kernel& node) {
    const auto& data = plan.scratch.emplace_back(some_bytes(plan.size, index(plan.from)));
    plan.sent.push_back(co_await send(node, plan.to, plan.options, data));
    co_return Status::ok;
}

Process receive_one(Kernel& node) {
    if (plan.pause != 0)
        co_await node.sleep(plan.pause * kUnit);
    auto& buffer = plan.scratch.emplace_back(plan.room);
    const Received got = co_await receive(node, buffer);
    buffer.resize(got.bytes);
    plan.got.push_back(got);
    plan.data.push_back(buffer);
    co_return Status::ok;
}

Process one_message(Kernel& node) {
    ProcessId sender;
    if (node.id() == plan.from && !node.spawn(send_one(node), sender))
        co_return Status::no_memory;
    if (node.id() == plan.to)
        co_return co_await receive_one(node);
    co_return co_await node.end_of(sender); // ok at a node that does not send
}

constexpr std::uint32_t kSizes[] = {0, 1, 2, 1023, 1024, 1025, 2048, 100'000, 1u << 20};

TEST(Message, OfAnySizeArrivesWhole) {
    for (const std::uint32_t size : kSizes)
        for (const std::uint32_t to : {1u, 7u}) {
            plan = {.to = node_at(to), .size = size, .room = size, .options = {.tag = 9}};
            Rig rig{{Topology::cube, 3}, one_message, limits::pool_buffers_min(3, 4, 1)};
            rig.run({});
            ASSERT_EQ(done(rig), 8u) << size;
            ASSERT_EQ(plan.sent, std::vector{Status::ok});
            ASSERT_EQ(plan.got.size(), 1u);
            EXPECT_EQ(plan.got[0].status, Status::ok);
            EXPECT_EQ(plan.got[0].source, node_at(0));
            EXPECT_EQ(plan.got[0].tag, 9);
            EXPECT_TRUE(plan.data[0] == some_bytes(size, 0)) << size;
        }
}

TEST(Message, OfAnyPacketSizeArrivesWhole) {
    for (const unsigned packet_bytes : {1u, 3u, 16u, 100u, 1000u, 1023u}) {
        plan = {.to = node_at(3), .size = 3001, .room = 3001, .options = {}};
        plan.options.packet_bytes = static_cast<std::uint16_t>(packet_bytes);
        Rig rig{{Topology::cube, 2}, one_message, 40};
        rig.run({});
        EXPECT_EQ(plan.sent, std::vector{Status::ok});
        ASSERT_EQ(plan.data.size(), 1u) << packet_bytes;
        EXPECT_TRUE(plan.data[0] == some_bytes(3001, 0)) << packet_bytes;
        EXPECT_EQ(rig.kernel(3).counters()[Counter::packets_delivered],
                  (3001 + packet_bytes - 1) / packet_bytes);
    }
}

TEST(Message, OverNoisyCablesArrivesWhole) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        plan = {.to = node_at(7), .size = 50'000, .room = 50'000, .options = {}};
        Rig rig{{Topology::cube, 3}, one_message, 40, seed};
        rig.noise = kLoud;
        rig.run({});
        ASSERT_EQ(plan.sent, std::vector{Status::ok}) << "seed " << seed;
        EXPECT_TRUE(plan.data[0] == some_bytes(50'000, 0)) << "seed " << seed;
    }
}

TEST(Message, ToOneselfArrivesWhole) {
    for (const std::uint32_t size : {0u, 1u, 5000u}) {
        plan = {.size = size, .room = size, .options = {}};
        Rig rig{{Topology::cube, 1}, one_message, 40};
        rig.run({});
        EXPECT_EQ(plan.sent, std::vector{Status::ok}) << size;
        ASSERT_EQ(plan.data.size(), 1u);
        EXPECT_TRUE(plan.data[0] == some_bytes(size, 0)) << size;
    }
}

TEST(Message, LongerThanTheBufferIsCutAndTheSenderStillEnds) {
    for (const std::uint32_t size : {1u, 1024u, 1025u, 30'000u})
        for (const std::uint32_t room : {0u, 1u, 1000u, 1024u, 29'999u}) {
            if (room >= size)
                continue;
            plan = {.to = node_at(1), .size = size, .room = room, .options = {}};
            Rig rig{{Topology::cube, 1}, one_message, 40};
            rig.run({});
            EXPECT_EQ(plan.sent, std::vector{Status::ok});
            ASSERT_EQ(plan.got.size(), 1u) << size << " into " << room;
            EXPECT_EQ(plan.got[0].status, Status::truncated);
            EXPECT_EQ(plan.got[0].bytes, room);
            auto expected = some_bytes(size, 0);
            expected.resize(room);
            EXPECT_TRUE(plan.data[0] == expected);
        }
}

TEST(Message, ToALateReceiverWaitsAndTheSenderEndsNoEarlier) {
    plan = {.to = node_at(1), .size = 20'000, .room = 20'000, .options = {}, .pause = 500};
    Rig rig{{Topology::cube, 1}, one_message, 40};
    rig.run({});
    EXPECT_EQ(plan.sent, std::vector{Status::ok});
    EXPECT_GE(rig.board(0).now_us(), 500'000u);
    EXPECT_LE(rig.kernel(1).counters()[Counter::packets_delivered], 20u);
}

Process bad_arguments(Kernel& node) {
    const auto data = some_bytes(10, 0);
    const ByteSource no_source{nullptr, nullptr};
    const NodeId nobody = node_at(node.nodes());
    const std::uint32_t too_much = limits::kMessageBytesMax + 1;
    const SendOptions none{0, 0}, huge{0, 1025}, fine{};
    plan.sent.push_back(co_await send(node, nobody, fine, data));
    plan.sent.push_back(co_await send(node, kNoNode, fine, data));
    plan.sent.push_back(co_await send(node, node.id(), fine, too_much, no_source));
    plan.sent.push_back(co_await send(node, node.id(), none, data));
    plan.sent.push_back(co_await send(node, node.id(), huge, data));
    co_return Status::ok;
}

TEST(Message, WithBadArgumentsIsRefusedAtOnceAndNothingIsSent) {
    plan = {};
    Rig rig{{Topology::cube, 1}, bad_arguments};
    rig.run({});
    ASSERT_EQ(plan.sent.size(), 10u); // both nodes
    for (const Status status : plan.sent)
        EXPECT_EQ(status, Status::bad_argument);
    EXPECT_EQ(rig.total(Counter::packets_injected), 0u);
}

// Many to one -------------------------------------------------------------------------------------

Process send_all_mine(Kernel& node) {
    for (unsigned k = 0; k < plan.messages; ++k) {
        const auto& data =
            plan.scratch.emplace_back(some_bytes(plan.size, traffic_stream(5, node.id(), k)));
        const Tag tag = static_cast<Tag>(k);
        plan.sent.push_back(co_await send(node, plan.to, {.tag = tag}, data));
    }
    co_return Status::ok;
}

Process many_to_one(Kernel& node) {
    if (node.id() != plan.to)
        co_return co_await send_all_mine(node);
    co_await node.sleep(plan.pause * kUnit); // offers pile up
    std::array<std::uint32_t, 64> next{};
    auto& buffer = plan.scratch.emplace_back(plan.size);
    for (std::uint32_t count = (node.nodes() - 1) * plan.messages; count != 0; --count) {
        const Received got = co_await receive(node, buffer);
        const std::uint32_t k = next[index(got.source)]++;
        const bool right = got.status == Status::ok && got.tag == k && got.bytes == plan.size &&
                           buffer == some_bytes(plan.size, traffic_stream(5, got.source, k));
        if (!right)
            co_return Status::failed;
    }
    co_return Status::ok;
}

TEST(Message, FromManyToOneAreSentBackToWaitAndAllArriveInOrder) {
    for (const std::uint32_t size : {0u, 100u, 4000u}) {
        plan = {.to = node_at(5), .size = size, .options = {}, .messages = 6, .pause = 20};
        Rig rig{{Topology::cube, 4}, many_to_one, limits::pool_buffers_min(4, 5, 1)};
        rig.run({});
        EXPECT_EQ(done(rig), 16u) << size;
        EXPECT_EQ(rig.report(5).status, 0u) << size;
        EXPECT_EQ(plan.sent, std::vector<Status>(15 * 6, Status::ok));
        EXPECT_GT(rig.kernel(5).counters()[Counter::bounces], 0u);
    }
}

TEST(Message, FromManyToOneSurviveNoise) {
    plan = {.to = node_at(0), .size = 2000, .options = {}, .messages = 4, .pause = 2000};
    Rig rig{{Topology::cube, 3}, many_to_one, limits::pool_buffers_min(3, 4, 1), 3};
    rig.noise = kLoud;
    rig.run({});
    EXPECT_EQ(done(rig), 8u);
    EXPECT_EQ(rig.report(0).status, 0u);
    EXPECT_GT(rig.kernel(0).counters()[Counter::bounces], 0u);
}

// Channels between nodes --------------------------------------------------------------------------

template <class T>
std::span<const std::byte> as_bytes(const T& value) {
    return std::as_bytes(std::span{&value, 1});
}

Process ring(Kernel& node) {
    const NodeId next = node_at((index(node.id()) + 1) % node.nodes());
    const NodeId last = node_at((index(node.id()) + node.nodes() - 1) % node.nodes());
    const ChannelNumber number{3};
    std::uint32_t token = 0;
    const auto token_bytes = std::as_writable_bytes(std::span{&token, 1});
    for (unsigned lap = 0; lap < 5; ++lap) {
        if (index(node.id()) != 0)
            std::ignore = co_await ChannelIn{last, number}.read(node, token_bytes);
        token += index(node.id()) + 1;
        const Status status = co_await ChannelOut{next, number}.write(node, as_bytes(token));
        if (status != Status::ok)
            co_return status;
        if (index(node.id()) == 0)
            std::ignore = co_await ChannelIn{last, number}.read(node, token_bytes);
    }
    co_return index(node.id()) != 0 || token == 5 * 36 ? Status::ok : Status::failed;
}

TEST(ChannelBetweenNodes, ATokenGoesRoundARing) {
    Rig rig{{Topology::cube, 3}, ring, 40};
    rig.run({});
    EXPECT_EQ(done(rig), 8u);
    for (std::uint32_t id = 0; id < 8; ++id)
        EXPECT_EQ(rig.report(id).status, 0u) << id;
}

Process two_channels(Kernel& node) {
    const std::uint32_t a = 100, b = 200;
    const ChannelNumber first{0}, second{0x7FFE};
    if (index(node.id()) == 0) { // writes the second one late: the reader waits for it all the same
        const Status one = co_await ChannelOut{node_at(1), second}.write(node, as_bytes(b));
        plan.story.push_back("written");
        const Status two = co_await ChannelOut{node_at(1), first}.write(node, as_bytes(a));
        co_return one == Status::ok ? two : one;
    }
    std::uint32_t x = 0, y = 0;
    co_await node.sleep(20 * kUnit);
    plan.story.push_back("reading");
    std::ignore =
        co_await ChannelIn{node_at(0), second}.read(node, std::as_writable_bytes(std::span{&y, 1}));
    std::ignore =
        co_await ChannelIn{node_at(0), first}.read(node, std::as_writable_bytes(std::span{&x, 1}));
    co_return x == 100 && y == 200 ? Status::ok : Status::failed;
}

TEST(ChannelBetweenNodes, AWriteEndsWhenTheReaderHasItAndChannelsDoNotMix) {
    plan = {};
    Rig rig{{Topology::cube, 1}, two_channels};
    rig.run({});
    EXPECT_EQ(plan.story, (std::vector<std::string>{"reading", "written"}));
    EXPECT_EQ(rig.report(0).status, 0u);
    EXPECT_EQ(rig.report(1).status, 0u);
}

// Matching and alternatives -----------------------------------------------------------------------

Process one_packet(Kernel& node, Tag tag) {
    OutgoingPacket packet = co_await node.allocate(Rule::unicast);
    packet.header().destination = node_at(0);
    packet.header().tag = tag;
    packet.resize(0);
    node.inject(std::move(packet));
    co_return Status::ok;
}

Process picks_by_tag_and_source(Kernel& node) {
    if (index(node.id()) != 0) {
        for (Tag tag = 1; tag <= 3; ++tag)
            if (co_await one_packet(node, tag) != Status::ok)
                co_return Status::failed;
        co_return Status::ok;
    }
    co_await node.sleep(10 * kUnit); // all six are there
    const Match matches[] = {{.tag = 2},
                             {.source = node_at(3)},
                             {.tag = 1, .source = node_at(1)},
                             {.tag = 3, .source = node_at(3)},
                             {},
                             {}};
    for (const Match& match : matches) {
        Packet packet = co_await node.receive(match);
        plan.story.push_back(std::to_string(index(packet.header().source)) + "/" +
                             std::to_string(packet.header().tag));
    }
    co_return Status::ok;
}

Process only_1_and_3(Kernel& node) {
    if (index(node.id()) == 2)
        co_return Status::ok;
    co_return co_await picks_by_tag_and_source(node);
}

TEST(Mailboxes, PacketsAreTakenByTagAndSourceTheFirstThatMatchesFirst) {
    plan = {};
    Rig rig{{Topology::cube, 2}, only_1_and_3};
    rig.run({});
    ASSERT_EQ(plan.story.size(), 6u);
    EXPECT_EQ(plan.story[0].substr(2), "2");
    EXPECT_EQ(plan.story[2], "1/1");
    EXPECT_EQ(plan.story[3], "3/3");
    auto all = plan.story;
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, (std::vector<std::string>{"1/1", "1/2", "1/3", "3/1", "3/2", "3/3"}));
    const bool second_is_first_of_3 = plan.story[0] == "3/2" || plan.story[1] == "3/1";
    EXPECT_TRUE(second_is_first_of_3) << plan.story[1];
}

Process alt_over_workers(Kernel& node) {
    const ChannelNumber number{1};
    const std::uint32_t self = index(node.id());
    if (self != 0) {
        co_await node.sleep((4 - self) * 20 * kUnit); // 3 first, then 2, then 1
        co_return co_await ChannelOut{node_at(0), number}.write(node, as_bytes(self));
    }
    const MailGuard workers[] = {on(ChannelIn{node_at(1), number}),
                                 on(ChannelIn{node_at(2), number}),
                                 on(ChannelIn{node_at(3), number})};
    for (unsigned count = 0; count < 3; ++count) {
        const auto which = co_await alt(node, std::span<const MailGuard>{workers});
        std::uint32_t value = 0;
        const NodeId peer = node_at(static_cast<std::uint32_t>(which) + 1);
        std::ignore = co_await ChannelIn{peer, number}.read(
            node, std::as_writable_bytes(std::span{&value, 1}));
        plan.story.push_back(std::to_string(value));
    }
    const auto late = co_await alt(node, workers[0], after(node, kUnit));
    plan.story.push_back(late == 1 ? "timer" : "worker");
    co_return Status::ok;
}

TEST(Alt, ListensToChannelsFromOtherNodes) {
    plan = {};
    Rig rig{{Topology::cube, 2}, alt_over_workers};
    rig.run({});
    EXPECT_EQ(plan.story, (std::vector<std::string>{"3", "2", "1", "timer"}));
    EXPECT_EQ(done(rig), 4u);
}

// Cut links ---------------------------------------------------------------------------------------

TEST(Message, OverACutLinkTakesAnotherPathInBoundedTime) {
    for (const std::uint32_t size : {0u, 100u, 100'000u})
        for (const bool both_ways : {true, false}) {
            plan = {.to = node_at(7), .size = size, .room = size, .options = {}};
            Rig rig{{Topology::cube, 3}, one_message, 40};
            rig.is_cut = [&](NodeId from, Port port) { // 0 -> 1 -> 3 -> 7
                return rig.started && port == port_at(1) &&
                       (from == node_at(1) || (both_ways && from == node_at(3)));
            };
            rig.limit_us = 14'000'000;
            rig.run({});
            EXPECT_EQ(plan.sent, std::vector{Status::ok}) << size;
            ASSERT_EQ(plan.data.size(), 1u);
            EXPECT_TRUE(plan.data[0] == some_bytes(size, 0)) << size;
            EXPECT_EQ(rig.report(1).dead_ports, 2u);
            EXPECT_EQ(rig.kernel(1).counters()[Counter::links_dead], 1u);
            EXPECT_GE(rig.kernel(1).counters()[Counter::drop_dead_link], 1u);
            EXPECT_EQ(rig.total(Counter::disjoint_retries), 1u);
        }
}

TEST(Message, WhoseLinkIsCutHalfWayIsUnreachable) {
    for (unsigned cut_after = 5; cut_after <= 95; cut_after += 10) {
        plan = {.to = node_at(1), .size = 100'000, .room = 100'000, .options = {}};
        Rig rig{{Topology::cube, 1}, one_message, 40};
        unsigned frames = 0;
        rig.is_cut = [&](NodeId from, Port) {
            frames += rig.started && from == node_at(0) ? 1 : 0;
            return frames > cut_after;
        };
        rig.run({});
        EXPECT_EQ(plan.sent, std::vector{Status::unreachable}) << cut_after;
    }
}

// 12 senders on node 0, as many receivers on `plan.to`.
Process many_at_once(Kernel& node) {
    if (node.id() != plan.from && node.id() != plan.to)
        co_return Status::ok;
    std::array<ProcessId, 12> ids;
    for (ProcessId& id : ids)
        if (!node.spawn(node.id() == plan.from ? send_one(node) : receive_one(node), id))
            co_return Status::no_memory;
    for (const ProcessId id : ids)
        std::ignore = co_await node.join(id);
    co_return Status::ok;
}

// Node 1 gives packets of 12 messages up at once, more than it has notices for.
TEST(Message, EverySenderTakesAnotherPathHoweverManyPacketsWaitAtADeadLink) {
    for (const std::uint32_t to : {1u, 3u}) {
        for (const unsigned cut_after : {0u, 5u, 20u, 60u, 100u, 200u}) {
            plan = {.to = node_at(to), .size = 60'000, .room = 60'000, .options = {}};
            Rig rig{{Topology::cube, 2}, many_at_once, 250};
            unsigned frames = 0;
            rig.is_cut = [&](NodeId from, Port port) { // 0 -> 1 -> 3
                const bool last_link = to == 1 ? from == node_at(0) && port == port_at(0)
                                               : from == node_at(1) && port == port_at(1);
                frames += rig.started && last_link ? 1 : 0;
                return last_link && frames > cut_after;
            };
            rig.run({});
            EXPECT_EQ(plan.sent, std::vector<Status>(12, Status::ok)) << cut_after;
            EXPECT_EQ(plan.data, std::vector(12, some_bytes(60'000, 0))) << cut_after;
            EXPECT_EQ(rig.report(0).done, 1u);
        }
    }
}

Process one_offer_each(Kernel& node) {
    if (index(node.id()) == 1) {
        co_await node.sleep(1000 * kUnit);
        co_return Status::ok;
    }
    std::array<ProcessId, 3> ids;
    for (ProcessId& id : ids)
        if (!node.spawn(send_one(node), id))
            co_return Status::no_memory;
    co_await node.sleep(100 * kUnit); // the offers wait at the other end; then the cable is cut
    OutgoingPacket packet = co_await node.allocate(Rule::unicast);
    packet.header().destination = node_at(1);
    packet.resize(0);
    node.inject(std::move(packet));
    for (const ProcessId id : ids)
        std::ignore = co_await node.join(id);
    co_return Status::ok;
}

TEST(Message, ThatWaitsForAnAnswerOnlyIsUnreachableOnceTheFirstLinkIsKnownToBeDead) {
    plan = {.to = node_at(1), .size = 100, .options = {}};
    Rig rig{{Topology::cube, 1}, one_offer_each, 40};
    rig.is_cut = [&](NodeId, Port) { return rig.started && rig.board(0).now_us() >= 50'000; };
    rig.run({});
    EXPECT_EQ(plan.sent, std::vector<Status>(3, Status::unreachable));
    EXPECT_EQ(rig.report(0).done, 1u);
}

TEST(Message, ToANodeBehindALinkThatIsKnownToBeDeadFailsAtOnce) {
    plan = {.to = node_at(1), .size = 5000, .options = {}, .messages = 3};
    Rig rig{{Topology::cube, 1}, many_to_one, 40};
    rig.is_cut = [&](NodeId, Port) { return rig.started; };
    rig.limit_us = 14'000'000; // the first one finds out
    rig.run({});
    EXPECT_EQ(plan.sent, std::vector<Status>(3, Status::unreachable));
    EXPECT_EQ(rig.total(Counter::links_dead), 1u);
}

} // namespace message_test
} // namespace mesh::test
