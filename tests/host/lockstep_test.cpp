// Lockstep: the frames that go out, and their order, are a function of model time alone.
#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/cables/lockstep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace mesh::host {
namespace lockstep_test {

constexpr std::uint32_t kNodes = 3;

/// Nodes that only count: each says that it is idle when it is told to.
class LockstepTest : public testing::Test {
protected:
    using Delivery = std::pair<std::uint32_t, unsigned>; // node, first byte of the frame

    LockstepTest()
        : lockstep(kNodes, {[this](Held& held) { lockstep.enqueue(to_of(held.place), held.frame); },
                            [this](NodeId to, std::span<const std::byte> frame) {
                                delivered.emplace_back(index(to),
                                                       std::to_integer<unsigned>(frame[0]));
                                ++got[index(to)];
                            },
                            [this](NodeId to, wire::ModelTime time) {
                                grants.emplace_back(index(to), time);
                                lockstep.enqueue(to, Bytes{std::byte{0xEE}});
                            },
                            [this] { return std::exchange(kept, false); }}) {}

    static NodeId to_of(std::uint64_t place) {
        return node_at(static_cast<std::uint32_t>(place >> 8));
    }
    void hold(std::uint32_t to, unsigned port, wire::ModelTime time, unsigned mark) {
        lockstep.hold(0, (std::uint64_t{to} << 8) | port, time,
                      Bytes{static_cast<std::byte>(mark)});
    }
    void idle(std::uint32_t node, wire::ModelTime timer = wire::kNever) {
        complaint = lockstep.idle(node_at(node), got[node], timer);
        lockstep.advance();
    }
    void all_idle() {
        for (std::uint32_t node = 0; node < kNodes; ++node)
            idle(node);
    }

    std::vector<Delivery> delivered;
    std::vector<std::pair<std::uint32_t, wire::ModelTime>> grants;
    std::uint32_t got[kNodes] = {};
    bool kept = false;
    std::string_view complaint; // about the last report
    Lockstep lockstep;
};

TEST_F(LockstepTest, NothingGoesOutBeforeEveryNodeIsIdle) {
    lockstep.begin();
    hold(1, 0, 5, 1);
    idle(0);
    idle(1);
    EXPECT_TRUE(delivered.empty());
    EXPECT_TRUE(lockstep.awaited(node_at(2)));
    idle(2);
    EXPECT_EQ(delivered, (std::vector<Delivery>{{1, 1}}));
}

TEST_F(LockstepTest, ControlGoesFirstThenTheEarliestModelTime) {
    lockstep.begin();
    hold(0, 0, 9, 9);
    hold(1, 0, 4, 4);
    hold(2, 0, 0, 0);
    all_idle();
    EXPECT_EQ(delivered, (std::vector<Delivery>{{2, 0}}));
    idle(2);
    EXPECT_EQ(delivered.back(), (Delivery{1, 4}));
    idle(1);
    EXPECT_EQ(delivered.back(), (Delivery{0, 9}));
    EXPECT_FALSE(lockstep.quiescent());
    idle(0);
    EXPECT_TRUE(lockstep.quiescent());
}

TEST_F(LockstepTest, AGroupIsOrderedByDestinationAndPortHoweverItCame) {
    std::vector<std::tuple<std::uint32_t, unsigned, unsigned>> frames;
    for (std::uint32_t node = 0; node < kNodes; ++node)
        for (unsigned port = 0; port < 4; ++port)
            frames.emplace_back(node, port, node * 16 + port);
    std::vector<Delivery> expected;
    for (const auto& [node, port, mark] : frames)
        expected.emplace_back(node, mark);
    std::mt19937 random(3);
    std::shuffle(frames.begin(), frames.end(), random);
    lockstep.begin();
    for (const auto& [node, port, mark] : frames)
        hold(node, port, 7, mark);
    all_idle();
    EXPECT_EQ(delivered, expected);
}

TEST_F(LockstepTest, FramesOfOneCableKeepTheirOrder) {
    lockstep.begin();
    for (unsigned mark = 0; mark < 50; ++mark)
        hold(1, 2, 3, mark);
    all_idle();
    ASSERT_EQ(delivered.size(), 50u);
    EXPECT_TRUE(std::is_sorted(delivered.begin(), delivered.end()));
}

TEST_F(LockstepTest, ATimerIsGrantedOnlyWhenNoFrameIsDueBeforeIt) {
    lockstep.begin();
    hold(1, 0, 5, 1);
    idle(0, 5);
    idle(1, 8);
    idle(2, 5);
    EXPECT_EQ(delivered.size(), 1u) << "a frame due at the same time goes first";
    EXPECT_TRUE(grants.empty());
    idle(1, 8);
    EXPECT_EQ(grants, (std::vector<std::pair<std::uint32_t, wire::ModelTime>>{{0, 5}, {2, 5}}));
    idle(0);
    EXPECT_EQ(grants.size(), 2u);
    idle(2);
    EXPECT_EQ(grants.back(), (std::pair<std::uint32_t, wire::ModelTime>{1, 8}));
    idle(1);
    EXPECT_TRUE(lockstep.quiescent());
}

TEST_F(LockstepTest, ATimerThatWasSetAnewDoesNotFireAtItsOldTime) {
    lockstep.begin();
    hold(0, 0, 2, 1);
    idle(0, 3);
    idle(1);
    idle(2);
    EXPECT_EQ(delivered.size(), 1u);
    idle(0, 6);
    EXPECT_EQ(grants, (std::vector<std::pair<std::uint32_t, wire::ModelTime>>{{0, 6}}));
}

TEST_F(LockstepTest, ATimerFiresOnceHoweverOftenItWasMoved) {
    lockstep.begin();
    for (const wire::ModelTime time : {1, 2, 3})
        hold(0, 0, time, 1);
    idle(1);
    idle(2);
    for (const wire::ModelTime timer : {9, 5, 9, 9})
        idle(0, timer);
    EXPECT_EQ(grants, (std::vector<std::pair<std::uint32_t, wire::ModelTime>>{{0, 9}}));
    EXPECT_FALSE(lockstep.quiescent());
    idle(0);
    EXPECT_EQ(grants.size(), 1u);
    EXPECT_TRUE(lockstep.quiescent());
}

TEST_F(LockstepTest, WhatFaultsKeptGoesOutBeforeTimePasses) {
    kept = true;
    lockstep.begin();
    idle(0, 4);
    idle(1);
    idle(2);
    EXPECT_FALSE(kept);
    EXPECT_EQ(grants.size(), 1u);
}

TEST_F(LockstepTest, ANodeGetsNoMoreThanItsReceiverHolds) {
    lockstep.begin();
    all_idle();
    constexpr std::size_t kFrames = 20;
    for (std::size_t at = 0; at < kFrames; ++at)
        lockstep.enqueue(node_at(0), Bytes(1000));
    std::size_t rounds = 0;
    while (delivered.size() < kFrames) {
        const std::size_t before = delivered.size();
        idle(0);
        ASSERT_GT(delivered.size(), before) << "no progress";
        EXPECT_LE((delivered.size() - before) * 1000, kBatchBytesMax);
        ++rounds;
    }
    EXPECT_GE(rounds, kFrames * 1000 / kBatchBytesMax);
}

TEST_F(LockstepTest, AFrameDeliveredBeforeTheBeginningIsAccountedFor) {
    idle(1);
    lockstep.deliver_now(node_at(1), Bytes{std::byte{1}});
    lockstep.begin();
    hold(0, 0, 0, 2);
    idle(0);
    idle(2);
    EXPECT_TRUE(lockstep.awaited(node_at(1)));
    EXPECT_EQ(delivered.size(), 1u);
    EXPECT_EQ(lockstep.idle(node_at(1), 0, wire::kNever), ""); // an old report
    lockstep.advance();
    EXPECT_EQ(delivered.size(), 1u);
    idle(1);
    EXPECT_EQ(delivered.size(), 2u);
}

TEST_F(LockstepTest, ANodeThatIsGoneIsNotWaitedFor) {
    lockstep.begin();
    hold(0, 0, 1, 1);
    hold(2, 0, 1, 2);
    idle(0);
    idle(1);
    lockstep.exclude(node_at(2));
    lockstep.advance();
    EXPECT_EQ(delivered, (std::vector<Delivery>{{0, 1}}));
    idle(0);
    EXPECT_TRUE(lockstep.quiescent());
}

TEST_F(LockstepTest, ATimerBeforeTheTimeThatANodeWasGrantedIsRefused) {
    lockstep.begin();
    idle(0);
    idle(1);
    idle(2, 50);
    ASSERT_EQ(grants.size(), 1u);
    idle(2, 49);
    EXPECT_NE(complaint, "");
    EXPECT_TRUE(lockstep.awaited(node_at(2))); // the report counts for nothing
    idle(2, 51);
    EXPECT_EQ(complaint, "");
    EXPECT_EQ(grants.back(), std::pair(2u, wire::ModelTime{51}));
}

TEST_F(LockstepTest, ANodeThatSetsItsTimerToNowAgainAndAgainIsRefusedInTheEnd) {
    lockstep.begin();
    idle(0);
    idle(1);
    unsigned reports = 0;
    for (; complaint.empty() && reports < 10'000; ++reports)
        idle(2, 7);
    EXPECT_EQ(reports, 1 + bounds::kStaleTimersMax + 1);
}

TEST_F(LockstepTest, AMessageForALateNodeMaySetItsTimerBeforeThatOfOthers) {
    lockstep.begin();
    idle(0);
    idle(1);
    idle(2, 90); // model time is at 90 for node 2 only
    lockstep.enqueue(node_at(1), Bytes{std::byte{1}});
    idle(1, 60);
    EXPECT_EQ(complaint, "");
}

TEST_F(LockstepTest, ATimerThatNoTimeCanReachIsRefused) {
    lockstep.begin();
    idle(0, bounds::kModelTimeMax + 1);
    EXPECT_NE(complaint, "");
    idle(0, bounds::kModelTimeMax);
    EXPECT_EQ(complaint, "");
}

TEST_F(LockstepTest, TurnsComeBehindAllTimesAndRestBehindTurnsAndNeitherTakesTime) {
    using Grants = std::vector<std::pair<std::uint32_t, wire::ModelTime>>;
    lockstep.begin();
    hold(2, 0, 6, 1);
    idle(0, wire::kAtRest);
    idle(1, wire::kNextTurn);
    idle(2, 9);
    EXPECT_TRUE(grants.empty());
    idle(2, 9);
    EXPECT_EQ(grants, (Grants{{2, 9}}));
    idle(2, wire::kNextTurn);
    EXPECT_EQ(grants, (Grants{{2, 9}, {1, wire::kNextTurn}, {2, wire::kNextTurn}}));
    EXPECT_TRUE(lockstep.has_turn(node_at(1)));
    EXPECT_FALSE(lockstep.has_turn(node_at(0)));
    idle(2, 9); // it may say the time that it was granted once more
    idle(1);
    EXPECT_EQ(grants.back(), (std::pair<std::uint32_t, wire::ModelTime>{2, 9}));
    idle(2);
    EXPECT_EQ(grants.back(), (std::pair<std::uint32_t, wire::ModelTime>{0, wire::kAtRest}));
    EXPECT_FALSE(lockstep.quiescent());
    EXPECT_EQ(lockstep.now(), 9u);
    EXPECT_EQ(lockstep.moves(), 3u); // a packet, and twice the time 9
    idle(0);
    EXPECT_EQ(complaint, "");
    EXPECT_TRUE(lockstep.quiescent());
}

TEST_F(LockstepTest, QuestionsLeaveBesideOneThatGivesWayForEver) {
    lockstep.begin();
    idle(0, wire::kAtRest);
    idle(2);
    std::size_t turns = 0;
    for (; turns < 10 * Lockstep::kTurnsOfRest && !lockstep.awaited(node_at(0)); ++turns)
        idle(1, wire::kNextTurn);
    EXPECT_EQ(turns, Lockstep::kTurnsOfRest);
    EXPECT_EQ(grants.back(), (std::pair<std::uint32_t, wire::ModelTime>{0, wire::kAtRest}));
}

TEST_F(LockstepTest, ARestartedNodeIsAwaitedAndCountsFromItsReset) {
    lockstep.begin();
    all_idle();
    hold(1, 0, 7, 1);
    hold(1, 0, 8, 2);
    lockstep.advance();
    EXPECT_EQ(lockstep.now(), 7u);
    lockstep.exclude(node_at(1)); // it may have been killed before
    lockstep.restart(node_at(1));
    got[1] = 0;
    lockstep.advance();
    EXPECT_EQ(delivered.size(), 1u) << "all wait for it";
    EXPECT_TRUE(lockstep.awaited(node_at(1)));
    EXPECT_FALSE(lockstep.reported(node_at(1)));
    idle(1);
    EXPECT_EQ(complaint, "");
    EXPECT_EQ(delivered.back(), (Delivery{1, 2}));
    idle(1);
    EXPECT_TRUE(lockstep.quiescent());
}

} // namespace lockstep_test
} // namespace mesh::host
