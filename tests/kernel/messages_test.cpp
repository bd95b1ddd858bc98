// A sender's reactions to the answers about its message.
#include "kernel/packets/messages.hpp"

#include "rig.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

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
        put_paths(answer, {paths.back, RoundTrip::kShortest}, Rule::unicast);
        messages.hear(answer, kPaths);
    }
};

TEST(Messages, ALateWordThatThereIsRoomSaysNothingOfAMessageThatIsTaken) {
    Bench bench;
    bench.outgoing.offered = true;
    bench.hear(Service::later);
    EXPECT_FALSE(bench.outgoing.offered) << "it is to be offered again";
    bench.outgoing.offered = true;
    bench.hear(Service::taken);
    bench.hear(Service::later);
    EXPECT_TRUE(bench.outgoing.offered);
    EXPECT_FALSE(bench.outgoing.unknown);
}

TEST(Messages, AReceiverThatForgotWhatItTookSaysSoInItsAnswer) {
    Bench bench;
    bench.hear(Service::taken);
    bench.outgoing.begin_round();
    bench.hear(Service::later, bench.outgoing.round);
    EXPECT_TRUE(bench.outgoing.unknown);
}

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

TEST(Messages, ACallIsForTheFirstMessageBehindTheOneThatItNames) {
    Bench bench;
    Outgoing second{bench.messages, node_at(1), Rule::unicast};
    second.question = Service::ask;
    bench.messages.number(second);
    bench.outgoing.offered = second.offered = true;
    EXPECT_TRUE(bench.messages.on_call({.source = node_at(1), .message = bench.outgoing.message}));
    EXPECT_TRUE(bench.outgoing.offered);
    EXPECT_FALSE(second.offered);
    EXPECT_FALSE(bench.messages.on_call({.source = node_at(1), .message = second.message}));
    EXPECT_FALSE(bench.messages.on_call({.source = node_at(2), .message = 0}));
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
    EXPECT_FALSE(bench.messages.on_call({.source = node_at(1), .position = kEnded}));
    EXPECT_EQ(bench.outgoing.ask_at, 0u);
    EXPECT_TRUE(bench.messages.next_question(bench.outgoing, true));
}

TEST(Messages, AnOfferIsMadeAgainFromItsFirstByteWhenTheOneBeforeItNeverArrived) {
    Bench bench;
    std::optional<Outgoing> first{std::in_place, bench.messages, node_at(1), Rule::unicast};
    Outgoing second{bench.messages, node_at(1), Rule::unicast};
    first->question = second.question = Service::ask;
    second.offered = true;
    second.sent_bytes = 16;
    first.reset();
    EXPECT_FALSE(second.offered);
    EXPECT_EQ(second.sent_bytes, 0u);
}

TEST(Messages, AMessageThatIsTakenAfterAllGoesOnBehindItsFirstPacket) {
    Bench bench;
    bench.outgoing.offered = true;
    bench.outgoing.sent_bytes = 16;
    bench.hear(Service::later); // late: it is about an offer before
    ASSERT_FALSE(bench.outgoing.offered);
    wire::PacketHeader taken{.source = node_at(1),
                             .service = static_cast<std::uint8_t>(Service::taken),
                             .message = bench.outgoing.message,
                             .position = 16};
    bench.messages.hear(taken, kPaths);
    EXPECT_TRUE(bench.outgoing.offered);
    EXPECT_EQ(bench.outgoing.sent_bytes, 16u);
}

} // namespace messages_test
} // namespace mesh::test
