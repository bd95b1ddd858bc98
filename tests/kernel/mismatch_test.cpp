// Nodes that call one collective with different plans: whoever has not got what its own plan says
// is told so, no byte outside its buffer changes, and nothing stays behind in the pool.
#include "collectives/broadcast.hpp"
#include "collectives/personalised.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace mesh::test {
namespace {

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

} // namespace
} // namespace mesh::test
