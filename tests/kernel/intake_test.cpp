// A node's knowledge of the messages of others: each is taken once, and what was dropped is called
// again. tests/verify/model/mailbox.m goes through all orders of this with a sender.
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

namespace mesh::test {
namespace intake_test {

using Fate = Intake::Fate;
using Verdict = Intake::Verdict;

constexpr NodeId kNear = node_at(1), kFar = node_at(3), kOther = node_at(2);
constexpr unsigned kRoom = 2;
constexpr std::uint16_t kLife = 1, kOwnLife = 9;

constexpr std::uint32_t name(std::uint16_t number, std::uint16_t life = kLife) {
    return MessageName{number, life}.word();
}

struct Places {
    std::array<Peer, 4> peers{};
    Mailbox mailbox;
    Intake intake{peers, mailbox, kRoom};
    Counters counters;

    /// What becomes of an offer as node `from` sends it; `round`: of the call that it answers.
    Verdict offer(NodeId from, std::uint32_t message, std::uint8_t round = 0, bool more = false) {
        const wire::PacketHeader header{.source = from,
                                        .service = static_cast<std::uint8_t>(Service::message),
                                        .flags = more ? wire::packet_flag::kMore : std::uint8_t{0},
                                        .message = message,
                                        .position = 0};
        const Verdict verdict = intake.judge(header, true, round);
        if (verdict == Verdict::accept)
            intake.accept(header);
        return verdict;
    }
    void fill() {
        ASSERT_EQ(offer(kNear, name(1)), Verdict::accept);
        ASSERT_EQ(offer(kNear, name(2)), Verdict::accept);
    }
    NodeId pull(const Want& want) { return intake.next_pull(std::span{&want, 1}); }
};

TEST(Intake, AListOfWantsFitsInAPacketOfAnyBoard) {
    Wants wants;
    for (std::size_t held = 0; held < wire::kPayloadBytesLeast / sizeof(Want); ++held)
        wants.add({.source = kNear});
    EXPECT_TRUE(wants.complete());
    wants.add({.source = kFar});
    EXPECT_FALSE(wants.complete());
    EXPECT_LE(wants.all().size_bytes(), wire::kPayloadBytesLeast);
}

TEST(Intake, TheLastNumberTakenInSaysOfEachMessageWhetherItHasBeenHere) {
    Places node;
    EXPECT_EQ(node.intake.fate(kNear, name(1)), Fate::not_here);
    node.offer(kNear, name(1));
    EXPECT_EQ(node.intake.fate(kNear, name(1)), Fate::taken);
    EXPECT_EQ(node.intake.fate(kNear, name(2)), Fate::not_here);
    EXPECT_EQ(node.intake.fate(kNear, name(1, 2)), Fate::not_here) << "of another life";
    EXPECT_EQ(node.intake.fate(kNear, 0), Fate::not_here) << "it has no name yet";
    EXPECT_EQ(node.intake.fate(kFar, name(1)), Fate::not_here);
}

TEST(Intake, OnlyTheNextOfferIsTakenInAndEveryOtherOneHasItsSenderCalled) {
    Places node;
    EXPECT_EQ(node.offer(kNear, name(2)), Verdict::drop);
    EXPECT_EQ(node.offer(kNear, name(1)), Verdict::drop) << "its sender says all anew when called";
    ASSERT_EQ(node.intake.next_call(), kNear);
    const std::uint8_t round = node.intake.call(kNear, false);
    EXPECT_EQ(node.offer(kNear, name(1)), Verdict::drop) << "the call has made it void";
    EXPECT_EQ(node.offer(kNear, name(3), round, true), Verdict::accept);
    EXPECT_EQ(node.intake.fate(kNear, name(2)), Fate::taken) << "void: it does not come any more";
    EXPECT_EQ(node.intake.next_call(), kNear) << "it has said that it holds more";
}

TEST(Intake, AnAnswerToACallBeforeIsNotTakenIn) {
    Places node;
    node.intake.note(kNear);
    const std::uint8_t first = node.intake.call(kNear, false);
    node.intake.on_ask(kNear, RoundTrip::kShortest); // it has not heard the call
    const std::uint8_t second = node.intake.call(kNear, false);
    EXPECT_EQ(node.offer(kNear, name(1), first), Verdict::drop);
    node.intake.on_nothing(kNear, first, false);
    EXPECT_EQ(node.offer(kNear, name(2), second), Verdict::accept);
}

TEST(Intake, ANodeInItsNextLifeIsCalledAndHeard) {
    Places node;
    node.offer(kNear, name(1));
    EXPECT_EQ(node.offer(kNear, name(1, 2)), Verdict::drop);
    const std::uint8_t round = node.intake.call(node.intake.next_call(), false);
    EXPECT_EQ(node.offer(kNear, name(2, 2), round), Verdict::accept);
    node.intake.take();
    EXPECT_EQ(node.offer(kNear, name(3, 2)), Verdict::accept);
}

TEST(Intake, ANodeThatHasForgottenASenderCallsItAndHearsIt) {
    Places node;
    EXPECT_EQ(node.offer(kNear, name(58)), Verdict::drop);
    const std::uint8_t round = node.intake.call(node.intake.next_call(), false);
    EXPECT_EQ(node.offer(kNear, name(59), round), Verdict::accept);
    EXPECT_EQ(node.offer(kNear, name(60)), Verdict::accept);
}

TEST(Intake, ACallBehindTheLastOneThatWasHeardIsTooLate) {
    Places node;
    EXPECT_TRUE(node.intake.hear_call(kNear, 1, 5));
    EXPECT_FALSE(node.intake.hear_call(kNear, 1, 4));
    EXPECT_FALSE(node.intake.hear_call(kNear, 1, 5)) << "it has come twice";
    EXPECT_TRUE(node.intake.hear_call(kNear, 1, 68)) << "as far ahead as any";
    EXPECT_TRUE(node.intake.hear_call(kNear, 1, 126));
    EXPECT_TRUE(node.intake.hear_call(kNear, 1, 1)) << "rounds begin again";
    EXPECT_FALSE(node.intake.hear_call(kNear, 1, 127));
}

/// A call of kNear in that life, which is not over: it is told the password, if it needs one.
bool is_heard(Places& node, std::uint16_t life) {
    const std::uint32_t password = node.intake.password(kNear, life, 0, kOwnLife);
    return (password == 0 || node.intake.password(kNear, life, password, kOwnLife) == 0) &&
           node.intake.hear_call(kNear, life, 1);
}

TEST(Intake, ANodeThatBeginsAnewIsHeardAndItsCallsBeforeAreNot) {
    Places node;
    std::vector<std::uint16_t> over;
    constexpr std::array<std::uint16_t, 14> kLives{2, 3,  4,      5,      6, 7,      8,
                                                   9, 40, 0x4123, 0x4001, 1, 0x4124, 8192};
    for (const std::uint16_t life : kLives) {
        EXPECT_TRUE(is_heard(node, life)) << "counted, drawn or swapped: lives have no order";
        EXPECT_EQ(node.intake.password(kNear, life, 0, kOwnLife), 0u) << "it is known";
        for (const std::uint16_t before : over)
            EXPECT_NE(node.intake.password(kNear, before, 0, kOwnLife), 0u) << "long on its way";
        over.push_back(life);
    }
}

TEST(Intake, APasswordIsOfOneLifeAndOverWhenAnotherOneIsMet) {
    Places node;
    EXPECT_TRUE(is_heard(node, 2));
    node.intake.peer(kNear).row = 7; // the last offer to there
    const std::uint32_t password = node.intake.password(kNear, 3, 0, kOwnLife);
    EXPECT_EQ(node.intake.password(kNear, 3, password, kOwnLife), 0u);
    EXPECT_NE(node.intake.password(kNear, 3, password, kOwnLife + 1), 0u);
    EXPECT_TRUE(is_heard(node, 4));
    EXPECT_NE(node.intake.password(kNear, 3, password, kOwnLife), 0u) << "another one was met";
    EXPECT_NE(node.intake.password(kNear, 3, 0, kOwnLife), password);
}

TEST(Intake, APasswordIsOverWhenALaterLifeHasAnsweredACall) {
    Places node;
    EXPECT_TRUE(is_heard(node, 2));
    const std::uint32_t password = node.intake.password(kNear, 3, 0, kOwnLife);
    node.intake.note(kNear);
    const std::uint8_t round = node.intake.call(kNear, false);
    EXPECT_EQ(node.offer(kNear, name(1, 4), round), Verdict::accept);
    EXPECT_NE(node.intake.password(kNear, 3, password, kOwnLife), 0u);
    EXPECT_EQ(node.intake.password(kNear, 4, 0, kOwnLife), 0u);
}

TEST(Intake, WhoMeetsALifeThatItHasCalledTakesInNoOfferThatTheCallMayHaveMadeVoid) {
    Places node;
    EXPECT_TRUE(is_heard(node, 2));
    node.intake.note(kNear);
    const std::uint8_t first = node.intake.call(kNear, false);
    EXPECT_TRUE(is_heard(node, 3)) << "which may have heard that call";
    EXPECT_EQ(node.offer(kNear, name(1, 3)), Verdict::drop);
    EXPECT_EQ(node.offer(kNear, name(2, 3), first), Verdict::drop) << "so may the life before";
    const std::uint8_t second = node.intake.call(node.intake.next_call(), false);
    EXPECT_EQ(node.offer(kNear, name(3, 3), second), Verdict::accept);
}

TEST(Intake, ACallThatIsMadeAgainHasThePlaceOfTheOneBefore) {
    Places node;
    node.fill();
    EXPECT_EQ(node.offer(kFar, name(1)), Verdict::drop);
    EXPECT_EQ(node.offer(kOther, name(1)), Verdict::drop);
    node.intake.take();
    const std::uint8_t first = node.intake.call(kFar, false);
    EXPECT_TRUE(node.intake.awaits(kFar));
    const std::uint8_t second = node.intake.call(kFar, false);
    EXPECT_NE(first, second);
    node.intake.on_nothing(kFar, second, false);
    EXPECT_EQ(node.intake.next_call(), kOther) << "one place was kept, and is free";
}

TEST(Intake, AnOfferToALifeBeforeIsNotTakenIn) {
    Places node;
    const wire::PacketHeader header{.source = kNear, .message = name(1)};
    EXPECT_EQ(node.intake.judge(header, false, 0), Verdict::drop);
    EXPECT_EQ(node.intake.next_call(), kNear);
    const std::uint8_t round = node.intake.call(kNear, false);
    EXPECT_EQ(node.intake.judge(header, false, round), Verdict::drop);
    EXPECT_EQ(node.intake.judge(header, true, round), Verdict::accept);
}

TEST(Intake, WhileItsCallIsLostANodeTakesInNoOfferThatAnEarlierCallMayHaveMadeVoid) {
    Places node;
    node.intake.note(kNear);
    const std::uint8_t first = node.intake.call(kNear, false);
    node.intake.on_lost_call(kNear, first);
    EXPECT_EQ(node.offer(kNear, name(1)), Verdict::drop);
    EXPECT_EQ(node.intake.next_call(), kNear) << "its place is free, and it holds one";
    const std::uint8_t second = node.intake.call(kNear, false);
    node.intake.on_lost_call(kNear, first);
    EXPECT_EQ(node.offer(kNear, name(1), second), Verdict::accept) << "another call was lost";
}

TEST(Intake, NumbersGoRound) {
    Places node;
    node.intake.note(kNear);
    const std::uint8_t round = node.intake.call(kNear, false);
    EXPECT_EQ(node.offer(kNear, name(0xFFFF), round), Verdict::accept);
    EXPECT_EQ(node.offer(kNear, name(1)), Verdict::accept) << "0 is none";
    EXPECT_EQ(node.intake.fate(kNear, name(0xFFFF)), Fate::taken);
    EXPECT_EQ(node.intake.fate(kNear, name(2)), Fate::not_here);
}

TEST(Intake, NodesThatHoldMoreAreCalledInTurnAndHaveThePlaceThatNobodyElseGets) {
    Places node;
    node.fill();
    EXPECT_EQ(node.offer(kOther, name(1)), Verdict::drop);
    EXPECT_EQ(node.offer(kFar, name(1)), Verdict::drop);
    EXPECT_EQ(node.intake.next_call(), kNoNode) << "there is no room";
    node.intake.take();
    EXPECT_EQ(node.offer(kNear, name(3)), Verdict::drop) << "a newcomer has no place before them";
    const NodeId first = node.intake.next_call();
    const std::uint8_t round = node.intake.call(first, false);
    EXPECT_EQ(node.intake.next_call(), kNoNode) << "the place is promised";
    EXPECT_EQ(node.offer(first, name(2), round, true), Verdict::accept);
    node.intake.take();
    EXPECT_NE(node.intake.next_call(), first) << "it is the turn of the others";
}

TEST(Intake, ANodeThatWasCalledAndHoldsNothingGivesThePlaceBack) {
    Places node;
    node.fill();
    EXPECT_EQ(node.offer(kFar, name(1)), Verdict::drop);
    node.intake.take();
    const std::uint8_t round = node.intake.call(node.intake.next_call(), false);
    EXPECT_EQ(node.offer(kOther, name(1)), Verdict::drop);
    node.intake.on_nothing(kFar, round, false);
    EXPECT_EQ(node.intake.next_call(), kOther);
}

TEST(Intake, CallsThatWereLostDoNotKeepRoomForEver) {
    Places node;
    node.fill();
    EXPECT_EQ(node.offer(kFar, name(1)), Verdict::drop);
    EXPECT_EQ(node.offer(kOther, name(1)), Verdict::drop);
    node.intake.take();
    const NodeId dead = node.intake.next_call();
    node.intake.call(dead, false);
    EXPECT_EQ(node.intake.next_call(), kNoNode);
    const NodeId alive = dead == kFar ? kOther : kFar;
    for (unsigned ask = 0; ask <= node.peers.size() * limits::kAsksInVain; ++ask)
        node.intake.on_ask(alive, RoundTrip::kShortest);
    EXPECT_EQ(node.intake.next_call(), alive);
}

TEST(Intake, NodesThatHoldMoreAreAskedOnceEachForWhatAProcessWaitsFor) {
    Places node;
    node.fill();
    node.offer(kFar, name(1));
    node.offer(kOther, name(1));
    const NodeId first = node.pull({.tag = 9});
    const std::uint8_t round = node.intake.call(first, true);
    EXPECT_FALSE(node.intake.may_pull()) << "there is one overflow slot";
    node.intake.on_nothing(first, round, true);
    const NodeId second = node.pull({.tag = 9});
    EXPECT_NE(second, first);
    node.intake.on_nothing(second, node.intake.call(second, true), true);
    EXPECT_EQ(node.pull({.tag = 9}), kNoNode) << "all have said that they hold other messages";
    node.intake.note(first);
    EXPECT_EQ(node.pull({.tag = 9}), first) << "that was news of it";
    node.intake.begin_waits();
    EXPECT_EQ(node.pull({.source = second, .tag = 8}), second);
}

TEST(Intake, AnOfferInTheOverflowSlotCountsOnlyWhenItIsTaken) {
    Places node;
    node.fill();
    node.offer(kFar, name(1));
    const std::uint8_t round = node.intake.call(node.pull({.tag = 8}), true);
    EXPECT_EQ(node.offer(kFar, name(2), round), Verdict::overflow);
    EXPECT_EQ(node.intake.fate(kFar, name(2)), Fate::not_here);
    node.intake.send_away({.source = kFar, .message = name(2)}, true);
    EXPECT_TRUE(node.intake.may_pull());
    EXPECT_EQ(node.pull({.tag = 8}), kFar);
}

TEST(Intake, TheLastOfferOfANodeMayGoBackAndIsTheNextOneAgain) {
    Places node;
    const auto offer = [](NodeId from, std::uint16_t number) {
        return wire::PacketHeader{.source = from, .message = name(number)};
    };
    node.offer(kNear, name(1));
    node.offer(kNear, name(2));
    EXPECT_FALSE(node.intake.may_go_back(offer(kNear, 1))) << "2 has come since";
    ASSERT_TRUE(node.intake.may_go_back(offer(kNear, 2)));
    node.intake.send_away(offer(kNear, 2), false);
    EXPECT_EQ(node.intake.fate(kNear, name(2)), Fate::not_here);
    EXPECT_EQ(node.intake.next_call(), kNear);
    const std::uint8_t round = node.intake.call(kNear, false);
    EXPECT_FALSE(node.intake.may_go_back(offer(kNear, 1))) << "the call says that it is here";
    EXPECT_EQ(node.offer(kNear, name(2), round), Verdict::accept);
    EXPECT_EQ(node.intake.fate(kNear, name(1)), Fate::taken) << "it is not in this mailbox";
    EXPECT_TRUE(node.intake.may_go_back(offer(kNear, 2)));
}

TEST(Intake, TheFirstOfferOfANodeMayGoBack) {
    Places node;
    node.offer(kNear, name(1));
    node.intake.send_away({.source = kNear, .message = name(1)}, false);
    EXPECT_EQ(node.intake.fate(kNear, name(1)), Fate::not_here);
    EXPECT_EQ(node.offer(kNear, name(1), node.intake.call(kNear, false)), Verdict::accept);
}

TEST(Intake, OfAMessageOnlyTheBytesThatComeNextAreTaken) {
    Places node;
    Incoming incoming{.source = kNear, .message = name(1), .arrived = 100};
    const auto takes = [&](std::uint32_t message, std::uint32_t position) {
        return node.intake.accept_fragment(
            {.payload_bytes = 50, .source = kNear, .message = message, .position = position},
            node.counters);
    };
    node.offer(kNear, name(1));
    EXPECT_FALSE(takes(name(1), 100)) << "nobody takes it";
    node.intake.begin(incoming);
    EXPECT_EQ(node.intake.fate(kNear, name(1)), Fate::being_taken);
    EXPECT_FALSE(takes(name(1), 50));
    EXPECT_FALSE(takes(name(2), 100));
    EXPECT_EQ(node.counters[Counter::drop_duplicate], 3u);
    EXPECT_FALSE(takes(name(1), 150));
    EXPECT_EQ(node.counters[Counter::drop_out_of_order], 1u);
    EXPECT_TRUE(takes(name(1), 100));
    EXPECT_EQ(incoming.arrived, 150u);
}

TEST(Intake, OfAMessageThatAProcessLeavesNobodyKnowsWhatHasBecome) {
    Places node;
    Incoming incoming{.source = kNear, .message = name(1)};
    node.offer(kNear, name(1));
    node.intake.begin(incoming);
    node.offer(kFar, name(1));
    node.intake.end(incoming, false);
    EXPECT_EQ(node.intake.fate(kNear, name(1)), Fate::unknown);
    EXPECT_EQ(node.intake.fate(kNear, name(2)), Fate::not_here);
    EXPECT_EQ(node.intake.fate(kFar, name(1)), Fate::taken);
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
    message.message = name(1);
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
