// Processes, channels and alternatives of one node, and what happens where there is no room.
#include "kernel/api/alt.hpp"
#include "kernel/api/channel.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mesh::test {
namespace process_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;

std::vector<std::string> story; // what the processes of the running test did, in order

void tell(std::string what) { story.push_back(std::move(what)); }

// Runs `program` on node 0 and node 1 of a 1-cube (or on its two nodes' kernels alike).
struct Trial {
    explicit Trial(Program program, std::size_t arena_bytes = 32 * 1024)
        : rig{{Topology::cube, 1}, program, 32, 1, arena_bytes} {
        story.clear();
        rig.run({});
    }
    wire::NodeReport report() { return rig.report(0); }
    Rig rig;
};

// A program that does something on node 0 only.
#define ON_NODE_0(node)                                                                            \
    if (index((node).id()) != 0)                                                                   \
    co_return Status::ok

Process say_and_end(Kernel&, std::string name, Status verdict) {
    tell(name);
    co_return verdict;
}

// Spawning and joining ----------------------------------------------------------------------------

Process spawns_three(Kernel& node) {
    ON_NODE_0(node);
    ProcessId ids[3];
    for (unsigned number = 0; number < 3; ++number)
        if (!node.spawn(say_and_end(node, std::to_string(number), Status::ok), ids[number]))
            co_return Status::failed;
    tell("parent");
    for (const ProcessId id : ids)
        if (co_await node.join(id) != Status::ok)
            co_return Status::failed;
    tell("joined");
    co_return Status::ok;
}

TEST(Process, ASpawnedProcessRunsWhenItsParentWaitsInTheOrderOfSpawning) {
    Trial run{spawns_three};
    EXPECT_EQ(story, (std::vector<std::string>{"parent", "0", "1", "2", "joined"}));
    EXPECT_EQ(run.report().done, 1u);
    EXPECT_EQ(run.report().status, 0u);
}

Process joins_a_failure(Kernel& node) {
    ON_NODE_0(node);
    ProcessId id;
    if (!node.spawn(say_and_end(node, "child", Status::truncated), id))
        co_return Status::failed;
    co_return co_await node.join(id);
}

TEST(Process, JoinGivesTheVerdictAndTheProgramsOwnIsInTheReport) {
    Trial run{joins_a_failure};
    EXPECT_EQ(run.report().status, static_cast<std::uint32_t>(Status::truncated));
    EXPECT_EQ(run.rig.report(1).status, 0u);
}

Process joins_late(Kernel& node) {
    ON_NODE_0(node);
    ProcessId first, second;
    if (!node.spawn(say_and_end(node, "bad", Status::truncated), first))
        co_return Status::failed;
    co_await node.yield();
    if (!node.spawn(say_and_end(node, "good", Status::ok), second))
        co_return Status::failed;
    co_await node.yield();
    const Status of_second = co_await node.join(second);
    if (of_second != Status::ok)
        co_return Status::failed;
    co_return co_await node.join(first);
}

TEST(Process, KeepsItsVerdictUntilItIsJoinedHoweverManyAreSpawnedBefore) {
    Trial run{joins_late};
    EXPECT_EQ(run.report().status, static_cast<std::uint32_t>(Status::truncated));
}

template <bool CanBeJoined>
Process leaves_a_failure(Kernel& node) {
    ON_NODE_0(node);
    ProcessId id;
    const bool started = CanBeJoined ? node.spawn(say_and_end(node, "", Status::truncated), id)
                                     : node.spawn(say_and_end(node, "", Status::truncated));
    co_await node.yield();
    co_return started ? Status::ok : Status::failed;
}

TEST(Process, ThatFailsWithoutBeingJoinedFailsTheProgram) {
    for (const Program program : {leaves_a_failure<true>, leaves_a_failure<false>})
        EXPECT_EQ(Trial{program}.report().status, static_cast<std::uint32_t>(Status::truncated));
}

Process spawns_and_forgets(Kernel& node) {
    ON_NODE_0(node);
    for (unsigned count = 0; count < 1000; ++count) {
        if (!node.spawn(say_and_end(node, "", Status::ok)))
            co_return Status::failed;
        co_await node.yield();
    }
    co_return Status::ok;
}

TEST(Process, ThatNobodyJoinsLeavesItsSlotWhenItEnds) {
    EXPECT_EQ(Trial{spawns_and_forgets}.report().status, 0u);
}

Process waits_for_nobody(Kernel& node) {
    ON_NODE_0(node);
    const ProcessId none, stale{3, 200};
    const Status first = co_await node.end_of(none);
    const Status second = co_await node.end_of(stale);
    co_return first == Status::ok ? second : first;
}

TEST(Process, TheEndOfOneThatNeverWasIsThereAtOnce) {
    Trial run{waits_for_nobody};
    EXPECT_EQ(run.report().done, 1u);
    EXPECT_EQ(run.report().status, 0u);
}

Process waits_for_ever(Kernel& node, const bool& stop) {
    co_await node.wait_until([&stop] { return stop; });
    co_return Status::ok;
}

Process fills_all_slots(Kernel& node) {
    ON_NODE_0(node);
    bool stop = false;
    std::vector<ProcessId> ids;
    ProcessId id;
    while (ids.size() < 100 && node.spawn(waits_for_ever(node, stop), id))
        ids.push_back(id);
    tell(std::to_string(ids.size()));
    stop = true;
    co_await node.yield();
    for (const ProcessId one : ids)
        if (co_await node.join(one) != Status::ok)
            co_return Status::failed;
    // and all of them are free again
    for (unsigned count = 0; count < 1000; ++count) {
        if (!node.spawn(say_and_end(node, "", Status::ok), id))
            co_return Status::failed;
        std::ignore = co_await node.join(id);
    }
    co_return Status::ok;
}

TEST(Process, AsManyAsTheLimitSaysMayLiveAtATimeAndOneMoreIsRefused) {
    Trial run{fills_all_slots};
    EXPECT_EQ(story.front(), std::to_string(limits::kProcessesMax - 1)); // and the program itself
    EXPECT_EQ(run.report().done, 1u);
    EXPECT_EQ(run.report().status, 0u);
}

// Yielding and sleeping ---------------------------------------------------------------------------

Process counts_to_three(Kernel& node, std::string name) {
    for (unsigned count = 1; count <= 3; ++count) {
        tell(name + std::to_string(count));
        co_await node.yield();
    }
    co_return Status::ok;
}

Process two_counters(Kernel& node) {
    ON_NODE_0(node);
    ProcessId a, b;
    if (!node.spawn(counts_to_three(node, "a"), a) || !node.spawn(counts_to_three(node, "b"), b))
        co_return Status::failed;
    std::ignore = co_await node.join(a);
    co_return co_await node.join(b);
}

Process starts_two(Kernel& node) {
    ON_NODE_0(node);
    ProcessId a, b;
    if (!node.spawn(counts_to_three(node, "a"), a) || !node.spawn(counts_to_three(node, "b"), b))
        co_return Status::failed;
    node.scheduler().start(b);
    tell("started b");
    std::ignore = co_await node.join(a);
    co_return co_await node.join(b);
}

TEST(Process, StartRunsOneToItsFirstWaitBeforeItsCallerGoesOn) {
    Trial run{starts_two};
    EXPECT_EQ(story, (std::vector<std::string>{"b1", "started b", "a1", "a2", "b2", "a3", "b3"}));
}

TEST(Process, YieldLetsTheOthersRun) {
    Trial run{two_counters};
    EXPECT_EQ(story, (std::vector<std::string>{"a1", "b1", "a2", "b2", "a3", "b3"}));
}

unsigned turns = 0;

Process yields_for_long(Kernel& node) {
    ON_NODE_0(node);
    for (turns = 0; turns < 1000; ++turns)
        co_await node.yield();
    co_return Status::ok;
}

Process plays(Kernel&, Channel<int>& channel, bool serves) {
    for (unsigned count = 0; count < 1000; ++count, turns += serves ? 1 : 0)
        if (serves)
            co_await channel.write(1);
        else
            co_await channel.read();
    co_return Status::ok;
}

Process passes_for_long(Kernel& node) {
    ON_NODE_0(node);
    turns = 0;
    Channel<int> channel{node};
    ProcessId a, b;
    if (!node.spawn(plays(node, channel, true), a) || !node.spawn(plays(node, channel, false), b))
        co_return Status::failed;
    const Status first = co_await node.join(a);
    const Status second = co_await node.join(b);
    co_return first == Status::ok ? second : first;
}

TEST(Process, ThatNeverWaitsForLongLetsTheLinksWorkInBetween) {
    for (const Program program : {yields_for_long, passes_for_long}) {
        Rig rig{{Topology::cube, 1}, program, 32};
        rig.boot();
        rig.tell(0, wire::HostTag::job, wire::bytes_of(wire::Job{.op = wire::Op::app}));
        rig.tell(0, wire::HostTag::start, {});
        rig.settle(); // no time passes
        EXPECT_LT(turns, 200u);
        rig.finish();
        EXPECT_EQ(turns, 1000u);
        EXPECT_EQ(rig.report(0).done, 1u);
        EXPECT_EQ(rig.report(0).status, 0u);
    }
}

Process sleeper(Kernel& node, unsigned units) {
    co_await node.sleep(units * kUnit);
    tell(std::to_string(units) + "@" + std::to_string(node.now() / kUnit));
    co_return Status::ok;
}

Process sleepers(Kernel& node) {
    ON_NODE_0(node);
    ProcessId ids[4];
    const unsigned units[] = {30, 10, 20, 0};
    for (unsigned number = 0; number < 4; ++number)
        if (!node.spawn(sleeper(node, units[number]), ids[number]))
            co_return Status::failed;
    for (const ProcessId id : ids)
        std::ignore = co_await node.join(id);
    tell("all@" + std::to_string(node.now() / kUnit));
    co_return Status::ok;
}

TEST(Process, SleepersWakeInTheOrderOfTheirTimesAndJoinTakesTheLatestClock) {
    Trial run{sleepers};
    EXPECT_EQ(story, (std::vector<std::string>{"0@0", "10@10", "20@20", "30@30", "all@30"}));
    EXPECT_EQ(run.report().finish_time, 30 * kUnit);
    EXPECT_EQ(run.rig.report(1).finish_time, 0u);
}

// Channels in a node ------------------------------------------------------------------------------

Process writes(Kernel& node, Channel<int>& channel, int first, unsigned pause) {
    for (int value = first; value < first + 3; ++value) {
        co_await node.sleep(pause * kUnit);
        co_await channel.write(value);
        tell("w" + std::to_string(value) + "@" + std::to_string(node.now() / kUnit));
    }
    co_return Status::ok;
}

Process reads(Kernel& node, Channel<int>& channel, unsigned pause) {
    for (unsigned count = 0; count < 3; ++count) {
        co_await node.sleep(pause * kUnit);
        const int value = co_await channel.read();
        tell("r" + std::to_string(value) + "@" + std::to_string(node.now() / kUnit));
    }
    co_return Status::ok;
}

template <unsigned WritePause, unsigned ReadPause, bool WriterFirst>
Process rendezvous(Kernel& node) {
    ON_NODE_0(node);
    Channel<int> channel{node};
    ProcessId writer, reader;
    bool started = !WriterFirst || node.spawn(writes(node, channel, 1, WritePause), writer);
    started = started && node.spawn(reads(node, channel, ReadPause), reader);
    started = started && (WriterFirst || node.spawn(writes(node, channel, 1, WritePause), writer));
    if (!started)
        co_return Status::failed;
    std::ignore = co_await node.join(writer);
    co_return co_await node.join(reader);
}

const std::vector<std::string> kAtReadersPace{"r1@5", "w1@5", "r2@10", "w2@10", "r3@15", "w3@15"};

std::vector<std::string> sorted(std::vector<std::string> lines) {
    std::sort(lines.begin(), lines.end());
    return lines;
}

TEST(Channel, BothSidesWaitForEachOtherWhoeverIsSlowAndWhoeverStarts) {
    // The model clock of both ends is that of the later one, whatever the pauses.
    Trial reader_slow{rendezvous<0, 5, true>};
    EXPECT_EQ(sorted(story), sorted(kAtReadersPace));
    Trial reader_slow_first{rendezvous<0, 5, false>};
    EXPECT_EQ(sorted(story), sorted(kAtReadersPace));
    Trial writer_slow{rendezvous<5, 0, true>};
    EXPECT_EQ(sorted(story), sorted(kAtReadersPace));
    Trial writer_slow_first{rendezvous<5, 0, false>};
    EXPECT_EQ(sorted(story), sorted(kAtReadersPace));
}

Process writer_does_not_run_ahead(Kernel& node) {
    ON_NODE_0(node);
    Channel<int> channel{node};
    ProcessId writer;
    if (!node.spawn(writes(node, channel, 1, 0), writer))
        co_return Status::failed;
    for (unsigned turn = 0; turn < 20; ++turn)
        co_await node.yield();
    tell(channel.readable() ? "offered" : "nothing");
    for (int value = 1; value <= 3; ++value)
        if (co_await channel.read() != value)
            co_return Status::failed;
    co_return co_await node.join(writer);
}

TEST(Channel, WriteDoesNotCompleteBeforeTheReaderHasTaken) {
    Trial run{writer_does_not_run_ahead};
    ASSERT_FALSE(story.empty());
    EXPECT_EQ(story.front(), "offered");
    EXPECT_EQ(story.size(), 4u);
    EXPECT_EQ(run.report().status, 0u);
}

// The alternative ---------------------------------------------------------------------------------

Process writes_one(Kernel& node, Channel<int>& channel, int value, unsigned pause) {
    co_await node.sleep(pause * kUnit);
    co_await channel.write(value);
    co_return Status::ok;
}

Process alternates(Kernel& node) {
    ON_NODE_0(node);
    Channel<int> first{node}, second{node};
    ProcessId a, b;
    if (!node.spawn(writes_one(node, first, 1, 20), a) ||
        !node.spawn(writes_one(node, second, 2, 10), b))
        co_return Status::failed;
    for (unsigned turn = 0; turn < 3; ++turn) {
        const std::size_t which =
            co_await alt(node, on(first), on(second), after(node, 15 * kUnit));
        tell(std::to_string(which));
        if (which == 0)
            co_await first.read();
        if (which == 1)
            co_await second.read();
    }
    std::ignore = co_await node.join(a);
    co_return co_await node.join(b);
}

TEST(Alt, TakesWhatComesFirstAndTheTimerWhenNothingComes) {
    Trial run{alternates};
    EXPECT_EQ(story, (std::vector<std::string>{"1", "0", "2"}));
    EXPECT_EQ(run.report().status, 0u);
}

Process both_ready(Kernel& node) {
    ON_NODE_0(node);
    Channel<int> first{node}, second{node};
    ProcessId a, b;
    if (!node.spawn(writes_one(node, second, 2, 0), b) ||
        !node.spawn(writes_one(node, first, 1, 0), a))
        co_return Status::failed;
    co_await node.sleep(kUnit);
    const std::size_t now_due = co_await alt(node, after(node, 0), on(first), on(second));
    const std::size_t forward = co_await alt(node, on(first), on(second), after(node, 0));
    const std::size_t backward = co_await alt(node, on(second), on(first));
    tell(std::to_string(now_due) + std::to_string(forward) + std::to_string(backward));
    tell(first.readable() && second.readable() ? "untouched" : "taken");
    const int sum = co_await first.read() + co_await second.read();
    const bool joined = co_await node.join(a) == Status::ok && co_await node.join(b) == Status::ok;
    co_return sum == 3 && joined ? Status::ok : Status::failed;
}

TEST(Alt, AmongReadyGuardsTheFirstInWritingWinsAndNothingIsTaken) {
    Trial run{both_ready};
    EXPECT_EQ(story, (std::vector<std::string>{"000", "untouched"}));
    EXPECT_EQ(run.report().done, 1u);
}

Process over_an_array(Kernel& node) {
    ON_NODE_0(node);
    Channel<int> a{node}, b{node}, c{node};
    ProcessId id;
    if (!node.spawn(writes_one(node, c, 3, 5), id))
        co_return Status::failed;
    const ChannelGuard<int> guards[] = {on(a), on(b), on(c)};
    tell(std::to_string(co_await alt(node, std::span<const ChannelGuard<int>>{guards})));
    tell(std::to_string(co_await c.read()));
    co_return co_await node.join(id);
}

TEST(Alt, WorksOverAnArrayOfGuards) {
    Trial run{over_an_array};
    EXPECT_EQ(story, (std::vector<std::string>{"2", "3"}));
}

Process waits_by_timer(Kernel& node) {
    ON_NODE_0(node);
    Channel<int> never{node};
    co_await alt(node, on(never), after(node, 12 * kUnit));
    tell(std::to_string(node.now() / kUnit));
    co_return Status::ok;
}

TEST(Alt, AProcessThatWaitedForTheTimerIsAsLateAsOneThatSlept) {
    Trial run{waits_by_timer};
    EXPECT_EQ(story, (std::vector<std::string>{"12"}));
}

// Without memory ----------------------------------------------------------------------------------

Task<Status> deeper(Kernel& node, unsigned levels) {
    if (levels == 0)
        co_return Status::ok;
    co_return co_await deeper(node, levels - 1);
}

Process goes_deep(Kernel& node) {
    ON_NODE_0(node);
    const Status shallow = co_await deeper(node, 3);
    const Status deep = co_await deeper(node, 100'000);
    tell(shallow == Status::ok && deep == Status::no_memory ? "right" : "wrong");
    co_return co_await deeper(node, 3);
}

TEST(Process, ACallThatTheArenaCannotHoldGivesNoMemoryAndFreesWhatItTook) {
    Trial run{goes_deep};
    EXPECT_EQ(story, (std::vector<std::string>{"right"}));
    EXPECT_EQ(run.report().status, 0u);
}

TEST(Process, AProgramThatTheArenaCannotHoldIsReportedAsNoMemory) {
    Trial run{spawns_three, 64};
    EXPECT_EQ(run.report().done, 1u);
    EXPECT_EQ(run.report().status, static_cast<std::uint32_t>(Status::no_memory));
}

Process spawns_until_no(Kernel& node) {
    ON_NODE_0(node);
    bool stop = false;
    unsigned count = 0;
    ProcessId id;
    while (node.spawn(waits_for_ever(node, stop), id))
        ++count;
    tell(std::to_string(count));
    stop = true;
    co_await node.yield();
    co_return co_await node.join(id);
}

TEST(Process, SpawnIsRefusedWhenTheArenaIsExhausted) {
    Trial run{spawns_until_no, 1024};
    ASSERT_EQ(story.size(), 1u);
    EXPECT_LT(std::stoul(story.front()), limits::kProcessesMax - 1);
    EXPECT_EQ(run.report().done, 1u);
    EXPECT_LE(run.report().counters[static_cast<std::size_t>(Counter::arena_bytes_max)], 1024u);
}

} // namespace process_test
} // namespace mesh::test
