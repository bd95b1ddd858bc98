// Each side of a message ends, whatever happens to the other side, and in model time they part when
// the receiver has the message.
#include "kernel/api/channel.hpp"
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

namespace mesh::test {
namespace message_ends_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr Network kCube3{Topology::cube, 3};
constexpr NodeId kFrom{0}, kTo{7};

struct Story {
    std::uint32_t bytes = 0;
    SendOptions options{};
    NodeId listens_to = kFrom;
    bool leaves = false; // the receiver, after the first packet
    std::optional<Status> sent{};
    std::optional<Received> got{};
    std::vector<wire::ModelTime> sent_at{}, got_at{};
};
Story story;

/// Data and room of processes that may never end.
std::vector<std::byte>& memory(NodeId node) {
    static std::array<std::vector<std::byte>, 2> all;
    auto& mine = all[node == kFrom ? 0 : 1];
    mine.resize(story.bytes);
    return mine;
}

Process one_message(Kernel& node) {
    if (node.id() == kFrom)
        story.sent = co_await send(node, kTo, story.options, memory(kFrom));
    while (node.id() == story.listens_to && node.id() != kFrom) // it has nothing to say
        co_await node.receive({.tag = 999});
    if (node.id() != kTo)
        co_return Status::ok;
    if (!story.leaves) {
        story.got = co_await receive(node, memory(kTo), story.listens_to);
        co_return Status::ok;
    }
    Message message = co_await receive_message(node);
    const Packet first = co_await next(node, message);
    co_return first ? Status::ok : Status::failed;
}

/// Nothing gets to `node` or away from it once `dies` holds.
template <class Dies>
auto death(NodeId node, Dies dies) {
    return [node, dies](NodeId from, Port by) {
        return (from == node || neighbor(kCube3, from, by) == node) && dies();
    };
}

TEST(MessageEnds, AReceiverInsideAMessageWhoseSenderDiesIsToldSo) {
    for (const unsigned frames : {40u, 150u, 400u}) {
        story = {.bytes = 100'000};
        Rig rig{kCube3, one_message};
        rig.limit_us = 40'000'000;
        rig.is_cut = death(kFrom, [&rig, frames] { return rig.started && rig.carried > frames; });
        rig.run({});
        ASSERT_TRUE(story.got.has_value()) << frames;
        EXPECT_EQ(story.got->status, Status::unreachable) << frames;
        EXPECT_EQ(story.sent, Status::unreachable) << frames;
    }
}

TEST(MessageEnds, AReceiverThatListensToOneDeadNodeIsToldSo) {
    story = {.bytes = 100};
    Rig rig{kCube3, one_message};
    rig.is_cut = death(kFrom, [&rig] { return rig.started; });
    rig.run({});
    ASSERT_TRUE(story.got.has_value());
    EXPECT_EQ(story.got->status, Status::unreachable);
}

TEST(MessageEnds, AReceiverThatListensToANodeThatThereIsNotIsToldSoAtOnce) {
    story = {.bytes = 100, .listens_to = node_at(8)};
    Rig rig{kCube3, one_message};
    rig.run({});
    ASSERT_TRUE(story.got.has_value());
    EXPECT_EQ(story.got->status, Status::bad_argument);
}

TEST(MessageEnds, TheSenderOfAMessageThatItsReceiverLeavesIsToldThatNobodyKnows) {
    for (const std::uint32_t bytes : {3000u, 100'000u}) {
        story = {.bytes = bytes, .leaves = true};
        Rig rig{kCube3, one_message};
        rig.run({});
        EXPECT_EQ(story.sent, Status::unreachable) << bytes;
        EXPECT_FALSE(rig.kernel(index(kTo)).has({.service = Service::fragment}));
    }
}

Process sends_in_vain(Kernel& node) {
    if (node.id() == kFrom && !node.spawn(send(node, kTo, {.tag = 5}, memory(kFrom))))
        co_return Status::no_memory;
    co_return Status::ok;
}

TEST(MessageEnds, AMessageThatNobodyTakesIsInTheReportOfItsReceiver) {
    story = {.bytes = 3000};
    Rig rig{kCube3, sends_in_vain};
    rig.run({});
    const wire::NodeReport report = rig.report(index(kTo));
    EXPECT_EQ(report.untaken, 1u);
    EXPECT_EQ(report.untaken_source, index(kFrom));
    EXPECT_EQ(report.untaken_tag, 5u);
    EXPECT_EQ(report.untaken_service, static_cast<std::uint16_t>(Service::message));
    EXPECT_EQ(rig.report(index(kFrom)).untaken, 0u);
}

// Slow links --------------------------------------------------------------------------------------

void pass(Rig& rig, std::uint64_t until_us) {
    rig.finish(until_us);
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        rig.board(id).set_time(until_us);
    rig.settle();
}

/// Every frame takes 20 ms, so the links' retransmission timeouts grow.
std::uint64_t run_slowly(Rig& rig, std::uint64_t now_us, unsigned turns) {
    for (; turns != 0; --turns) {
        pass(rig, now_us += 20'000);
        rig.bring_late();
        rig.settle();
    }
    return now_us;
}

Process one_to_a_neighbour(Kernel& node) {
    if (node.id() == kFrom)
        story.sent = co_await send(node, node_at(1), story.options, memory(kFrom));
    else
        story.got = co_await receive(node, memory(kTo), kFrom);
    co_return Status::ok;
}

TEST(MessageEnds, NobodyIsGivenUpWhileALinkStillTriesToGetTheQuestionThere) {
    story = {.bytes = 30'000};
    Rig rig{{Topology::cube, 1}, one_to_a_neighbour};
    rig.limit_us = 0;
    rig.is_late = [](NodeId, Port, const wire::LinkHeader&) { return true; };
    rig.boot();
    std::uint64_t now_us = run_slowly(rig, 0, 3);
    rig.run({});
    now_us = run_slowly(rig, now_us, 12); // some frames ask for an answer, and are measured
    pass(rig, now_us + 30'000'000);       // nothing arrives, and the links know that it takes long
    EXPECT_EQ(rig.total(Counter::links_dead), 0u);
    rig.is_late = [](NodeId, Port, const wire::LinkHeader&) { return false; };
    rig.bring_late();
    rig.finish();
    EXPECT_EQ(rig.total(Counter::links_dead), 0u);
    EXPECT_EQ(story.sent, Status::ok);
    ASSERT_TRUE(story.got.has_value());
    EXPECT_EQ(story.got->status, Status::ok);
}

TEST(MessageEnds, AReceiverThatDiesAfterHoursIsNoticedAndTheHoursCostLittle) {
    constexpr std::uint64_t kHourUs = 3'600'000'000;
    story = {.bytes = 100, .listens_to = node_at(3)}; // who sends nothing
    Rig rig{kCube3, one_message};
    rig.limit_us = kHourUs;
    bool dead = false;
    rig.is_cut = death(kTo, [&dead] { return dead; });
    rig.run({});
    const std::uint64_t first_hour = rig.carried;
    rig.finish(4 * kHourUs);
    EXPECT_FALSE(story.sent.has_value());
    EXPECT_LT(rig.carried - first_hour, 3000u); // three hours, two questions, six cables
    dead = true;
    rig.finish(4 * kHourUs + 600'000'000);
    EXPECT_EQ(story.sent, Status::unreachable);
}

// Model time --------------------------------------------------------------------------------------

constexpr unsigned kItems = 10;

Process produces(Kernel& node) {
    for (unsigned item = 0; item < kItems; ++item) {
        const Status sent = co_await send(node, kTo, story.options, memory(kFrom));
        story.sent_at.push_back(node.now());
        if (sent != Status::ok)
            co_return sent;
    }
    co_return Status::ok;
}

Process consumes(Kernel& node) {
    for (unsigned item = 0; item < kItems; ++item) {
        co_await node.sleep(10 * kUnit);
        std::ignore = co_await receive(node, memory(kTo));
        story.got_at.push_back(node.now());
    }
    co_return Status::ok;
}

Process producer_and_consumer(Kernel& node) {
    if (node.id() == kFrom)
        co_return co_await produces(node);
    if (node.id() == kTo)
        co_return co_await consumes(node);
    co_return Status::ok;
}

TEST(MessageEnds, ASenderEndsInModelTimeWhenItsReceiverHasTheMessage) {
    for (const std::uint32_t bytes : {0u, 4u, 20'000u}) {
        story = {.bytes = bytes};
        Rig rig{kCube3, producer_and_consumer};
        rig.run({});
        EXPECT_EQ(story.sent_at, story.got_at) << bytes;
        ASSERT_EQ(story.got_at.size(), kItems);
        EXPECT_GE(story.got_at.back(), kItems * 10 * kUnit);
    }
}

TEST(MessageEnds, ASendThatIsNotSynchronousTakesNoModelTime) {
    story = {.bytes = 4, .options = {.synchronous = false}};
    Rig rig{kCube3, producer_and_consumer};
    rig.run({});
    EXPECT_EQ(story.sent_at, std::vector<wire::ModelTime>(kItems, 0));
}

Process produces_inside(Kernel& node, Channel<int>& channel) {
    for (unsigned item = 0; item < kItems; ++item) {
        co_await channel.write(0);
        story.sent_at.push_back(node.now());
    }
    co_return Status::ok;
}

Process inside_a_node(Kernel& node) {
    if (node.id() != kTo)
        co_return Status::ok;
    Channel<int> channel{node};
    ProcessId producer;
    if (!node.spawn(produces_inside(node, channel), producer))
        co_return Status::no_memory;
    for (unsigned item = 0; item < kItems; ++item) {
        co_await node.sleep(10 * kUnit);
        co_await channel.read();
        story.got_at.push_back(node.now());
    }
    co_return co_await node.join(producer);
}

TEST(MessageEnds, AChannelInsideANodeKeepsTheSameTime) {
    story = {};
    Rig rig{kCube3, inside_a_node};
    rig.run({});
    EXPECT_EQ(story.sent_at, story.got_at);
    EXPECT_EQ(story.got_at.back(), kItems * 10 * kUnit);
}

Process sends_to_itself(Kernel& node) {
    if (node.id() != kFrom)
        co_return Status::ok;
    ProcessId sender;
    if (!node.spawn(send(node, kFrom, {}, memory(kFrom)), sender))
        co_return Status::no_memory;
    for (bool taken = false; !taken; taken = true) {
        Message message = co_await receive_message(node);
        const Packet first = co_await next(node, message);
        if (!first)
            co_return Status::failed;
    }
    story.sent = co_await node.join(sender);
    co_return Status::ok;
}

TEST(MessageEnds, AMessageToOneselfThatIsTakenAndLeftHasNotArrived) {
    story = {.bytes = 100'000};
    Rig rig{kCube3, sends_to_itself};
    rig.run({});
    EXPECT_EQ(story.sent, Status::unreachable);
}

} // namespace message_ends_test
} // namespace mesh::test
