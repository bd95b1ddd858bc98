// A node's knowledge of the messages of others: each is taken once, and a node claims nothing of
// messages that it has forgotten.
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

namespace mesh::test {
namespace intake_test {

using Fate = Intake::Fate;

constexpr NodeId kNear = node_at(1), kFar = node_at(3), kOther = node_at(2);
constexpr unsigned kRoom = 2;

/// An offer as node `from` sends it.
wire::PacketHeader offer_of(NodeId from, std::uint32_t message, Tag tag = 0,
                            std::uint32_t before = 0) {
    return {.source = from,
            .tag = tag,
            .service = static_cast<std::uint8_t>(Service::message),
            .message = message,
            .position = before};
}

struct Places {
    std::array<Peer, 4> peers{};
    Mailbox mailbox;
    Intake intake;
    Counters counters;
    explicit Places(bool started_again = false) : intake(peers, mailbox, kRoom, started_again) {}
    void accept(NodeId from, std::uint32_t message) { intake.accept(offer_of(from, message)); }
    Intake::Verdict judge(NodeId from, std::uint32_t message, Tag tag = 0,
                          std::uint32_t before = 0) {
        return intake.judge(offer_of(from, message, tag, before), kNoNode);
    }
};

using Verdict = Intake::Verdict;

TEST(Intake, TheLastNumberTakenInSaysOfEachMessageWhetherItHasBeenHere) {
    Places node;
    node.accept(kNear, 5);
    EXPECT_EQ(node.intake.fate(kNear, 4), Fate::taken);
    EXPECT_EQ(node.intake.fate(kNear, 5), Fate::taken);
    EXPECT_EQ(node.intake.fate(kNear, 6), Fate::never_came);
    EXPECT_EQ(node.intake.fate(kFar, 1), Fate::never_came);
    node.accept(kFar, 1);
    EXPECT_EQ(node.intake.fate(kNear, 5), Fate::taken) << "nobody pushes it out";
}

TEST(Intake, ANodeThatWasStartedAgainClaimsNothingOfSendersThatItDoesNotKnow) {
    Places node{true};
    EXPECT_EQ(node.intake.fate(kNear, 5), Fate::unknown);
    node.accept(kNear, 5);
    EXPECT_EQ(node.intake.fate(kNear, 6), Fate::never_came);
}

TEST(Intake, AnOfferIsSentAwayWhileTheMessageBeforeItHasNotCome) {
    Places node;
    EXPECT_EQ(node.judge(kNear, 6, 0, 5), Verdict::send_away);
    EXPECT_FALSE(node.intake.any_away()) << "there is room, but not before the other one";
    EXPECT_EQ(node.judge(kNear, 5), Verdict::accept);
    node.accept(kNear, 5);
    EXPECT_EQ(node.intake.next_call(), kNear) << "for the one that came early";
    node.intake.call(kNear);
    EXPECT_EQ(node.judge(kNear, 6, 0, 5), Verdict::accept);
}

TEST(Intake, WhoeverIsSentAwayIsCalledInTurnAndHasThePlaceThatNobodyElseGets) {
    Places node;
    node.accept(kNear, 1);
    node.accept(kFar, 1);
    EXPECT_EQ(node.judge(kOther, 1), Verdict::send_away);
    EXPECT_EQ(node.judge(kNear, 2), Verdict::send_away);
    EXPECT_EQ(node.intake.next_call(), kNoNode) << "there is no room";
    node.intake.take();
    const NodeId first = node.intake.next_call();
    node.intake.call(first);
    EXPECT_EQ(node.intake.next_call(), kNoNode) << "the place is promised";
    EXPECT_EQ(node.judge(kFar, 2), Verdict::send_away) << "a newcomer has no place before them";
    EXPECT_EQ(node.judge(first, 3), Verdict::accept);
    node.accept(first, 3);
    node.intake.take();
    EXPECT_NE(node.intake.next_call(), first) << "it is the turn of the others";
}

TEST(Intake, WhoWasCalledAndHasNothingGivesThePlaceBack) {
    Places node;
    node.accept(kNear, 1);
    node.accept(kNear, 2);
    EXPECT_EQ(node.judge(kFar, 1), Verdict::send_away);
    node.intake.take();
    node.intake.call(node.intake.next_call());
    node.intake.come(kFar);
    EXPECT_FALSE(node.intake.any_away());
    EXPECT_EQ(node.judge(kOther, 1), Verdict::accept);
}

TEST(Intake, CallsThatWereLostDoNotKeepRoomForEver) {
    Places node;
    node.accept(kNear, 1);
    node.accept(kNear, 2);
    EXPECT_EQ(node.judge(kFar, 1), Verdict::send_away);
    EXPECT_EQ(node.judge(kOther, 1), Verdict::send_away);
    node.intake.take();
    node.intake.call(node.intake.next_call()); // and its node is dead
    EXPECT_EQ(node.intake.next_call(), kNoNode);
    for (unsigned ask = 0; ask <= node.peers.size() * limits::kAsksInVain; ++ask)
        node.intake.check_calls();
    EXPECT_NE(node.intake.next_call(), kNoNode);
}

TEST(Intake, AProcessThatWaitsForAnOfferThatWasSentAwayHasItCalledBesideTheRoom) {
    Places node;
    node.accept(kNear, 1);
    node.accept(kNear, 2);
    EXPECT_EQ(node.judge(kFar, 1, 7), Verdict::send_away);
    EXPECT_EQ(node.judge(kOther, 1, 8), Verdict::send_away);
    node.intake.want({.service = Service::message, .tag = 9});
    EXPECT_EQ(node.intake.next_call(), kNoNode);
    node.intake.want({.service = Service::message, .tag = 8});
    EXPECT_EQ(node.intake.next_call(), kOther);
    node.intake.call(kOther);
    EXPECT_EQ(node.judge(kOther, 1, 8), Verdict::overflow);
    EXPECT_EQ(node.intake.judge(offer_of(kOther, 2), kOther), Verdict::send_away)
        << "behind the offer in the overflow slot";
    node.intake.send_overflow_away(offer_of(kOther, 1, 8));
    EXPECT_EQ(node.judge(kOther, 1, 8), Verdict::send_away) << "nobody waits for it now";
}

TEST(Intake, ADeadSenderThatTheOverflowSlotIsForKeepsTheOthersOutUntilOneOfThemAsksOnly) {
    Places node;
    node.accept(kNear, 1);
    node.accept(kNear, 2);
    EXPECT_EQ(node.judge(kFar, 1, 7), Verdict::send_away);
    EXPECT_EQ(node.judge(kOther, 1, 8), Verdict::send_away);
    node.intake.want({.service = Service::message, .tag = 7});
    node.intake.call(kFar);
    node.intake.want({.service = Service::message, .tag = 8});
    EXPECT_EQ(node.intake.next_call(), kNoNode);
    node.intake.check_calls();
    node.intake.want({.service = Service::message, .tag = 8});
    EXPECT_EQ(node.intake.next_call(), kOther);
}

TEST(Intake, ANodeThatWasStartedAgainDoesNotSayThatItTookMessagesOfBefore) {
    Places node{true};
    node.accept(kNear, 5);
    EXPECT_EQ(node.intake.fate(kNear, 4), Fate::unknown);
}

TEST(Intake, OfAMessageOnlyTheBytesThatComeNextAreTaken) {
    Places node;
    Incoming incoming{.source = kNear, .message = 5, .arrived = 100};
    const auto takes = [&](std::uint32_t message, std::uint32_t position) {
        return node.intake.accept_fragment(
            {.payload_bytes = 50, .source = kNear, .message = message, .position = position},
            node.counters);
    };
    node.accept(kNear, 5);
    EXPECT_FALSE(takes(5, 100)) << "nobody takes it";
    node.intake.begin(incoming);
    EXPECT_EQ(node.intake.fate(kNear, 5), Fate::being_taken);
    EXPECT_FALSE(takes(5, 50));
    EXPECT_FALSE(takes(6, 100));
    EXPECT_EQ(node.counters[Counter::drop_duplicate], 3u);
    EXPECT_FALSE(takes(5, 150));
    EXPECT_EQ(node.counters[Counter::drop_out_of_order], 1u);
    EXPECT_TRUE(takes(5, 100));
    EXPECT_EQ(incoming.arrived, 150u);
}

TEST(Intake, OfAMessageThatAProcessLeavesNobodyKnowsWhatHasBecome) {
    Places node;
    Incoming incoming{.source = kNear, .message = 5};
    node.accept(kNear, 5);
    node.intake.begin(incoming);
    node.accept(kFar, 1);
    node.intake.end(incoming, false);
    EXPECT_EQ(node.intake.fate(kNear, 5), Fate::unknown);
    EXPECT_EQ(node.intake.fate(kNear, 6), Fate::never_came);
    EXPECT_EQ(node.intake.fate(kFar, 1), Fate::taken);
}

// Whole nodes -------------------------------------------------------------------------------------

Process nothing(Kernel&) { co_return Status::ok; }

Process leaves_late(Kernel& node) {
    std::vector<std::byte> data(4000);
    if (index(node.id()) == 0)
        co_return co_await send(node, node_at(1), {.packet_bytes = 500}, data);
    if (index(node.id()) == 1) {
        Message message = co_await receive_message(node);
        static_cast<void>(co_await next(node, message));
        co_await node.sleep(wire::kTicksPerUnit); // meanwhile the rest comes
        EXPECT_TRUE(node.has({.service = Service::fragment}));
    }
    co_return Status::ok;
}

TEST(IntakeMesh, WhatHasComeOfAMessageThatAProcessLeavesGoesWithIt) {
    Rig rig{{Topology::cube, 1}, leaves_late};
    rig.run({});
    EXPECT_EQ(rig.report(0).status, static_cast<std::uint32_t>(Status::unreachable));
    EXPECT_FALSE(rig.kernel(1).has({.service = Service::fragment}));
}

std::optional<Status> said;

/// Asks for message 1 of this node to node 1.
Process asks_for_the_first(Kernel& node) {
    Outgoing message{node.messages(), node_at(1), Rule::unicast};
    message.question = Service::ask;
    message.message = 1;
    message.ask_at = 0;
    co_await node.wait_until([&] { return !node.ask(message) || message.taken; });
    said = message.taken ? Status::ok : Status::unreachable;
    co_return Status::ok;
}

/// Node 0 sends a word, which node 1 has when it ends without having received it.
Process sends(Kernel& node) {
    if (index(node.id()) == 0)
        co_return co_await send(node, node_at(1), {}, std::array<std::byte, 4>{});
    co_await node.wait_until([&node] { return node.has({.service = Service::message}); });
    co_return Status::ok;
}

// The node's answer that it refused the offer may be lost; then the sender asks.
TEST(IntakeMesh, AnOfferThatTheEndOfAProgramRefusedIsNotSaidToBeTaken) {
    Rig rig{{Topology::cube, 1}, sends};
    rig.run({});
    EXPECT_EQ(rig.report(0).status, static_cast<std::uint32_t>(Status::unreachable));
    ASSERT_TRUE(rig.kernel(0).spawn(asks_for_the_first(rig.kernel(0))));
    rig.finish(rig.board(0).now_us() + 1'000'000);
    EXPECT_EQ(said, Status::unreachable);
}

// A status query names the way of its answer. A node must not fail over a rule that its network
// does not have, and may be asked to tell all nodes.
TEST(IntakeMesh, AnAnswerGoesByTheWayThatTheQuestionNamedIfThereIsOne) {
    Rig rig{{Topology::cube, 1}, nothing};
    rig.run({});
    const auto look = [&](Path path) {
        const wire::PacketHeader header{.rule = Rule::unicast,
                                        .source = node_at(0),
                                        .destination = node_at(1),
                                        .service = static_cast<std::uint8_t>(Service::look),
                                        .flags = wire::packet_flag::kTimeless,
                                        .message = 1,
                                        .position = path.word()};
        const std::uint64_t before = rig.carried;
        EXPECT_TRUE(rig.kernel(0).try_post(header, {}, 0, 0));
        rig.finish();
        return rig.carried - before;
    };
    EXPECT_EQ(look({Rule::unicast}), 3u) << "question, answer, and its acknowledgement";
    EXPECT_EQ(look({Rule::sbt, 0, false, true}), 3u);
    EXPECT_EQ(rig.total(Counter::drop_no_route), 0u);
    EXPECT_EQ(look({Rule::spt}), 2u);
    EXPECT_EQ(rig.total(Counter::drop_no_route), 1u);
}

} // namespace intake_test
} // namespace mesh::test
