// A sender's reactions to the answers about its message.
#include "kernel/packets/messages.hpp"

#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mesh::test {
namespace messages_test {

constexpr unsigned kPaths = 3; // of the cube of dimension 3
constexpr std::uint8_t kPath = 2;

Process nothing(Kernel&) { co_return Status::ok; }

/// A message under way from node 0 to node 1.
struct Bench {
    Rig rig{{Topology::cube, 3}, nothing, 64};
    Kernel& kernel = rig.kernel(0);
    Messages& messages = kernel.messages();
    Outgoing outgoing{messages, node_at(1), Rule::unicast};

    Bench() {
        outgoing.question = Service::ask;
        messages.number(outgoing);
    }
    void hear(Service service, std::uint8_t round = 0, RoundTrip paths = {}) {
        wire::PacketHeader answer{.source = outgoing.to,
                                  .tag = static_cast<std::uint16_t>(round << 8 | paths.out),
                                  .service = static_cast<std::uint8_t>(service),
                                  .message = outgoing.message};
        if (service == Service::lost)
            put_detail(answer, index(outgoing.to));
        put_paths(answer, {paths.back, RoundTrip::kShortest}, Rule::unicast);
        messages.hear(answer, kPaths);
    }
};

TEST(Messages, TheFirstAnswerToARoundShowsTheTwoPathsThatLaterMessagesTakeAsWell) {
    Bench bench;
    bench.outgoing.lose_way();
    bench.outgoing.begin_round();
    const std::uint8_t round = bench.outgoing.round;
    bench.hear(Service::alive, round, {kPath, 1});
    bench.hear(Service::alive, round, {3, 3});
    EXPECT_EQ(bench.outgoing.paths.out, kPath);
    EXPECT_EQ(bench.outgoing.paths.back, 1);
    const Outgoing next{bench.messages, node_at(1), Rule::unicast};
    EXPECT_EQ(next.paths.out, kPath);
    EXPECT_EQ(next.paths.back, 1);
}

TEST(Messages, WhereEveryPathOutIsLostNobodyWillAnswer) {
    Bench bench;
    bench.outgoing.lose_way();
    bench.outgoing.begin_round();
    for (std::uint8_t path = 1; path <= kPaths; ++path) {
        EXPECT_FALSE(bench.outgoing.unknown);
        bench.hear(Service::lost, bench.outgoing.round, {path, 1});
    }
    EXPECT_TRUE(bench.outgoing.unknown);
}

/// A call of node 1 that has taken in offers up to `last`; `wants`: a list of what it waits for.
bool call(Messages& messages, std::uint16_t last, std::uint8_t round, std::vector<Want> wants = {},
          std::uint16_t of_life = 1) {
    PacketBuffer packet{};
    packet.header = {.source = node_at(1),
                     .service = static_cast<std::uint8_t>(Service::call),
                     .message = MessageName{last, of_life}.word(),
                     .position = round};
    const auto list = std::as_bytes(std::span{wants});
    packet.header.payload_bytes = static_cast<std::uint16_t>(list.size());
    std::ranges::copy(list, packet.payload().begin());
    return messages.on_call(packet);
}

/// Three messages under way to node 1, with the tags 5, 6 and 5, of which the first has been taken
/// in.
struct Three : Bench {
    Outgoing second{messages, node_at(1), Rule::unicast};
    Outgoing third{messages, node_at(1), Rule::unicast};

    Three() {
        second.question = third.question = Service::ask;
        outgoing.label = third.label = CallLabel::of(5, 0).word();
        second.label = CallLabel::of(6, 0).word();
        messages.number(second);
        messages.number(third);
        outgoing.offered = second.offered = third.offered = true;
    }
};

TEST(Messages, ACallHasTheOldestThatIsNotThereOfferedAndHoldsTheOthers) {
    Three bench;
    EXPECT_TRUE(call(bench.messages, 1, 7));
    EXPECT_TRUE(bench.outgoing.offered) << "it is there";
    EXPECT_EQ(bench.second.answers, 7);
    EXPECT_TRUE(bench.messages.in_turn(bench.second));
    EXPECT_TRUE(bench.messages.holds_more(bench.second));
    EXPECT_TRUE(bench.third.held);
    EXPECT_FALSE(bench.messages.in_turn(bench.third));
    bench.messages.number(bench.second);
    EXPECT_EQ(MessageName::of_word(bench.second.message).number, 4) << "as no offer before";
}

TEST(Messages, ACallWithAListHasAMessageOfTheListOffered) {
    Three bench;
    EXPECT_TRUE(call(bench.messages, 0, 1, {{.tag = 9}, {.source = node_at(0), .tag = 6}}));
    EXPECT_EQ(bench.second.answers, 1);
    EXPECT_FALSE(call(bench.messages, 0, 2, {{.source = node_at(3), .tag = 6}}));
    EXPECT_EQ(bench.second.answers, 0) << "the call before it counts no more";
    EXPECT_TRUE(bench.kernel.peer(node_at(1)).crowded) << "further messages are hinted at";
    EXPECT_TRUE(call(bench.messages, 0, 3, {{.tag = kAnyTag}}));
    EXPECT_EQ(bench.outgoing.answers, 3);
}

TEST(Messages, WhatHasBeenTakenInIsNotOfferedAgainHoweverManyFollow) {
    Three bench;
    EXPECT_TRUE(call(bench.messages, 1, 1));
    ASSERT_TRUE(bench.outgoing.there);
    EXPECT_TRUE(call(bench.messages, 0x9000, 2));
    EXPECT_TRUE(bench.outgoing.offered);
}

TEST(Messages, WhatItsReceiverHasSentAwayIsOfferedAgain) {
    Three bench;
    EXPECT_TRUE(call(bench.messages, 2, 1));
    ASSERT_TRUE(bench.second.there);
    EXPECT_TRUE(call(bench.messages, 1, 2));
    EXPECT_TRUE(bench.outgoing.there);
    EXPECT_EQ(bench.second.answers, 2);
}

TEST(Messages, AReceiverThatHasForgottenThisNodeIsSaidToKnowNothingOfWhatItTook) {
    Three bench;
    EXPECT_TRUE(call(bench.messages, 1, 1));
    EXPECT_TRUE(call(bench.messages, 0, 2, {}, 0));
    EXPECT_TRUE(bench.outgoing.unknown);
    EXPECT_FALSE(bench.second.unknown) << "it was held";
    EXPECT_EQ(bench.second.answers, 2);
}

TEST(Messages, ACallWhoseMessageIsGivenUpHasAnotherAnswer) {
    Bench bench;
    std::optional<Outgoing> message{std::in_place, bench.messages, node_at(1), Rule::unicast};
    message->question = Service::ask;
    bench.outgoing.taken = true;
    bench.kernel.peer(node_at(1)).heard = 5;
    ASSERT_TRUE(call(bench.messages, 1, 5));
    message.reset();
    ASSERT_TRUE(bench.messages.any_owed());
    EXPECT_EQ(bench.messages.take_owed(), node_at(1));
    EXPECT_EQ(bench.messages.take_owed(), kNoNode);
    EXPECT_FALSE(bench.messages.any_owed());
}

TEST(Messages, AnAnswerInTheMiddleOfARoundSetsTheTimeOfTheNextQuestion) {
    Bench bench;
    ASSERT_TRUE(bench.messages.next_question(bench.outgoing, true));
    ASSERT_EQ(bench.outgoing.ask_at, wire::kNever) << "until the round has left";
    bench.hear(Service::alive, bench.outgoing.round);
    EXPECT_TRUE(bench.kernel.ask(bench.outgoing));
    EXPECT_FALSE(bench.outgoing.is_asking());
    EXPECT_NE(bench.outgoing.ask_at, wire::kNever);
}

TEST(Messages, AQuestionThatHasJustLeftIsNotUnansweredWhenItsNodeEnds) {
    Bench bench;
    bench.outgoing.any_way = false;
    ASSERT_TRUE(bench.messages.next_question(bench.outgoing, true));
    PacketBuffer ended{};
    ended.header = {.source = node_at(1), .position = kEnded};
    EXPECT_FALSE(bench.messages.on_call(ended));
    EXPECT_EQ(bench.outgoing.ask_at, 0u);
    EXPECT_TRUE(bench.messages.next_question(bench.outgoing, true));
}

} // namespace messages_test
} // namespace mesh::test
