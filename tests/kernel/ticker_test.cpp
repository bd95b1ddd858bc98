// A Ticker does not drift, however long a process is busy between its ticks; wake() has a process
// asked that waits for something that no event of the kernel changes; a node starts without a host.
#include "library/ticker.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace mesh::test {
namespace ticker_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr Network kPair{Topology::cube, 1};
constexpr unsigned kTicks = 100;

struct Story {
    wire::ModelTime period = 0;
    wire::ModelTime busy = 0; // between two ticks
    std::uint64_t began_us = 0;
    std::vector<std::uint64_t> at_us{};
    std::vector<std::uint32_t> counts{};
};
Story story;

Process ticks(Kernel& node) {
    if (node.id() != NodeId{0})
        co_return Status::ok;
    story.began_us = node.deadline_in(0);
    Ticker ticker{node, story.period};
    for (std::uint32_t ticked = 0; ticked < kTicks;) {
        story.counts.push_back(co_await ticker.next());
        story.at_us.push_back(node.deadline_in(0));
        ticked += story.counts.back();
        co_await node.sleep(story.busy);
    }
    co_return Status::ok;
}

void run_ticks(wire::ModelTime period, wire::ModelTime busy) {
    story = {.period = period, .busy = busy};
    Rig rig{kPair, ticks};
    rig.run({});
}

TEST(Ticker, TicksAtMultiplesOfItsPeriodHoweverBusyTheProcessIs) {
    for (const wire::ModelTime busy : {wire::ModelTime{0}, kUnit / 3, kUnit - 1}) {
        run_ticks(kUnit, busy);
        ASSERT_EQ(story.at_us.size(), kTicks);
        for (unsigned tick = 0; tick < kTicks; ++tick) {
            EXPECT_EQ(story.at_us[tick] - story.began_us, 1000u * (tick + 1)) << busy;
            EXPECT_EQ(story.counts[tick], 1u);
        }
    }
}

TEST(Ticker, APeriodOfNoWholeMicrosecondsDoesNotDriftEither) {
    run_ticks(kUnit / 3, 0);
    EXPECT_EQ(story.at_us.back() - story.began_us, kTicks * (kUnit / 3) / 1000);
}

TEST(Ticker, AProcessThatIsLateHearsHowManyTicksWereDueAndIsInStepAgain) {
    run_ticks(kUnit, 5 * kUnit / 2);
    EXPECT_EQ(story.counts[0], 1u);
    for (std::size_t tick = 1; tick < story.counts.size(); ++tick) {
        EXPECT_GE(story.counts[tick], 2u);
        EXPECT_LE(story.counts[tick], 3u);
    }
    const std::uint64_t run_us = story.at_us.back() - story.began_us;
    std::uint64_t ticked = 0;
    for (const std::uint32_t count : story.counts)
        ticked += count;
    EXPECT_EQ(run_us / 1000, ticked);
}

bool rang = false;
unsigned asked = 0;

Process waits_for_the_bell(Kernel& node) {
    if (node.id() != NodeId{0})
        co_return Status::ok;
    co_await node.wait_until([] {
        ++asked;
        return rang;
    });
    co_return Status::ok;
}

TEST(Wake, AProcessIsAskedAgainAfterNothingButWake) {
    rang = false;
    Rig rig{kPair, waits_for_the_bell};
    rig.limit_us = 1'000'000;
    rig.run({});
    EXPECT_EQ(rig.report(0).done, 0u);
    const unsigned before = asked;
    rig.board(0).set_time(rig.board(0).now_us() + 1);
    rig.settle();
    EXPECT_EQ(asked, before) << "time alone asks nobody";
    rang = true;
    rig.kernel(0).wake();
    rig.finish();
    EXPECT_GT(asked, before);
    EXPECT_EQ(rig.report(0).done, 1u);
}

std::uint64_t began_us = 0;

Process answers(Kernel& node) {
    rang = true;
    began_us = node.deadline_in(0);
    co_return node.job().op == wire::Op::app ? Status::ok : Status::failed;
}

TEST(Start, ANodeBeginsItsProgramWithoutAWordOfAHost) {
    rang = false;
    HeapMemory memory{
        NodeSizes{.ports = 1, .buffers = 40, .processes = 4, .nodes = 2, .arena_bytes = 16'384}};
    board::HostBoard board{{kPair, NodeId{0}}, [](std::span<std::byte>) {}};
    Node<board::HostBoard> node{board, memory, answers};
    board.set_time(1'000'000);
    EXPECT_FALSE(rang);
    node.start();
    EXPECT_TRUE(rang);
    EXPECT_EQ(began_us, 1'000'000u) << "its clock is the board's from the beginning";
}

} // namespace ticker_test
} // namespace mesh::test
