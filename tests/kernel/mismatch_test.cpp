// Nodes that call one collective with different plans: a node that has not got the data of its own
// plan is told so, no byte outside its buffer changes, and nothing stays behind in the pool.
#include "collectives/barrier.hpp"
#include "collectives/broadcast.hpp"
#include "collectives/personalised.hpp"
#include "collectives/reduction.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
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

// A broadcast with different plans, then one with the same tag whose plan all agree on.
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

enum class What { reduce, allreduce, scan };
struct Plans {
    What what;
    ReducePlan most, odd; // of all nodes, and of the odd ones
    std::uint32_t odd_from, odd_to;
};
Plans reductions;

Task<Status> reduces(Kernel& node, const ReducePlan& plan, std::span<std::byte> buffer) {
    const ScanPlan prefixes{plan.total_bytes, plan.packet_bytes, plan.tag, plan.combiner};
    switch (reductions.what) {
    case What::reduce: return reduce(node, plan, buffer);
    case What::allreduce: return allreduce(node, plan, buffer);
    case What::scan: break;
    }
    return scan(node, prefixes, buffer);
}

// A reduction with different plans, then one with the same tag whose plan all agree on. The nodes
// then work for long, so that no node can tell from another's end that its packet will not come.
Process reduces_twice(Kernel& node) {
    const std::uint32_t self = index(node.id());
    const bool odd = self >= reductions.odd_from && self < reductions.odd_to;
    const ReducePlan plan = odd ? reductions.odd : reductions.most;
    std::array<std::uint32_t, 64> words{};
    words.fill(1);
    const auto buffer = std::as_writable_bytes(std::span{words});
    Outcome& outcome = outcomes[self];
    outcome.first = co_await reduces(node, plan, buffer.first(plan.total_bytes));
    outcome.guard_intact = words[0] == node.nodes();
    words.fill(1);
    ReducePlan agreed = reductions.most;
    agreed.tag = static_cast<Tag>(agreed.tag + (reductions.what == What::reduce ? 0 : 2));
    outcome.second = co_await reduce(node, agreed, buffer.first(agreed.total_bytes));
    if (node.id() == agreed.root && words[0] != node.nodes())
        outcome.second = Status::failed;
    co_await node.wait_until([] { return false; });
    co_return Status::ok;
}

// Roots, trees, sizes, cuts and buffers: of one node, of a half, of all but one.
void expect_named(Network network, Rule tree, const ReducePlan& odd_plan, PortModel ports) {
    const Combiner sum = *combiner(Operator::sum, ElementType::u32);
    const std::uint32_t nodes = node_count(network);
    reductions.most = {
        .tree = tree, .total_bytes = 128, .packet_bytes = 32, .tag = 1, .combiner = sum};
    reductions.odd = odd_plan;
    for (const auto& [from, to] : {std::pair{3u, 4u}, std::pair{0u, nodes / 2}, {1u, nodes}}) {
        reductions.odd_from = from;
        reductions.odd_to = to;
        outcomes = {};
        Rig rig{network, reduces_twice};
        rig.run({.ports = ports});
        rig.finish(900'000'000);
        for (std::uint32_t id = 0; id < nodes; ++id) {
            const std::string who = std::string{name(tree)} + ", " +
                                    std::string{name(odd_plan.tree)} + " root " +
                                    std::to_string(index(odd_plan.root)) + " from " +
                                    std::to_string(from) + ", node " + std::to_string(id);
            EXPECT_NE(outcomes[id].first, Status::failed) << who; // it has ended
            const bool has_all = reductions.what != What::reduce;
            EXPECT_TRUE(outcomes[id].first != Status::ok || !has_all) << who;
            EXPECT_EQ(outcomes[id].second, Status::ok) << who;
        }
    }
}

TEST(Reduction, OfDifferentPlansEndsEverywhereAndTheNextOneIsRight) {
    const Combiner sum = *combiner(Operator::sum, ElementType::u32);
    struct Trees {
        Network network;
        Rule tree, other;
    };
    for (const What what : {What::reduce, What::allreduce, What::scan})
        for (const PortModel ports : {PortModel::all, PortModel::half})
            for (const Trees& one : {Trees{{Topology::cube, 3}, Rule::sbt, Rule::hp},
                                     Trees{{Topology::cube, 3}, Rule::msbt, Rule::sbt},
                                     Trees{{Topology::uhc, 3}, Rule::ist, Rule::bt1},
                                     Trees{{Topology::star, 3}, Rule::edt, Rule::spt}}) {
                if (what == What::scan && one.network.topology != Topology::cube)
                    continue;
                reductions.what = what;
                const ReducePlan same{.tree = one.tree,
                                      .total_bytes = 128,
                                      .packet_bytes = 32,
                                      .tag = 1,
                                      .combiner = sum};
                ReducePlan fewer = same, other_cut = same, root = same, tree = same, bad = same;
                fewer.total_bytes = 64;
                other_cut.packet_bytes = 64;
                root.root = node_at(5);
                tree.tree = one.other;
                bad.total_bytes = 126; // part of an element
                for (const ReducePlan& odd : {fewer, other_cut, bad})
                    expect_named(one.network, one.tree, odd, ports);
                for (const ReducePlan& odd : {root, tree})
                    if (what != What::scan)
                        expect_named(one.network, one.tree, odd, ports);
            }
}

// Two at once -------------------------------------------------------------------------------------

using Collective = Task<Status> (*)(Kernel& node, std::span<std::byte> memory);
Collective collective;
constexpr std::uint32_t kRoom = 8192; // more than a broadcast may run ahead

Process runs(Kernel& node, std::span<std::byte> memory) {
    const Status status = co_await collective(node, memory);
    co_return status;
}

// Two processes of each node call it alike, then a third one when both are through.
Process runs_two_at_once(Kernel& node) {
    std::vector<std::byte> both(2 * kRoom);
    const std::span memory{both};
    ProcessId first, second;
    if (!node.spawn(runs(node, memory.first(kRoom)), first) ||
        !node.spawn(runs(node, memory.last(kRoom)), second))
        co_return Status::no_memory;
    Outcome& outcome = outcomes[index(node.id())];
    const Status refused = co_await node.join(second);
    outcome.first = co_await node.join(first);
    const Status third = co_await runs(node, memory.first(kRoom));
    outcome.second = refused == Status::tag_in_use ? third : Status::failed;
    co_return Status::ok;
}

TEST(Collectives, OfOneTagAtOnceAreRefusedUntilTheFirstHasEnded) {
    static const Combiner sum = *combiner(Operator::sum, ElementType::u32);
    static const ReducePlan sums{.total_bytes = 8, .tag = 4, .combiner = sum};
    static const PersonalPlan blocks{.tree = Rule::sbt,
                                     .schedule = Schedule::level,
                                     .block_bytes = 8,
                                     .packet_bytes = 0,
                                     .tag = 4};
    const Collective all[] = {
        [](Kernel& node, std::span<std::byte>) { return barrier(node, 4); },
        [](Kernel& node, std::span<std::byte> memory) {
            return broadcast(node, {.total_bytes = kRoom, .packet_bytes = 16, .tag = 4}, memory);
        },
        [](Kernel& node, std::span<std::byte> memory) { return reduce(node, sums, memory); },
        [](Kernel& node, std::span<std::byte> memory) { return allreduce(node, sums, memory); },
        [](Kernel& node, std::span<std::byte> memory) {
            return scan(node, {.total_bytes = 8, .tag = 4, .combiner = sum}, memory);
        },
        [](Kernel& node, std::span<std::byte> memory) {
            return exchange(node, blocks, Exchange::allgather, memory);
        },
    };
    for (const Collective& one : all) {
        collective = one;
        outcomes = {};
        Rig rig{{Topology::cube, 2}, runs_two_at_once};
        rig.run({});
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            EXPECT_EQ(outcomes[id].first, Status::ok) << &one - all << " at node " << id;
            EXPECT_EQ(outcomes[id].second, Status::ok) << &one - all << " at node " << id;
        }
    }
}

// A block that is not as large as the root's ------------------------------------------------------

constexpr std::uint32_t kBlockBytes = 40;

void fill_scattered(const void* number, std::uint32_t position, std::span<std::byte> out) {
    const auto first = static_cast<std::byte>(*static_cast<const unsigned*>(number) * 100);
    for (std::size_t at = 0; at < out.size(); ++at)
        out[at] = first ^ sent_byte(position + at);
}

// Two scatters of the same plan. In the first one each node has another idea of its block's size.
Process scatters_twice(Kernel& node) {
    const PersonalPlan plan{.block_bytes = kBlockBytes, .packet_bytes = 16, .tag = 3};
    Outcome& outcome = outcomes[index(node.id())];
    for (unsigned number = 0; number < 2; ++number) {
        if (node.id() == plan.root) {
            const Status sent = co_await scatter_packets(node, plan, {fill_scattered, &number});
            if (sent != Status::ok)
                co_return sent;
            continue;
        }
        const std::uint32_t bytes = number == 0 ? plans.expected : kBlockBytes;
        std::vector<std::byte> memory(bytes);
        (number == 0 ? outcome.first : outcome.second) =
            co_await take_scattered(node, plan, memory);
        outcome.bytes = memory;
    }
    co_return Status::ok;
}

TEST(Scatter, OfABlockThatIsNotAsLargeAsTheRootsSaysSoAndLeavesNothingBehind) {
    for (const Case one : {Case{kBlockBytes, kBlockBytes, 16, Status::ok},
                           {kBlockBytes, 20, 16, Status::truncated},
                           {kBlockBytes, 0, 16, Status::truncated},
                           {kBlockBytes, 60, 16, Status::bad_argument}}) {
        plans = one;
        outcomes = {};
        Rig rig{{Topology::cube, 3}, scatters_twice};
        rig.run({});
        for (std::uint32_t id = 1; id < rig.size(); ++id) {
            EXPECT_EQ(outcomes[id].first, one.verdict) << one.expected << " bytes at node " << id;
            ASSERT_EQ(outcomes[id].second, Status::ok) << one.expected << " bytes at node " << id;
            std::vector<std::byte> right(kBlockBytes);
            const unsigned second = 1;
            fill_scattered(&second, id * kBlockBytes, right);
            EXPECT_EQ(outcomes[id].bytes, right) << one.expected << " bytes at node " << id;
            EXPECT_EQ(rig.kernel(id).mailbox().size(), 0u);
        }
    }
}

// Its second packet has not come.
Process scatters_with_a_gap(Kernel& node) {
    const PersonalPlan plan{.block_bytes = kBlockBytes, .packet_bytes = 16, .tag = 3};
    static constexpr unsigned kNumber = 1;
    for (const std::uint16_t position : {std::uint16_t{0}, std::uint16_t{32}}) {
        if (node.id() != plan.root)
            continue;
        const wire::PacketHeader header{.rule = usual_tree(Topology::cube),
                                        .payload_bytes =
                                            static_cast<std::uint16_t>(position == 0 ? 16 : 8),
                                        .destination = node_at(1),
                                        .tag = plan.tag,
                                        .position = position,
                                        .total_bytes = kBlockBytes,
                                        .call = 2}; // the first one
        co_await node.post(header, {fill_scattered, &kNumber}, kBlockBytes + position);
    }
    if (node.id() == node_at(1)) {
        outcomes[1].bytes.resize(kBlockBytes);
        outcomes[1].first = co_await take_scattered(node, plan, outcomes[1].bytes);
    }
    co_return Status::ok;
}

TEST(Scatter, OfWhichSomethingWasLostSaysSoAndPutsTheRestWhereItBelongs) {
    outcomes = {};
    Rig rig{{Topology::cube, 1}, scatters_with_a_gap};
    rig.run({});
    EXPECT_EQ(outcomes[1].first, Status::unreachable);
    std::vector<std::byte> right(kBlockBytes);
    const unsigned number = 1;
    fill_scattered(&number, kBlockBytes, right);
    std::fill(right.begin() + 16, right.begin() + 32, std::byte{0});
    EXPECT_EQ(outcomes[1].bytes, right);
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
