// What a node knows of the messages of others: each is taken once, and of what it has forgotten it
// claims nothing.
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace mesh::test {
namespace intake_test {

using Fate = Intake::Fate;

constexpr NodeId kNear = node_at(1), kFar = node_at(3); // of two places they share the second
constexpr NodeId kOther = node_at(2);

struct Places {
    std::array<Sender, 2> senders;
    Mailbox mailbox;
    Intake intake;
    Counters counters;
    explicit Places(bool begun_anew = false) : intake(senders, mailbox, begun_anew) {}
};

TEST(Intake, SendersThatShareAPlacePushEachOtherOutAndNothingIsClaimedOfThem) {
    Places node;
    node.intake.accept(kNear, 5);
    EXPECT_EQ(node.intake.fate(kNear, 4), Fate::taken);
    EXPECT_EQ(node.intake.fate(kNear, 5), Fate::taken);
    EXPECT_EQ(node.intake.fate(kNear, 6), Fate::never_came);
    EXPECT_EQ(node.intake.fate(kFar, 1), Fate::unknown) << "it may have been pushed out";
    node.intake.accept(kFar, 1);
    EXPECT_EQ(node.intake.fate(kNear, 5), Fate::unknown);
    EXPECT_EQ(node.intake.fate(kFar, 1), Fate::taken);
    node.intake.accept(kNear, 7);
    EXPECT_EQ(node.intake.fate(kNear, 6), Fate::unknown) << "it may have come before it was";
    EXPECT_EQ(node.intake.fate(kNear, 8), Fate::never_came);
    EXPECT_EQ(node.intake.fate(kOther, 9), Fate::never_came);
}

TEST(Intake, ANodeThatBeganAnewClaimsNothingOfOlderMessages) {
    Places node{true};
    node.intake.accept(kNear, 5);
    EXPECT_EQ(node.intake.fate(kNear, 5), Fate::taken);
    EXPECT_EQ(node.intake.fate(kNear, 4), Fate::unknown);
}

TEST(Intake, AnOfferIsEarlyWhileTheMessageBeforeItHasNotComeForAllThatIsKnown) {
    Places node;
    const auto is_early = [&](std::uint32_t before) {
        return node.intake.is_early({.source = kNear, .position = before});
    };
    EXPECT_FALSE(is_early(0));
    EXPECT_TRUE(is_early(5));
    node.intake.accept(kNear, 5);
    EXPECT_FALSE(is_early(5));
    node.intake.accept(kFar, 1);
    EXPECT_TRUE(is_early(5)) << "nobody knows";
}

TEST(Intake, OfAMessageOnlyTheBytesThatComeNextAreTaken) {
    Places node;
    Incoming incoming{.source = kNear, .message = 5, .arrived = 100};
    const auto takes = [&](std::uint32_t message, std::uint32_t position) {
        return node.intake.accept_fragment(
            {.payload_bytes = 50, .source = kNear, .message = message, .position = position},
            node.counters);
    };
    node.intake.accept(kNear, 5);
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
    for (const bool pushed_out : {false, true}) {
        Places node;
        Incoming incoming{.source = kNear, .message = 5};
        node.intake.accept(kNear, 5);
        node.intake.begin(incoming);
        if (pushed_out)
            node.intake.accept(kFar, 1);
        node.intake.end(incoming, false);
        EXPECT_EQ(node.intake.fate(kNear, 5), Fate::unknown);
        EXPECT_EQ(node.intake.fate(kFar, 1), pushed_out ? Fate::taken : Fate::unknown);
    }
}

// Whole nodes -------------------------------------------------------------------------------------

/// A message goes by a way that the test chooses, as its sender's kernel numbers it.
void offer(Kernel& node, NodeId to, std::uint32_t message, Rule rule) {
    const wire::PacketHeader header{.rule = rule,
                                    .source = node.id(),
                                    .destination = to,
                                    .service = static_cast<std::uint8_t>(Service::message),
                                    .message = message};
    EXPECT_TRUE(node.try_post(header, {}, 0, 0));
}

Process nothing(Kernel&) { co_return Status::ok; }

TEST(IntakeMesh, AnOfferOfAForgottenSenderIsTakenByTheChosenWayOnly) {
    constexpr std::size_t kArenaForFivePlaces = 512; // of which nodes 1 and 6 share one
    Rig rig{{Topology::cube, 3}, nothing, 64, 1, kArenaForFivePlaces};
    rig.run({});
    const auto comes = [&](std::uint32_t from, std::uint32_t message, Rule rule) {
        offer(rig.kernel(from), node_at(0), message, rule);
        rig.finish();
        const Match match{.service = Service::message, .source = node_at(from), .message = message};
        const bool is_there = rig.kernel(0).has(match);
        if (is_there)
            static_cast<void>(rig.kernel(0).take(match));
        return is_there;
    };
    EXPECT_TRUE(comes(1, 1, Rule::unicast));
    EXPECT_TRUE(comes(6, 1, Rule::unicast));
    EXPECT_TRUE(comes(1, 2, Rule::unicast)) << "the first time, for all that is known";
    EXPECT_FALSE(comes(6, 2, Rule::disjoint)) << "a copy may have come by the other way";
    EXPECT_FALSE(comes(1, 1, Rule::unicast)) << "its sender is known, and what came before is not";
    EXPECT_EQ(rig.total(Counter::drop_duplicate), 2u);
}

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

// Who looks says by which way the answer is to go; a node must not fall over a rule that its
// network does not have, and may be asked to tell all.
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
