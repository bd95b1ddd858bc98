// Sessions of two ends: a link that died comes back with its cable, and frames of the session
// before do no harm however late they come.
#include "link_pair.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace mesh::test {
namespace session_test {

std::vector<std::uint32_t> numbers(const LinkEnd& end) {
    std::vector<std::uint32_t> all;
    for (const LinkEnd::Got& got : end.got)
        all.push_back(got.number);
    return all;
}

/// Lets the link of `end` die by silence.
void let_die(LinkPair& pair, unsigned end) {
    pair.cut[0] = pair.cut[1] = true;
    ASSERT_TRUE(pair.ends[end].offer(99));
    for (pair.settle(); !pair.ends[end].link.dead(); pair.settle())
        ASSERT_TRUE(pair.pass_time());
    pair.cut[0] = pair.cut[1] = false;
    while (PacketBuffer* buffer = pair.ends[end].link.take_undeliverable(pair.ends[end].context))
        pair.ends[end].pool().release(buffer);
}

void expect_both_carry(LinkPair& pair, std::uint32_t number) {
    for (LinkEnd& end : pair.ends) {
        ASSERT_TRUE(end.link.up());
        ASSERT_TRUE(end.offer(number));
        end.got.clear();
    }
    pair.settle();
    for (LinkEnd& end : pair.ends) {
        EXPECT_EQ(numbers(end), std::vector<std::uint32_t>{number});
        EXPECT_EQ(end.link.pending(), 0u);
    }
}

TEST(Session, ADeadLinkComesBackWhenItsPeerAnswers) {
    for (const bool lockstep : {false, true}) {
        LinkPair pair{1, 48, lockstep};
        for (std::uint32_t number = 1; number <= 5; ++number)
            ASSERT_TRUE(pair.ends[0].offer(number)); // so the session is not at its beginning
        pair.settle();
        let_die(pair, 0);
        pair.ends[0].link.say_hello();
        pair.settle();
        expect_both_carry(pair, 7);
    }
}

TEST(Session, BothEndsOfADeadLinkComeBackWhoeverAsksFirst) {
    for (unsigned first = 0; first < 2; ++first) {
        LinkPair pair{1};
        let_die(pair, 0);
        let_die(pair, 1);
        pair.ends[first].link.say_hello();
        pair.settle();
        expect_both_carry(pair, 7);
    }
}

TEST(Session, ADeadLinkStaysDeadWhileItHearsAndIsNotHeard) {
    LinkPair pair{1};
    let_die(pair, 0);
    let_die(pair, 1);
    pair.cut[1] = true; // of end 0 nothing arrives
    for (unsigned turn = 0; turn < 10; ++turn)
        for (LinkEnd& end : pair.ends) {
            end.link.say_hello();
            pair.settle();
        }
    EXPECT_TRUE(pair.ends[0].link.dead());
    EXPECT_TRUE(pair.ends[1].link.dead());
    pair.cut[1] = false;
    pair.ends[0].link.say_hello();
    pair.settle();
    expect_both_carry(pair, 7);
}

TEST(Session, WhatWasUnderWayAtItsEndIsGivenUpAndNothingElse) {
    LinkPair pair{1};
    for (std::uint32_t number = 1; number <= 6; ++number)
        ASSERT_TRUE(pair.ends[0].offer(number));
    pair.send(0, 2); // two are under way when the peer is reset
    pair.flying[1].clear();
    pair.ends[1].start(1);
    pair.ends[1].link.say_hello();
    pair.send(1);
    while (pair.arrive(0)) {
    }
    LinkEnd& end = pair.ends[0];
    EXPECT_TRUE(end.link.dead());
    std::uint32_t lost = 0;
    while (PacketBuffer* buffer = end.link.take_undeliverable(end.context)) {
        EXPECT_EQ(buffer->header.message, ++lost);
        end.pool().release(buffer);
    }
    EXPECT_EQ(lost, 6u);
    pair.settle();
    expect_both_carry(pair, 7);
    EXPECT_EQ(end.pool().used(), end.held());
}

TEST(Session, AFrameThatIsLateFromTheSessionBeforeIsDropped) {
    for (const bool peer_is_reset : {false, true}) {
        LinkPair pair{1};
        ASSERT_TRUE(pair.ends[0].offer(1));
        pair.send(0);
        const LinkFrame late = pair.flying[1].front(); // its number is that of a session's first
        pair.flying[1].clear();
        LinkEnd& reset = pair.ends[peer_is_reset ? 1 : 0];
        reset.start(1);
        reset.link.say_hello();
        for (unsigned turn = 0; turn < 3; ++turn) { // the link of the other end dies first
            pair.send(0);
            pair.send(1);
            while (pair.arrive(0) || pair.arrive(1)) {
            }
            LinkEnd& end = pair.ends[0];
            while (PacketBuffer* buffer = end.link.take_undeliverable(end.context))
                end.pool().release(buffer);
        }
        pair.settle();
        ASSERT_TRUE(pair.ends[0].link.up() && pair.ends[1].link.up());
        pair.flying[1].push_back(late);
        pair.settle();
        EXPECT_TRUE(pair.ends[1].got.empty());
        EXPECT_EQ(pair.ends[1].context.counters[Counter::drop_old_session], 1u);
        expect_both_carry(pair, 7);
    }
}

TEST(Session, AHelloThatIsLateFromTheLifeBeforeChangesNothing) {
    LinkPair pair{1};
    pair.ends[0].link.say_hello();
    pair.send(0);
    const LinkFrame late = pair.flying[1].front();
    pair.settle();
    pair.ends[0].start(1);
    pair.ends[0].link.say_hello();
    pair.settle();
    expect_both_carry(pair, 1);
    ASSERT_TRUE(pair.ends[1].offer(2));
    pair.flying[1].push_back(late);
    pair.settle();
    EXPECT_EQ(pair.ends[1].context.counters[Counter::drop_old_session], 1u);
    EXPECT_EQ(numbers(pair.ends[0]), (std::vector<std::uint32_t>{1, 2}));
    expect_both_carry(pair, 7);
}

TEST(Session, TwoSessionsWhoseEndsHaveTheSameNumbersTheOtherWayRoundAreNotOne) {
    LinkPair pair{1};
    for (LinkEnd& end : pair.ends)
        end.start(0); // they have not met
    pair.ends[0].link.say_hello();
    pair.send(0);
    const LinkFrame late_hello = pair.flying[1].front();
    pair.flying[1].clear();
    pair.ends[0].start(1);
    pair.ends[0].link.say_hello();
    pair.settle();
    ASSERT_TRUE(pair.ends[0].link.up());
    ASSERT_TRUE(pair.ends[0].offer(1));
    pair.send(0);
    const LinkFrame late =
        pair.flying[1].front(); // from an end in its second life to one in its first
    pair.flying[1].clear();
    pair.ends[1].start(1);
    pair.flying[1] = {late_hello, late}; // it takes the peer for one in its first life
    while (pair.arrive(1)) {
    }
    EXPECT_TRUE(pair.ends[1].got.empty());
    EXPECT_EQ(pair.ends[1].context.counters[Counter::drop_old_session], 1u);
}

TEST(Session, AnAnswerToThePeerDoesNotTakeThePlaceOfAQuestion) {
    LinkPair pair{1};
    LinkEnd& end = pair.ends[0];
    end.link.say_hello();
    end.link.answer_hello(end.context);
    LinkFrame frame;
    ASSERT_TRUE(end.next(frame));
    EXPECT_EQ(frame.header.kind, wire::Kind::hello);
}

TEST(Session, AnEndThatForgetsItsNumberGoesOnFromTheOneThatItsPeerRemembers) {
    LinkPair pair{1};
    let_die(pair, 0); // now its number is 1
    pair.ends[0].link.say_hello();
    pair.settle();
    pair.ends[0].start(0); // it cannot count how often it was started
    for (unsigned turn = 0; turn < 4; ++turn) {
        pair.ends[0].link.say_hello();
        pair.settle();
    }
    expect_both_carry(pair, 7);
}

TEST(Session, ThatBeganWithAnEndThatHadForgottenItsNumberEndsWhenThePeerNamesALaterOne) {
    LinkPair pair{1};
    LinkEnd& end = pair.ends[0];
    constexpr wire::LinkHeader late{.kind = wire::Kind::hello, .free_buffers = 16};
    end.link.on_hello(end.context, late);
    EXPECT_FALSE(end.link.up()) << "the peer counts with an end of number 16, and this is 0";
    for (unsigned turn = 0; turn < 4; ++turn) {
        end.link.say_hello();
        pair.settle();
    }
    expect_both_carry(pair, 7);
}

TEST(Session, BeginsAnewOnlyWhenWhatTheDeadLinkKeptWasTaken) {
    for (const bool in_flight : {false, true}) {
        LinkPair pair{1};
        LinkEnd& end = pair.ends[0];
        ASSERT_TRUE(end.offer(1));
        LinkFrame frame;
        if (in_flight)
            ASSERT_TRUE(end.next(frame));
        end.link.give_up(end.context);
        const auto ask = [&] {
            end.link.say_hello();
            pair.settle();
        };
        for (unsigned turn = 0; turn < 4; ++turn)
            ask();
        EXPECT_TRUE(end.link.dead()) << "a packet of the session before is still there";
        end.pool().release(end.link.take_undeliverable(end.context));
        for (unsigned turn = 0; turn < 4; ++turn)
            ask();
        expect_both_carry(pair, 7);
    }
}

TEST(Session, OverABadCableItBeginsAllTheSame) {
    for (unsigned seed = 1; seed <= 100; ++seed) {
        LinkPair pair{seed};
        pair.faults = {.drop = 0.3, .twice = 0.2, .swap = 0.3};
        unsigned starts[2] = {};
        for (unsigned life = 0; life < 20; ++life) {
            const unsigned who = pair.below(2);
            if (pair.chance(0.5)) {
                pair.ends[who].start(++starts[who]);
            } else {
                pair.faults = {};
                let_die(pair, who);
                pair.faults = {.drop = 0.3, .twice = 0.2, .swap = 0.3};
            }
            for (unsigned turn = 0; turn < 1000; ++turn) {
                for (LinkEnd& end : pair.ends) {
                    while (PacketBuffer* buffer = end.link.take_undeliverable(end.context))
                        end.pool().release(buffer);
                    if (!end.link.up())
                        end.link.say_hello();
                }
                pair.settle();
                if (pair.ends[0].link.up() && pair.ends[1].link.up() && pair.flying[0].empty() &&
                    pair.flying[1].empty())
                    break;
            }
            const bool up = pair.ends[0].link.up() && pair.ends[1].link.up();
            ASSERT_TRUE(up) << "seed " << seed << " life " << life;
        }
        pair.faults = {};
        for (unsigned turn = 0; turn < 4; ++turn) { // they may differ on the last word
            for (LinkEnd& end : pair.ends)
                end.link.say_hello();
            pair.settle();
        }
        expect_both_carry(pair, 7);
        if (testing::Test::HasFailure())
            return;
    }
}

} // namespace session_test
} // namespace mesh::test
