// Two priorities: a high process that can run goes before all low ones between any two waits,
// whatever it waits for, and the links have their turn whatever high ones do.
#include "kernel/api/channel.hpp"
#include "kernel/api/within.hpp"
#include "library/parallel.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mesh::test {
namespace priority_test {

std::vector<std::string> story; // what the processes of the running test did, in order

void tell(std::string what) { story.push_back(std::move(what)); }

/// Runs `program` on node 0 of a 1-cube.
struct Trial {
    explicit Trial(Program program) : rig{{Topology::cube, 1}, program, 32} {
        story.clear();
        rig.run({});
        EXPECT_EQ(rig.report(0).done, 1u);
        EXPECT_EQ(rig.report(0).status, 0u);
    }
    Rig rig;
};

#define ON_NODE_0(node)                                                                            \
    if (index((node).id()) != 0)                                                                   \
    co_return Status::ok

// What a high process may wait for; a low one makes it come.
struct Ends {
    explicit Ends(Kernel& node) : channel{node}, back{node}, stop{node} {}
    Channel<int> channel, back;
    Stop stop;
    bool flag = false;
};

constexpr Tag kTag = 5;

Process begins(Kernel& node, Ends& ends, unsigned way) {
    int value = 1;
    switch (way) {
    case 0: co_await ends.channel.write(1); break;
    case 1: value = co_await ends.back.read(); break;
    case 2: ends.flag = true; break;
    case 3: ends.stop.pull(); break;
    case 4: {
        const Status sent =
            co_await send(node, node.id(), {.tag = kTag}, std::as_bytes(std::span{&value, 1}));
        value = sent == Status::ok ? 1 : 0;
        break;
    }
    default: break; // to end is enough
    }
    tell("begun");
    co_return value == 1 ? Status::ok : Status::failed;
}

Process waits(Kernel& node, Ends& ends, unsigned way, ProcessId other) {
    int value = 1;
    if (way == 0)
        value = co_await ends.channel.read();
    if (way == 1)
        co_await ends.back.write(1);
    if (way == 2)
        co_await node.wait_until([&ends] { return ends.flag; });
    if (way == 3)
        std::ignore = co_await unless(node, on(ends.stop), ends.channel.read());
    if (way == 4)
        std::ignore =
            co_await receive(node, std::as_writable_bytes(std::span{&value, 1}), node.id(), kTag);
    if (way == 5)
        value = co_await node.end_of(other) == Status::ok ? 1 : 0;
    tell("high");
    co_return value == 1 ? Status::ok : Status::failed;
}

Process says(Kernel&, std::string name) {
    tell(name);
    co_return Status::ok;
}

unsigned way = 0;

// The low process that begins is in the slot before that of the other low one, the high one last.
Process one_high(Kernel& node) {
    ON_NODE_0(node);
    Ends ends{node};
    ProcessId first, second, high;
    if (!node.spawn(begins(node, ends, way), first) || !node.spawn(says(node, "low"), second) ||
        !node.spawn(waits(node, ends, way, first), high))
        co_return Status::failed;
    node.set_priority(high, Priority::high);
    Status all = co_await node.join(high);
    for (const ProcessId id : {first, second}) {
        const Status verdict = co_await node.end_of(id);
        all = all == Status::ok ? verdict : all;
    }
    co_return all;
}

TEST(Priority, AHighProcessThatCanRunGoesBeforeTheNextLowOneWhateverItWaitsFor) {
    for (way = 0; way < 6; ++way) {
        Trial run{one_high};
        std::erase(story, "begun");
        EXPECT_EQ(story, (std::vector<std::string>{"high", "low"})) << way;
    }
}

Process says_and_spawns(Kernel& node, std::string name) {
    tell(name);
    if (!node.spawn(says(node, name + "'s child")))
        co_return Status::no_memory;
    co_await node.yield();
    tell(name + " again");
    co_return Status::ok;
}

Process both_spawn(Kernel& node) {
    ON_NODE_0(node);
    const Status all = co_await pri_par(node, says_and_spawns(node, "high"), says(node, "low"),
                                        says(node, "other"));
    co_return all;
}

TEST(Priority, OfPriParTheFirstIsHighAndSoIsWhatItSpawns) {
    Trial run{both_spawn};
    EXPECT_EQ(story,
              (std::vector<std::string>{"high", "high's child", "low", "other", "high again"}));
}

Process changes(Kernel& node, std::string name, Priority at_first, Priority then) {
    node.set_priority(at_first);
    co_await node.yield();
    tell(name);
    node.set_priority(then);
    co_await node.yield();
    tell(name);
    co_return Status::ok;
}

Process two_that_change(Kernel& node) {
    ON_NODE_0(node);
    const Status all = co_await par(node, changes(node, "a", Priority::low, Priority::high),
                                    changes(node, "b", Priority::high, Priority::low));
    co_return all;
}

TEST(Priority, AProcessMayChangeItsOwn) {
    Trial run{two_that_change};
    EXPECT_EQ(story, (std::vector<std::string>{"b", "a", "a", "b"}));
}

// The next process in a slot has no priority of the one before: else "b" would be first.
Process uses_a_slot_again(Kernel& node) {
    ON_NODE_0(node);
    ProcessId low, high;
    if (!node.spawn(says(node, "low"), low) || !node.spawn(says(node, "high"), high))
        co_return Status::no_memory;
    node.set_priority(high, Priority::high);
    const Status first = co_await node.join(high);
    const Status second = co_await node.join(low);
    const Status then = co_await par(node, says(node, "a"), says(node, "b"));
    co_return first == Status::ok&& second == Status::ok ? then : Status::failed;
}

TEST(Priority, EndsWithItsProcess) {
    Trial run{uses_a_slot_again};
    EXPECT_EQ(story, (std::vector<std::string>{"high", "low", "a", "b"}));
}

// High ones that never rest -----------------------------------------------------------------------

constexpr unsigned kRounds = 1000;
unsigned rounds = 0;

Process plays(Kernel&, Channel<int>& channel, bool serves) {
    for (unsigned count = 0; count < kRounds; ++count, rounds += serves ? 1 : 0)
        if (serves)
            co_await channel.write(1);
        else
            std::ignore = co_await channel.read();
    co_return Status::ok;
}

Process counts(Kernel& node, unsigned& count) {
    for (; count < 3; ++count) {
        tell(rounds < kRounds ? "early" : "low");
        co_await node.yield();
    }
    co_return Status::ok;
}

Process plays_for_long(Kernel& node) {
    ON_NODE_0(node);
    rounds = 0;
    unsigned count = 0;
    Channel<int> channel{node};
    const Status all =
        co_await pri_par(node, par(node, plays(node, channel, true), plays(node, channel, false)),
                         counts(node, count));
    co_return all;
}

TEST(Priority, HighOnesThatNeverRestLetTheLinksWorkAndNoLowOneRun) {
    story.clear();
    Rig rig{{Topology::cube, 1}, plays_for_long, 32};
    rig.boot();
    rig.tell(0, wire::HostTag::job, wire::bytes_of(wire::Job{.op = wire::Op::app}));
    rig.tell(0, wire::HostTag::start, {});
    rig.settle(); // no time passes
    EXPECT_LT(rounds, 200u);
    rig.finish();
    EXPECT_EQ(rounds, kRounds);
    EXPECT_EQ(story, (std::vector<std::string>{"low", "low", "low"}));
    EXPECT_EQ(rig.report(0).status, 0u);
}

// Each turn of a low process begins work of high ones that takes more than one turn of the node.
Process asks_for_play(Kernel&, Channel<int>& begin, std::string name) {
    for (unsigned count = 0; count < 3; ++count) {
        tell(name);
        co_await begin.write(1);
    }
    co_return Status::ok;
}

Process plays_on_demand(Kernel& node, Channel<int>& a, Channel<int>& b) {
    for (unsigned count = 0; count < 6; ++count) {
        const auto which = co_await alt(node, on(a), on(b));
        if (which == 0)
            std::ignore = co_await a.read();
        else
            std::ignore = co_await b.read();
        Channel<int> channel{node};
        const Status played =
            co_await par(node, plays(node, channel, true), plays(node, channel, false));
        if (played != Status::ok)
            co_return played;
    }
    co_return Status::ok;
}

Process plays_between(Kernel& node) {
    ON_NODE_0(node);
    Channel<int> a{node}, b{node};
    const Status all = co_await pri_par(node, plays_on_demand(node, a, b),
                                        asks_for_play(node, a, "a"), asks_for_play(node, b, "b"));
    co_return all;
}

TEST(Priority, LowOnesTakeTurnsHoweverLongHighOnesWorkBetweenThem) {
    Trial run{plays_between};
    EXPECT_EQ(story, (std::vector<std::string>{"a", "b", "a", "b", "a", "b"}));
}

} // namespace priority_test
} // namespace mesh::test
