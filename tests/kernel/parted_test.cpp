// Two nodes that have lost a packet between them in a call of a collective: neither waits for the
// other any more in that call, and the next call works as before.
#include "collectives/call.hpp"
#include "kernel/api/await.hpp"
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>

namespace mesh::test {
namespace parted_test {

constexpr Tag kTag = 5;
constexpr Port kCable = port_at(0);
constexpr unsigned kFirst = 1, kSecond = 2; // numbers of calls

constexpr CallLabel label_of(unsigned number, Tag tag = kTag) {
    return CallLabel::of(tag, 2 * number);
}

// A node's memory of calls ------------------------------------------------------------------------

TEST(CallRecord, KnowsWhichNodeWasPartedAndWhereItIsMoreThanOneTakesAll) {
    CallRecord record;
    EXPECT_FALSE(record.has_parted(node_at(4)));
    record.part(node_at(4));
    record.part(node_at(4));
    EXPECT_TRUE(record.has_parted(node_at(4)));
    EXPECT_FALSE(record.has_parted(node_at(5)));
    record.part(node_at(6));
    EXPECT_TRUE(record.has_parted(node_at(5)));
}

TEST(CallRecord, NodesArePartedForOneCallOnly) {
    Calls calls{false};
    CallRecord record{.tag = kTag};
    calls.add(record);
    calls.part(label_of(kFirst), node_at(1));
    EXPECT_FALSE(calls.is_over(label_of(kFirst), node_at(1))) << "none has begun";
    calls.begin(record, 0);
    calls.part(label_of(kFirst), node_at(1));
    EXPECT_TRUE(calls.is_over(label_of(kFirst), node_at(1)));
    EXPECT_FALSE(calls.is_over(label_of(kFirst), node_at(2)));
    EXPECT_FALSE(calls.is_over(label_of(kSecond), node_at(1)));
    EXPECT_FALSE(calls.is_over(CallLabel{kTag, 0}, node_at(1))) << "of no call";
    calls.begin(record, 0);
    EXPECT_FALSE(calls.is_over(label_of(kSecond), node_at(1)));
    calls.part(label_of(kFirst), node_at(1)); // that one is over
    EXPECT_FALSE(calls.is_over(label_of(kSecond), node_at(1)));
}

TEST(CallRecord, LossesOfManyTagsAreNotHeldAgainstAnotherOne) {
    constexpr unsigned kTags = 40; // more than there are places
    Calls calls{false};
    std::array<CallRecord, kTags + 1> records;
    for (Tag tag = 0; tag < kTags; ++tag) {
        records[tag].tag = tag;
        calls.add(records[tag]);
        calls.begin(records[tag], 0);
        calls.note_lost(kCable, label_of(kFirst, tag));
    }
    CallRecord& healthy = records[kTags];
    healthy.tag = kTags;
    calls.add(healthy);
    calls.begin(healthy, 0);
    EXPECT_FALSE(calls.lost(kCable, label_of(kFirst, kTags)));
    for (Tag tag = 0; tag < kTags; ++tag) {
        EXPECT_TRUE(calls.lost(kCable, label_of(kFirst, tag))) << tag;
        EXPECT_FALSE(calls.lost(kCable, label_of(kSecond, tag))) << tag;
    }
}

TEST(CallRecord, ALossOfATagOfWhichNoCallHasBegunIsHeldAgainstAllRatherThanForgotten) {
    Calls calls{false};
    for (Tag tag = 0; tag < 40; ++tag)
        calls.note_lost(kCable, label_of(kFirst, tag));
    EXPECT_TRUE(calls.lost(kCable, label_of(kFirst, 0)));
}

// Two nodes ---------------------------------------------------------------------------------------

struct Story {
    std::function<void(Kernel&)> fault; // in the first call, at node 0
    std::function<Task<Status>(Kernel&, CallLabel, NodeId)> exchange;
    std::array<std::array<std::optional<Status>, 2>, 2> said; // by node and call
};
Story story;

// A node whose program has ended does not answer, so both stay.
Process calls_twice(Kernel& node) {
    const std::uint32_t self = index(node.id());
    for (auto& said : story.said[self]) {
        const Call call{node, kTag};
        if (self == 0 && &said == story.said[self].data())
            story.fault(node);
        co_await node.sleep(wire::kTicksPerUnit);
        said = co_await story.exchange(node, call.label(), node_at(1 - self));
    }
    co_await node.wait_until([] { return false; });
    co_return Status::ok;
}

Task<Status> receives_then_sends(Kernel& node, CallLabel label, NodeId other) {
    std::array<std::byte, 4> word{};
    const Received got = co_await receive(node, word, other, label);
    const Status sent = co_await send(node, other, {.tag = label.tag, .call = label.call}, word);
    co_return got.status == Status::ok ? sent : got.status;
}

Task<Status> sends_then_receives(Kernel& node, CallLabel label, NodeId other) {
    std::array<std::byte, 4> word{};
    const Status sent = co_await send(node, other, {.tag = label.tag, .call = label.call}, word);
    const Received got = co_await receive(node, word, other, label);
    co_return sent == Status::ok ? got.status : sent;
}

Task<Status> one_sends_first(Kernel& node, CallLabel label, NodeId other) {
    return index(node.id()) == 0 ? sends_then_receives(node, label, other)
                                 : receives_then_sends(node, label, other);
}

Task<Status> the_other_sends_first(Kernel& node, CallLabel label, NodeId other) {
    return index(node.id()) == 1 ? sends_then_receives(node, label, other)
                                 : receives_then_sends(node, label, other);
}

void parts_from_node_1(Kernel& node) { node.calls().part(label_of(kFirst), node_at(1)); }

Task<Status> exchanges_packets(Kernel& node, CallLabel label, NodeId other) {
    if (label.call / 2 == kSecond)
        co_await node.post(
            {.destination = other, .tag = label.tag, .message = 1, .call = label.call});
    const Packet packet = co_await await_packet(node, other, label.match());
    if (index(node.id()) == 1) // as long as node 0 waits, it is in the same call
        co_await node.wait_until([&] { return story.said[0][label.call / 2 - 1].has_value(); });
    co_return packet.status();
}

void expect_both_parted_in_the_first_call_only() {
    Rig rig{{Topology::cube, 1}, calls_twice};
    rig.limit_us = 300'000'000;
    rig.run({});
    for (const auto& said : story.said) {
        EXPECT_EQ(said[0], Status::unreachable);
        EXPECT_EQ(said[1], Status::ok);
    }
}

TEST(Parted, AMessageThatItsSenderHasGivenUpIsNotWaitedFor) {
    story = {.fault = parts_from_node_1, .exchange = one_sends_first, .said = {}};
    expect_both_parted_in_the_first_call_only();
}

TEST(Parted, AMessageThatItsReceiverHasGivenUpIsRefused) {
    story = {.fault = parts_from_node_1, .exchange = the_other_sends_first, .said = {}};
    expect_both_parted_in_the_first_call_only();
}

// Both wait. Node 0 has lost a packet of node 1: node 1 is told, gives up, and tells node 0.
TEST(Parted, ANeighbourThatWaitsNoMoreSaysSoToTheOtherOne) {
    const auto loses = [](Kernel& node) { node.calls().note_lost(kCable, label_of(kFirst)); };
    story = {.fault = loses, .exchange = exchanges_packets, .said = {}};
    expect_both_parted_in_the_first_call_only();
}

} // namespace parted_test
} // namespace mesh::test
