// Turns are measured, and a process that is kept from its turn beyond its limit is named with its
// keeper. Time is the processor's: a process computes until enough of it has passed.
#include "hal/cycles.hpp"
#include "kernel/api/channel.hpp"
#include "library/counts.hpp"
#include "library/parallel.hpp"
#include "library/turns.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mesh::test {
namespace turns_test {

constexpr std::uint32_t kLimitUs = 2000;

std::vector<std::string> named; // of the running test

void note(Kernel&, const LateTurn& late) {
    EXPECT_GE(late.us, kLimitUs);
    named.push_back(std::to_string(late.process) + " behind " + std::to_string(late.keeper));
}

void compute(std::uint32_t us) {
    const std::uint64_t begin = cycles();
    while (cycles() - begin < std::uint64_t{us} * kCyclesOfUs)
        continue;
}

/// Lets the others have a turn.
auto pause(Kernel& node) {
    return node.wait_until([asked = false]() mutable { return std::exchange(asked, true); });
}

Process computes(Kernel& node, std::uint32_t us, unsigned rounds = 1) {
    for (unsigned round = 0; round < rounds; ++round) {
        compute(us);
        co_await pause(node);
    }
    co_return Status::ok;
}

Process beats(Kernel& node, TurnWatch& watch, unsigned beats = 1) {
    const TurnLimit limit{watch, kLimitUs};
    for (unsigned beat = 0; beat < beats; ++beat)
        co_await pause(node);
    co_return Status::ok;
}

Process gives_way(Kernel& node, TurnWatch& watch) {
    const TurnLimit limit{watch, kLimitUs};
    co_await node.yield();
    co_return Status::ok;
}

/// Lets the other one begin.
Process computes_first(Kernel& node, bool& done) {
    co_await node.yield();
    for (unsigned round = 0; round < 6; ++round) {
        compute(500);
        co_await pause(node);
    }
    done = true;
    co_return Status::ok;
}

Process is_behind(Kernel& node, TurnWatch& watch, const bool& done) {
    const TurnLimit limit{watch, kLimitUs};
    co_await node.wait_until([&done] { return done; });
    co_return Status::ok;
}

Process has_a_high_one(Kernel& node, TurnWatch& watch) {
    bool done = false;
    co_return co_await pri_par(node, computes_first(node, done), is_behind(node, watch, done));
}

Process has_a_low_one(Kernel& node, TurnWatch& watch) {
    bool done = false;
    co_return co_await par(node, computes_first(node, done), is_behind(node, watch, done));
}

Process reads(Kernel&, TurnWatch& watch, Channel<int>& channel) {
    const TurnLimit limit{watch, kLimitUs};
    co_return co_await channel.read() == 1 ? Status::ok : Status::failed;
}

Process writes(Kernel& node, Channel<int>& channel) {
    compute(3000);
    co_await pause(node);
    co_await channel.write(1);
    co_return Status::ok;
}

Process is_asleep(Kernel& node, TurnWatch& watch) {
    Channel<int> channel{node};
    co_return co_await par(node, reads(node, watch, channel), writes(node, channel));
}

/// Is interrupted after a while: once, and again.
Process is_interrupted(Kernel& node) {
    auto& core = static_cast<NodeCore&>(node);
    for (unsigned time = 0; time < 2; ++time) {
        EXPECT_EQ(named.size(), time);
        compute(3000);
        EXPECT_TRUE(core.begin_preemptive_poll());
        core.end_preemptive_poll();
        EXPECT_EQ(named.size(), 1u);
    }
    co_await pause(node);
    co_return Status::ok;
}

Process without_watch(Kernel& node, TurnWatch& watch) {
    node.scheduler().measure(nullptr); // in the midst of a measured turn
    co_return co_await par(node, beats(node, watch), computes(node, 3000));
}

using Story = Process (*)(Kernel& node, TurnWatch& watch);
Story story;

Process program(Kernel& node) {
    if (index(node.id()) != 0)
        co_return Status::ok;
    TurnWatch watch{node, note};
    co_await node.yield();
    const Status verdict = co_await story(node, watch);
    EXPECT_EQ(count_of(node, "late_turns")->value, named.size());
    co_return verdict;
}

/// Runs `what` on node 0; what it begins has the slots from 1 on.
wire::NodeReport run(Story what) {
    named.clear();
    story = what;
    Rig rig{{Topology::cube, 1}, program, 32};
    rig.run({});
    const wire::NodeReport report = rig.report(0);
    EXPECT_EQ(report.done, 1u);
    EXPECT_EQ(report.status, 0u);
    return report;
}

TEST(Turns, TheLongestIsReportedWithItsProcess) {
    const auto report = run([](Kernel& node, TurnWatch&) {
        return par(node, computes(node, 10), computes(node, 4000), computes(node, 20));
    });
    EXPECT_GE(report.longest_turn_us, 4000u);
    EXPECT_EQ(report.longest_turn_process, 2u);
}

TEST(Turns, WhoIsKeptBeyondItsLimitIsNamedOnceWithItsKeeper) {
    const auto report = run([](Kernel& node, TurnWatch& watch) {
        return par(node, beats(node, watch, 3), computes(node, 3000, 2));
    });
    EXPECT_EQ(named, (std::vector<std::string>{"1 behind 2", "1 behind 2"}));
    EXPECT_EQ(report.counters[static_cast<std::size_t>(Counter::late_turns)], 2u);
}

TEST(Turns, WhoIsKeptIsNamedWhileTheTurnGoesOn) {
    std::ignore = run([](Kernel& node, TurnWatch& watch) {
        return par(node, beats(node, watch), is_interrupted(node));
    });
    EXPECT_EQ(named, std::vector<std::string>{"1 behind 2"});
}

TEST(Turns, WhoGivesWayIsKeptToo) {
    std::ignore = run([](Kernel& node, TurnWatch& watch) {
        return par(node, gives_way(node, watch), computes(node, 3000));
    });
    EXPECT_EQ(named, std::vector<std::string>{"1 behind 2"});
}

TEST(Turns, ShortOnesOfProcessesThatGoFirstAddUp) {
    std::ignore = run(has_a_high_one);
    EXPECT_EQ(named, std::vector<std::string>{"2 behind 1"});
}

TEST(Turns, ShortOnesBetweenWhichItIsAskedDoNot) {
    std::ignore = run(has_a_low_one);
    EXPECT_EQ(named, std::vector<std::string>{});
}

TEST(Turns, WhoSleepsIsNotKeptFromItsTurn) {
    std::ignore = run(is_asleep);
    EXPECT_EQ(named, std::vector<std::string>{});
}

TEST(Turns, OfANodeWhoseWatchHasGoneAreNotMeasuredAnyMore) {
    const auto report = run(without_watch);
    EXPECT_EQ(named, std::vector<std::string>{});
    EXPECT_LT(report.longest_turn_us, 3000u);
}

TEST(Turns, CountersHaveNamesAndReasons) {
    Rig rig{{Topology::cube, 1}, program, 32};
    Kernel& node = rig.kernel(0);
    node.counters()[Counter::drop_crc] = 7;
    for (std::size_t number = 0; number < kCounterCount; ++number) {
        const Count count = count_of(node, static_cast<Counter>(number));
        EXPECT_FALSE(count.name.empty() || count.reason.empty()) << number;
        EXPECT_EQ(count_of(node, count.name)->reason, count.reason);
    }
    EXPECT_EQ(count_of(node, "drop_crc")->value, 7u);
    EXPECT_GT(count_of(node, "buffers_used_max")->value, 0u);
    EXPECT_FALSE(count_of(node, "sheep"));
}

} // namespace turns_test
} // namespace mesh::test
