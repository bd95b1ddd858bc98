// Nodes that call one collective with different plans: whoever has not got what its own plan says
// is told so, no byte outside its buffer changes, and nothing stays behind in the pool.
#include "collectives/barrier.hpp"
#include "collectives/broadcast.hpp"
#include "collectives/personalised.hpp"
#include "collectives/reduction.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace mesh::test {
namespace mismatch_test {

struct Case {
    std::uint32_t sent, expected; // bytes
    std::uint32_t packet_bytes;
    Status verdict;
};

struct Outcome {
    Status first = Status::failed, second = Status::failed;
    std::vector<std::byte> bytes{};
    bool guard_intact = false;
};

Case plans;
std::array<Outcome, 8> outcomes;

constexpr std::byte kGuard{0xA5};
std::byte sent_byte(std::size_t at) { return static_cast<std::byte>(at * 7 + 1); }

// The broadcast of different plans, and one behind it with the same tag that all agree on.
Process broadcasts_twice(Kernel& node) {
    const bool is_root = index(node.id()) == 0;
    Outcome& outcome = outcomes[index(node.id())];
    const std::uint32_t bytes = is_root ? plans.sent : plans.expected;
    std::vector<std::byte> memory(bytes + 64, kGuard);
    const auto buffer = std::span{memory}.first(bytes);
    for (std::size_t at = 0; is_root && at < bytes; ++at)
        buffer[at] = sent_byte(at);
    const BroadcastPlan plan{.total_bytes = bytes, .packet_bytes = plans.packet_bytes, .tag = 3};
    outcome.first = co_await broadcast(node, plan, buffer);
    outcome.bytes.assign(buffer.begin(), buffer.end());
    outcome.guard_intact = std::all_of(memory.begin() + bytes, memory.end(),
                                       [](std::byte byte) { return byte == kGuard; });
    std::array<std::byte, 8> last{std::byte{is_root}};
    const BroadcastPlan agreed{.total_bytes = 8, .tag = 3};
    outcome.second = co_await broadcast(node, agreed, last);
    if (outcome.second == Status::ok && last[0] != std::byte{1})
        outcome.second = Status::failed;
    co_return Status::ok;
}

TEST(Broadcast, OfAnotherSizeThanExpectedSaysSoAndWritesNothingOutside) {
    for (const Case& one :
         {Case{64, 16, 1024, Status::truncated}, Case{5000, 16, 1024, Status::truncated},
          Case{5000, 1500, 300, Status::truncated}, Case{64, 0, 16, Status::truncated},
          Case{16, 64, 16, Status::bad_argument}, Case{0, 16, 1024, Status::bad_argument},
          Case{1024, 4096, 1024, Status::bad_argument}, Case{4096, 4096, 100, Status::ok},
          Case{0, 0, 1024, Status::ok}}) {
        plans = one;
        outcomes = {};
        Rig rig{{Topology::cube, 3}, broadcasts_twice, 40};
        rig.run({});
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            const Outcome& outcome = outcomes[id];
            EXPECT_EQ(outcome.first, id == 0 ? Status::ok : one.verdict)
                << one.sent << " bytes for " << one.expected << " at node " << id;
            EXPECT_EQ(outcome.second, Status::ok);
            EXPECT_TRUE(outcome.guard_intact);
            for (std::size_t at = 0; at < std::min(one.sent, one.expected); ++at)
                ASSERT_EQ(outcome.bytes[at], sent_byte(at)) << at;
            EXPECT_FALSE(rig.kernel(id).has({}));
        }
    }
}

// Node 3 of a square has other blocks than its neighbours.
Process exchanges(Kernel& node) {
    const bool other = index(node.id()) == 3;
    const PersonalPlan plan{.tree = Rule::sbt,
                            .schedule = Schedule::level,
                            .block_bytes = other ? plans.expected : plans.sent,
                            .packet_bytes = 0,
                            .tag = 5};
    outcomes[index(node.id())].first =
        co_await exchange(node, plan, Exchange::alltoall, node.workspace());
    co_return Status::ok;
}

TEST(Exchange, OfBlocksThatDifferInSizeIsNotDoneAndAllEnd) {
    plans = {8, 240, 0, Status::bad_argument};
    outcomes = {};
    Rig rig{{Topology::cube, 2}, exchanges};
    rig.run({});
    EXPECT_EQ(outcomes[3].first, plans.verdict);
    EXPECT_EQ(outcomes[2].first, Status::truncated);
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_EQ(rig.report(id).done, 1u) << id;
        EXPECT_NE(outcomes[id].first, Status::ok) << id;
        EXPECT_FALSE(rig.kernel(id).has({})) << id;
    }
}

// Reductions whose plans differ -------------------------------------------------------------------

struct Plans {
    ReducePlan most, odd; // of all nodes, and of node 3
};
Plans reductions;
template <bool ToAll>
Process reduces(Kernel& node) {
    const ReducePlan plan = index(node.id()) == 3 ? reductions.odd : reductions.most;
    std::array<std::uint32_t, 64> words{};
    words.fill(1);
    const auto buffer = std::as_writable_bytes(std::span{words}).first(plan.total_bytes);
    Outcome& outcome = outcomes[index(node.id())];
    if (ToAll)
        outcome.first = co_await allreduce(node, plan, buffer);
    else
        outcome.first = co_await reduce(node, plan, buffer);
    outcome.guard_intact = words[0] == node.nodes();
    co_return outcome.first;
}

TEST(Reduction, OfDifferentPlansIsNeverOkWithWrongData) {
    const Combiner sum = *combiner(Operator::sum, ElementType::u32);
    const ReducePlan most{.total_bytes = 128, .packet_bytes = 32, .tag = 1, .combiner = sum};
    ReducePlan fewer = most, other_cut = most, other_root = most, other_tree = most;
    fewer.total_bytes = 64;
    other_cut.packet_bytes = 64;
    other_root.root = node_at(5);
    other_tree.tree = Rule::sbnt_minr;
    for (const ReducePlan& odd : {fewer, other_cut, other_root, other_tree}) {
        reductions = {most, odd};
        outcomes = {};
        Rig rig{{Topology::cube, 3}, reduces<true>};
        rig.run({});
        rig.finish(900'000'000);
        unsigned ok = 0;
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            const bool same_ways = odd.root == most.root && odd.tree == most.tree;
            EXPECT_TRUE(rig.report(id).done != 0 || !same_ways) << id; // else some wait in a circle
            EXPECT_TRUE(outcomes[id].first != Status::ok || outcomes[id].guard_intact) << id;
            ok += outcomes[id].first == Status::ok ? 1 : 0;
        }
        EXPECT_EQ(ok, 0u);
    }
}

// A node that does not join -----------------------------------------------------------------------

Process all_but_3_meet(Kernel& node) {
    if (index(node.id()) == 3)
        co_return Status::ok;
    outcomes[index(node.id())].first = co_await barrier(node);
    co_return Status::ok;
}

TEST(Barrier, ThatOneNodeSkipsIsUnreachableForAllOthers) {
    for (const Network network : {Network{Topology::cube, 3}, Network{Topology::star, 3}}) {
        outcomes = {};
        Rig rig{network, all_but_3_meet};
        rig.run({});
        rig.finish(900'000'000);
        for (std::uint32_t id = 0; id < rig.size(); ++id)
            EXPECT_TRUE(id == 3 || outcomes[id].first == Status::unreachable) << id;
    }
}

} // namespace mismatch_test
} // namespace mesh::test
