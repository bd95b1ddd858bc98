// Links: exactly once and in order over any cable, refusals that lose nothing, death after silence.
#include "link_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace mesh::test {
namespace link_test {

constexpr unsigned kSeeds = 60;

// Packets of one flow have the same number of links before them, so order is promised among those.
void expect_once_and_in_order(const std::vector<LinkEnd::Got>& got, std::uint32_t sent,
                              unsigned seed) {
    std::set<std::uint32_t> seen;
    std::array<std::uint32_t, 8> last{};
    for (const LinkEnd::Got& packet : got) {
        EXPECT_TRUE(seen.insert(packet.number).second)
            << "packet " << packet.number << " twice, seed " << seed;
        EXPECT_LT(last[packet.remaining], packet.number) << "order, seed " << seed;
        last[packet.remaining] = packet.number;
    }
    EXPECT_EQ(seen.size(), sent) << "seed " << seed;
}

struct Stress {
    CableFaults faults{};
    std::uint32_t packets = 400;
    std::size_t buffers = 48;
    std::uint16_t remaining_max = 1;
    unsigned consume_one_in = 1; // a receiver lets go of a packet with chance 1 / this
    double closed = 0;           // chance per round that an end has no buffer for a while
};

// Both ends send `packets` to each other. Ends when all have come, or reports a wedge.
void run_stress(LinkPair& pair, const Stress& stress, unsigned seed) {
    pair.faults = stress.faults;
    std::array<std::uint32_t, 2> sent{};
    const std::size_t reserve = stress.buffers / 2; // own packets must not starve received ones
    for (unsigned round = 0; round < 400'000; ++round) {
        for (unsigned end = 0; end < 2; ++end) {
            LinkEnd& self = pair.ends[end];
            if (sent[end] < stress.packets && self.pool().free() > reserve)
                sent[end] +=
                    self.offer(sent[end] + 1,
                               static_cast<std::uint16_t>(1 + pair.below(stress.remaining_max)),
                               static_cast<std::uint16_t>(pair.below(1025)))
                        ? 1u
                        : 0u;
            if (pair.chance(stress.closed))
                self.close();
            else if (pair.chance(stress.closed))
                self.open();
            if (pair.below(stress.consume_one_in) == 0)
                self.consume();
            pair.send(end, 1 + pair.below(4));
            for (unsigned count = pair.below(4); count != 0; --count)
                pair.arrive(end);
        }
        const bool all_there =
            pair.ends[0].got.size() >= stress.packets && pair.ends[1].got.size() >= stress.packets;
        if (all_there && pair.ends[0].link.pending() + pair.ends[1].link.pending() == 0)
            return;
        if (pair.below(8) != 0)
            continue;
        for (LinkEnd& end : pair.ends)
            end.rest();
        pair.send(0);
        pair.send(1);
        if (pair.flying[0].empty() && pair.flying[1].empty()) {
            pair.ends[0].open();
            pair.ends[1].open();
            static_cast<void>(pair.pass_time());
        }
    }
    ADD_FAILURE() << "wedged, seed " << seed << ": " << pair.ends[0].got.size() << " and "
                  << pair.ends[1].got.size() << " of " << stress.packets;
}

void expect_stress_passes(const Stress& stress, bool lockstep = false) {
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
        LinkPair pair{seed, stress.buffers, lockstep, 1200 + 400 * (seed % 16)};
        run_stress(pair, stress, seed);
        for (const LinkEnd& end : pair.ends) {
            expect_once_and_in_order(end.got, stress.packets, seed);
            EXPECT_FALSE(end.link.dead()) << "seed " << seed;
            EXPECT_EQ(end.context.counters[Counter::packets_sent], stress.packets)
                << "seed " << seed;
        }
        if (testing::Test::HasFailure())
            return;
    }
}

TEST(Link, AQuietCableNeedsNoRetransmission) {
    LinkPair pair{1};
    run_stress(pair, {.packets = 1000}, 1);
    expect_once_and_in_order(pair.ends[0].got, 1000, 1);
    EXPECT_EQ(pair.ends[0].context.counters[Counter::retransmissions], 0u);
    EXPECT_EQ(pair.ends[1].context.counters[Counter::retransmissions], 0u);
    EXPECT_EQ(pair.ends[0].context.counters[Counter::refusals], 0u);
}

TEST(Link, DeliversOnceAndInOrderOverACableThatLosesFrames) {
    expect_stress_passes({.faults = {.drop = 0.3}});
}

TEST(Link, DeliversOnceAndInOrderOverACableThatDoublesFrames) {
    expect_stress_passes({.faults = {.twice = 0.3}});
}

TEST(Link, DeliversOnceAndInOrderOverACableThatSwapsFrames) {
    expect_stress_passes({.faults = {.swap = 0.4}});
}

TEST(Link, DeliversOnceAndInOrderOverACableThatGoesSilentForLong) {
    expect_stress_passes({.faults = {.burst = 0.004}});
}

TEST(Link, DeliversOnceAndInOrderOverACableThatDoesItAll) {
    expect_stress_passes({.faults = {.drop = 0.2, .twice = 0.1, .swap = 0.2, .burst = 0.001}});
}

TEST(Link, DeliversOnceAndInOrderInLockstepToo) {
    expect_stress_passes({.faults = {.drop = 0.3, .twice = 0.05, .swap = 0.1}}, true);
}

TEST(Link, RefusalsKeepTheOrderAndLoseNothing) {
    expect_stress_passes({.buffers = 10, .consume_one_in = 3, .closed = 0.02});
}

TEST(Link, RefusalsKeepTheOrderOfEachFlowThatHasAsFarToGo) {
    expect_stress_passes({.buffers = 12, .remaining_max = 5, .consume_one_in = 3, .closed = 0.02});
}

TEST(Link, RefusalsOnABadCableKeepTheOrderAndLoseNothing) {
    expect_stress_passes({.faults = {.drop = 0.2, .twice = 0.1, .swap = 0.2},
                          .packets = 200,
                          .buffers = 12,
                          .remaining_max = 4,
                          .consume_one_in = 3,
                          .closed = 0.02});
}

TEST(Link, RefusedStressWasReallyRefused) {
    LinkPair pair{7, 10};
    run_stress(pair, {.buffers = 10, .consume_one_in = 3, .closed = 0.02}, 7);
    EXPECT_GT(pair.ends[0].context.counters[Counter::refusals], 20u);
    EXPECT_GT(pair.ends[1].context.counters[Counter::refusals], 20u);
}

TEST(Link, SequenceNumbersMayWrapAround) {
    LinkPair pair{3, 64};
    constexpr std::uint32_t kPackets = 140'000; // twice around
    pair.faults = {.drop = 0.002, .twice = 0.001, .swap = 0.002};
    run_stress(pair, {.faults = pair.faults, .packets = kPackets, .buffers = 64}, 3);
    for (const LinkEnd& end : pair.ends) {
        ASSERT_EQ(end.got.size(), kPackets);
        for (std::uint32_t at = 0; at < kPackets; ++at)
            ASSERT_EQ(end.got[at].number, at + 1);
    }
}

TEST(Link, WindowIsNeverLargerThanThePeerAllows) {
    for (const std::size_t window : {1100u, 2000u, 4000u, 100'000u}) {
        LinkPair pair{1, 64, false, window};
        std::uint32_t frames = 0;
        std::size_t bytes = 0;
        for (std::uint32_t number = 1; number <= 40; ++number)
            ASSERT_TRUE(pair.ends[0].offer(number, 1, 500));
        LinkFrame frame;
        while (pair.ends[0].next(frame)) {
            ++frames;
            bytes += wire::kHeadBytes + frame.header.packet_bytes;
        }
        EXPECT_LE(bytes, window);
        EXPECT_LE(frames, limits::kWindowFrames);
        EXPECT_EQ(frames, std::min<std::size_t>(window / 576, limits::kWindowFrames));
    }
}

TEST(Link, APacketLargerThanTheWindowGoesAlone) {
    LinkPair pair{1, 8, false, 100};
    ASSERT_TRUE(pair.ends[0].offer(1, 1, 1024));
    ASSERT_TRUE(pair.ends[0].offer(2, 1, 1024));
    pair.settle();
    EXPECT_EQ(pair.ends[1].got.size(), 2u);
}

// Death
// ---------------------------------------------------------------------------------------------

std::vector<std::uint32_t> undeliverable(LinkEnd& end) {
    std::vector<std::uint32_t> numbers;
    while (PacketBuffer* buffer = end.link.take_undeliverable(end.context)) {
        numbers.push_back(buffer->header.message);
        end.pool().release(buffer);
    }
    return numbers;
}

TEST(Link, FreeRunningASilentPeerIsDeclaredDeadAfterTheMostRetries) {
    LinkPair pair{1};
    pair.cut[1] = true;
    pair.set_time(50'000);
    ASSERT_TRUE(pair.ends[0].offer(1));
    pair.settle();
    while (!pair.ends[0].link.dead()) {
        ASSERT_TRUE(pair.pass_time());
        pair.settle();
    }
    EXPECT_EQ(pair.ends[0].context.counters[Counter::retransmissions], limits::kRetriesMax);
    EXPECT_LE(pair.ends[0].context.time.now(),
              50'000u + (limits::kRetriesMax + 1) * limits::kBackoffMax * limits::kRtoFirstUs);
    EXPECT_EQ(pair.ends[0].context.counters[Counter::links_dead], 1u);
}

TEST(Link, WaitsAsLongAsTheHostSaysHoweverFastTheFirstAnswersWere) {
    constexpr std::uint32_t kWait = 300'000;
    LinkPair pair{1};
    LinkEnd& end = pair.ends[0];
    end.context.rto_min_us = kWait;
    for (std::uint32_t packet = 1; packet <= 20; ++packet) {
        ASSERT_TRUE(end.offer(packet));
        pair.settle();
        pair.ends[1].consume();
        pair.settle();
    }
    EXPECT_EQ(pair.ends[1].got.size(), 20u);
    pair.cut[1] = true;
    const std::uint64_t sent = end.context.time.now();
    ASSERT_TRUE(end.offer(21));
    pair.settle();
    EXPECT_GE(end.link.deadline(), sent + kWait);
    EXPECT_LT(end.link.deadline(), sent + 2 * kWait);
    ASSERT_TRUE(pair.pass_time());
    pair.settle();
    EXPECT_EQ(end.context.counters[Counter::retransmissions], 1u);
    EXPECT_GE(end.link.deadline(), end.context.time.now() + 2 * kWait); // and backs off from there
}

TEST(Link, InLockstepASilentPeerIsDeclaredDeadAfterTheMostRetries) {
    LinkPair pair{1, 8, true};
    pair.cut[1] = true;
    ASSERT_TRUE(pair.ends[0].offer(1));
    pair.settle();
    while (!pair.ends[0].link.dead()) {
        ASSERT_TRUE(pair.pass_time());
        pair.settle();
    }
    EXPECT_EQ(pair.ends[0].context.counters[Counter::retransmissions], limits::kRetriesMax);
}

TEST(Link, ACableCutInOneDirectionOnlyKillsItForTheSender) {
    for (unsigned to = 0; to < 2; ++to) {
        LinkPair pair{1};
        pair.cut[to] = true;
        ASSERT_TRUE(pair.ends[0].offer(1));
        for (unsigned turn = 0; turn < 1000 && !pair.ends[0].link.dead(); ++turn) {
            pair.settle();
            static_cast<void>(pair.pass_time());
        }
        EXPECT_TRUE(pair.ends[0].link.dead());
    }
}

TEST(Link, AllPacketsOfADeadLinkComeBackInOrder) {
    LinkPair pair{1, 64};
    for (std::uint32_t number = 1; number <= 30; ++number)
        ASSERT_TRUE(pair.ends[0].offer(number));
    pair.send(0, 5);
    while (pair.arrive(1)) {
    }
    pair.send(1);
    while (pair.arrive(0)) {
    }
    pair.cut[1] = true;
    while (!pair.ends[0].link.dead()) {
        pair.settle();
        ASSERT_TRUE(pair.pass_time());
    }
    const auto lost = undeliverable(pair.ends[0]);
    ASSERT_EQ(lost.size(), 25u);
    for (std::uint32_t at = 0; at < lost.size(); ++at)
        EXPECT_EQ(lost[at], at + 6);
    EXPECT_EQ(pair.ends[0].pool().free(), pair.ends[0].pool().capacity());
    EXPECT_EQ(pair.ends[0].link.pending(), 0u);
    EXPECT_EQ(pair.ends[0].link.deadline(), wire::kNever);
}

TEST(Link, LivesOnWhenTheCableComesBackBeforeTheSilenceIsOver) {
    LinkPair pair{1};
    pair.cut[0] = pair.cut[1] = true;
    ASSERT_TRUE(pair.ends[0].offer(1));
    while (pair.ends[0].context.time.now() < 2'000'000) {
        pair.settle();
        ASSERT_TRUE(pair.pass_time());
    }
    pair.cut[0] = pair.cut[1] = false;
    pair.settle();
    static_cast<void>(pair.pass_time());
    pair.settle();
    EXPECT_EQ(pair.ends[1].got.size(), 1u);
    EXPECT_FALSE(pair.ends[0].link.dead());
    EXPECT_EQ(pair.ends[0].link.pending(), 0u);
}

// Refusal
// -------------------------------------------------------------------------------------------

TEST(Link, APeerThatRefusesForVeryLongDoesNotDieAndGetsEverythingLater) {
    for (const bool lockstep : {false, true}) {
        LinkPair pair{1, 64, lockstep};
        pair.ends[1].close();
        for (std::uint32_t number = 1; number <= 20; ++number)
            ASSERT_TRUE(pair.ends[0].offer(number));
        for (unsigned turn = 0; turn < 1000; ++turn) {
            pair.settle();
            if (!pair.pass_time())
                break;
        }
        EXPECT_FALSE(pair.ends[0].link.dead());
        EXPECT_EQ(pair.ends[1].got.size(), 0u);
        pair.ends[1].open();
        pair.settle();
        ASSERT_EQ(pair.ends[1].got.size(), 20u);
        expect_once_and_in_order(pair.ends[1].got, 20, 1);
    }
}

TEST(Link, AskingARefusingPeerAgainTakesOneFrameATime) {
    LinkPair pair{1, 64};
    pair.ends[1].close();
    for (std::uint32_t packet = 1; packet <= 10; ++packet)
        ASSERT_TRUE(pair.ends[0].offer(packet));
    pair.settle();
    const std::uint32_t before = pair.ends[0].context.counters[Counter::refusals];
    for (unsigned turn = 0; turn < 20; ++turn) {
        ASSERT_TRUE(pair.pass_time());
        pair.settle();
    }
    EXPECT_EQ(pair.ends[0].context.counters[Counter::refusals], before + 20);
    pair.ends[1].open();
    pair.settle();
    EXPECT_EQ(pair.ends[1].got.size(), 10u);
}

TEST(Link, LosingTheWordThatThereAreBuffersAgainDoesNotWedge) {
    for (const unsigned wait_turns : {0u, 10u, 60u, 300u}) {
        for (const bool lockstep : {false, true}) {
            if (lockstep && wait_turns >= limits::kRetriesMax)
                continue; // 2^32 units of model time: the mesh has come to rest for good
            LinkPair pair{1, 64, lockstep};
            pair.ends[1].close();
            ASSERT_TRUE(pair.ends[0].offer(1));
            for (unsigned turn = 0; turn < wait_turns; ++turn) {
                pair.settle();
                static_cast<void>(pair.pass_time());
            }
            pair.settle();
            pair.ends[1].open();
            pair.cut[0] = true; // the word is lost
            pair.settle();
            pair.cut[0] = false;
            for (unsigned turn = 0; turn < 50 && pair.ends[1].got.empty(); ++turn) {
                static_cast<void>(pair.pass_time());
                pair.settle();
            }
            EXPECT_EQ(pair.ends[1].got.size(), 1u)
                << "after " << wait_turns << " turns, lockstep " << lockstep;
        }
    }
}

TEST(Link, APacketThatFitsOvertakesOneThatIsRefused) {
    LinkPair pair{1, 8};
    for (std::uint32_t number = 0; number < 5; ++number) // 3 of 8 buffers stay free
        ASSERT_NE(pair.ends[1].pool().allocate(), nullptr);
    ASSERT_TRUE(pair.ends[0].offer(1, 6));
    ASSERT_TRUE(pair.ends[0].offer(2, 2));
    pair.settle();
    ASSERT_EQ(pair.ends[1].got.size(), 1u);
    EXPECT_EQ(pair.ends[1].got[0].number, 2u);
}

// Nonsense
// --------------------------------------------------------------------------------------------

TEST(Link, AcknowledgementsOfFramesThatWereNeverSentAreHarmless) {
    LinkPair pair{1, 64};
    for (std::uint32_t number = 1; number <= 10; ++number)
        ASSERT_TRUE(pair.ends[0].offer(number));
    pair.send(0, 4);
    for (std::uint32_t nonsense = 5; nonsense <= 0xFFFF; ++nonsense)
        pair.ends[0].link.on_acknowledgement(pair.ends[0].context,
                                             {.kind = wire::Kind::ack,
                                              .acknowledged = static_cast<std::uint16_t>(nonsense),
                                              .refused = 0xFFFF'FFFF,
                                              .free_buffers = 0});
    EXPECT_EQ(pair.ends[0].link.pending(), 10u);
    pair.settle();
    expect_once_and_in_order(pair.ends[1].got, 10, 1);
    EXPECT_EQ(pair.ends[0].context.counters[Counter::refusals], 0u);
}

TEST(Link, RandomHeadersNeitherCrashNorCostABuffer) {
    for (unsigned seed = 1; seed <= 30; ++seed) {
        LinkPair pair{seed, 32, seed % 2 == 0};
        LinkEnd& end = pair.ends[0];
        for (std::uint32_t turn = 0; turn < 2000; ++turn) {
            static_cast<void>(end.pool().free() > 8 && end.offer(turn, 3));
            const auto word = [&] { return static_cast<std::uint16_t>(pair.below(40)); };
            LinkFrame frame{{.kind = pair.below(2) != 0 ? wire::Kind::data : wire::Kind::ack,
                             .port = port_at(0),
                             .sequence = word(),
                             .acknowledged = word(),
                             .refused = static_cast<std::uint32_t>(pair.random()),
                             .free_buffers = word(),
                             .packet_bytes = 32,
                             .flags = static_cast<std::uint16_t>(pair.random() &
                                                                 ~wire::link_flag::kSessionMask)},
                            turn,
                            1};
            if (frame.header.kind == wire::Kind::ack)
                frame.header.sequence = 0; // its session
            if (turn % 100 > 50) {         // from where the link is
                LinkFrame own;
                if (end.next(own))
                    frame.header.acknowledged =
                        static_cast<std::uint16_t>(own.header.sequence + pair.below(20));
            }
            end.take(frame);
            end.consume();
            end.rest();
        }
        while (end.held() != 0)
            end.consume();
        EXPECT_EQ(end.pool().used(), end.link.pending()) << "seed " << seed;
    }
}

TEST(Link, GivesPacketsWithAnAppointmentWhenTheirTimeHasComeTheEarliestFirst) {
    LinkPair pair{1, 48, true};
    LinkEnd& end = pair.ends[0];
    constexpr std::array<std::uint32_t, 5> kStarts{30, 10, 20, 30, 40};
    for (const std::uint32_t start : kStarts) {
        PacketBuffer* buffer = end.pool().allocate();
        buffer->header.message = start;
        end.link.hold(end.context, buffer, start);
    }
    EXPECT_EQ(end.link.pending(), 1u);
    EXPECT_EQ(end.link.packets(end.context), 5u);
    std::vector<std::uint32_t> given;
    for (const wire::ModelTime time : {9u, 10u, 30u, 39u, 40u}) {
        end.context.time.come_to(time);
        while (PacketBuffer* buffer = end.link.take_due(end.context)) {
            EXPECT_LE(buffer->header.message, time);
            given.push_back(buffer->header.message);
            end.pool().release(buffer);
        }
        EXPECT_EQ(end.link.holds(), time != 40);
    }
    EXPECT_EQ(given, (std::vector<std::uint32_t>{10, 20, 30, 30, 40}));
}

TEST(Link, SaysHelloBeforeAnythingElseAndAnswersOnce) {
    LinkPair pair{1};
    ASSERT_TRUE(pair.ends[0].offer(1));
    pair.ends[0].link.say_hello();
    LinkFrame frame;
    ASSERT_TRUE(pair.ends[0].next(frame));
    EXPECT_EQ(frame.header.kind, wire::Kind::hello);
    ASSERT_TRUE(pair.ends[0].next(frame));
    EXPECT_EQ(frame.header.kind, wire::Kind::data);
    pair.ends[1].link.on_hello(pair.ends[1].context, {.kind = wire::Kind::hello});
    ASSERT_TRUE(pair.ends[1].next(frame));
    EXPECT_EQ(frame.header.kind, wire::Kind::hello_answer);
    EXPECT_FALSE(pair.ends[1].next(frame));
}

} // namespace link_test
} // namespace mesh::test
