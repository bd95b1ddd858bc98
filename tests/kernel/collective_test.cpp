// Barriers that nobody leaves early, broadcasts that lose exactly the subtree behind a cut link,
// and collectives that run out of memory.
#include "collectives/barrier.hpp"
#include "collectives/broadcast.hpp"
#include "kernel/api/message.hpp"
#include "ops/parameters.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <string>
#include <vector>

mesh::Process app_main_job(mesh::Kernel& kernel);

namespace mesh::test {
namespace collective_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr Noise kLoud{.drop = 0.2, .corrupt = 0.1, .twice = 0.05, .swap = 0.1};

// Barrier -----------------------------------------------------------------------------------------

constexpr unsigned kRounds = 4;
struct Meeting {
    unsigned seed = 0;
    unsigned came[kRounds] = {};
    std::vector<std::string> faults{};
};
Meeting meeting;

constexpr Network kOtherNetworks[] = {{Topology::uhc, 2}, {Topology::uhc, 3},  {Topology::uhc, 4},
                                      {Topology::uhc, 5}, {Topology::star, 3}, {Topology::star, 4}};

Process meets(Kernel& node) {
    for (unsigned round = 0; round < kRounds; ++round) {
        std::minstd_rand random{meeting.seed * 1000 + index(node.id()) * 10 + round + 1};
        co_await node.sleep((random() >> 8) % 20 * kUnit);
        ++meeting.came[round];
        if (co_await barrier(node) != Status::ok)
            co_return Status::failed;
        if (meeting.came[round] != node.nodes())
            meeting.faults.push_back("node " + std::to_string(index(node.id())) + " left round " +
                                     std::to_string(round) + " early");
    }
    co_return Status::ok;
}

void expect_meeting(Network network, unsigned seed, const Noise& noise) {
    meeting = {.seed = seed};
    Rig rig{network, meets, 100, seed};
    rig.noise = noise;
    rig.shuffle = true;
    rig.run({});
    EXPECT_TRUE(meeting.faults.empty()) << meeting.faults.front() << ", seed " << seed;
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_EQ(rig.report(id).done, 1u) << "node " << id << ", seed " << seed;
        EXPECT_EQ(rig.report(id).status, 0u) << "node " << id << ", seed " << seed;
    }
}

TEST(Barrier, NobodyLeavesBeforeAllHaveCome) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
        for (std::uint8_t dim = 1; dim <= 6; ++dim)
            expect_meeting({Topology::cube, dim}, seed, {});
        for (const Network network : kOtherNetworks)
            expect_meeting(network, seed, {});
    }
}

TEST(Barrier, NobodyLeavesBeforeAllHaveComeOnNoisyCables) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
        for (std::uint8_t dim = 1; dim <= 4; ++dim)
            expect_meeting({Topology::cube, dim}, seed, kLoud);
        expect_meeting({Topology::uhc, 3}, seed, kLoud);
        expect_meeting({Topology::uhc, 4}, seed, kLoud);
        expect_meeting({Topology::star, 3}, seed, kLoud);
    }
}

TEST(Barrier, TakesTheStepsOfItsDimension) {
    for (std::uint8_t dim = 1; dim <= 6; ++dim)
        for (const PortModel ports : {PortModel::all, PortModel::duplex, PortModel::half}) {
            Rig rig{{Topology::cube, dim}, app_main_job, 100};
            rig.run({.op = wire::Op::barrier, .ports = ports});
            for (std::uint32_t id = 0; id < rig.size(); ++id)
                EXPECT_EQ(rig.report(id).finish_time / kUnit,
                          ports == PortModel::half ? 2u * dim : dim)
                    << "node " << id << ", n = " << int{dim};
            EXPECT_EQ(rig.total(Counter::packets_sent), rig.size() * dim);
        }
}

TEST(Barrier, ElsewhereSendsOncePerLinkAndRoundOfTheDiameter) {
    for (const Network network : kOtherNetworks) {
        Rig rig{network, app_main_job, 100};
        rig.run({.op = wire::Op::barrier});
        std::uint64_t links = 0;
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            links += static_cast<unsigned>(std::popcount(out_ports(network, node_at(id))));
            EXPECT_EQ(rig.report(id).finish_time / kUnit, diameter(network)) << "node " << id;
        }
        EXPECT_EQ(rig.total(Counter::packets_sent), links * diameter(network));
    }
}

// Broadcast ---------------------------------------------------------------------------------------

TEST(Broadcast, OverACutLinkLosesExactlyTheSubtreeBehindIt) {
    const Network network{Topology::cube, 3};
    for (const Rule tree : {Rule::sbt, Rule::bs, Rule::hp})
        for (const std::uint32_t root : {0u, 6u})
            for (std::uint32_t child = 0; child < 8; ++child) {
                if (child == root)
                    continue;
                const auto up = [&](std::uint32_t node) {
                    return parent(network, tree, 0, node_at(root), node_at(node));
                };
                Rig rig{network, app_main_job, 40};
                rig.is_cut = [&](NodeId from, Port port) {
                    const NodeId to = neighbor(network, from, port);
                    return rig.started && port == up(child) &&
                           (from == node_at(child) || to == node_at(child));
                };
                rig.run(
                    {.op = wire::Op::bcast, .rule = tree, .root = root, .message_bytes = 60'000});
                for (std::uint32_t id = 0; id < 8; ++id) {
                    std::uint32_t at = id;
                    while (at != root && at != child)
                        at = index(neighbor(network, node_at(at), up(at)));
                    EXPECT_EQ(rig.report(id).done, 1u);
                    EXPECT_EQ(static_cast<Status>(rig.report(id).status),
                              at == root ? Status::ok : Status::unreachable)
                        << name(tree) << " root " << root << " cut above " << child << " node "
                        << id;
                }
                EXPECT_GE(rig.total(Counter::links_dead), 1u); // its other end looks for the root
                EXPECT_GE(rig.total(Counter::drop_dead_link), 59u);
            }
}

Process broadcasts_badly(Kernel& node) {
    std::array<std::byte, 16> buffer{};
    const BroadcastPlan no_root{.root = node_at(2), .total_bytes = 16};
    const BroadcastPlan no_tree{.tree = Rule::unicast, .total_bytes = 16};
    const BroadcastPlan no_room{.total_bytes = 17};
    BroadcastPlan other_network{.total_bytes = 16};
    other_network.tree = static_cast<Rule>(200);
    const std::array<const BroadcastPlan*, 4> bad{&no_root, &no_tree, &no_room, &other_network};
    for (const BroadcastPlan* plan : bad) {
        const Status status = co_await broadcast(node, *plan, buffer);
        if (status != Status::bad_argument)
            co_return Status::failed;
    }
    co_return Status::ok;
}

TEST(Broadcast, WithBadArgumentsIsRefusedAtOnce) {
    Rig rig{{Topology::cube, 1}, broadcasts_badly, 40};
    rig.run({});
    EXPECT_EQ(rig.report(0).done + rig.report(1).done, 2u);
    EXPECT_EQ(rig.report(0).status + rig.report(1).status, 0u);
    EXPECT_EQ(rig.total(Counter::packets_injected), 0u);
}

std::deque<std::vector<std::byte>> memory; // outlives processes that never end

Process broadcasts_bytes(Kernel& node) {
    auto& buffer = memory.emplace_back(5000);
    const bool is_root = index(node.id()) == 1;
    for (std::size_t at = 0; is_root && at < buffer.size(); ++at)
        buffer[at] = static_cast<std::byte>(at * 3);
    const BroadcastPlan plan{
        .root = node_at(1), .total_bytes = 5000, .packet_bytes = 300, .tag = 4};
    const Status status = co_await broadcast(node, plan, buffer);
    if (status != Status::ok)
        co_return status;
    for (std::size_t at = 0; at < buffer.size(); ++at)
        if (buffer[at] != static_cast<std::byte>(at * 3))
            co_return Status::failed;
    co_return Status::ok;
}

TEST(Broadcast, GivesEveryNodeTheBytesOfTheRoot) {
    memory.clear();
    Rig rig{{Topology::cube, 3}, broadcasts_bytes, 40};
    rig.noise = kLoud;
    rig.run({});
    for (std::uint32_t id = 0; id < 8; ++id) {
        EXPECT_EQ(rig.report(id).done, 1u);
        EXPECT_EQ(rig.report(id).status, 0u);
    }
}

TEST(Broadcast, InAPoolThatIsTooSmallForItsPathsSaysSo) {
    const Network network{Topology::cube, 4};
    for (std::size_t buffers = 5; buffers <= 30; ++buffers) {
        Rig rig{network, app_main_job, buffers};
        rig.run({.op = wire::Op::bcast, .rule = Rule::hp, .message_bytes = 5000});
        const bool enough =
            buffers - limits::offers_max(static_cast<unsigned>(buffers)) - 1 >= 15 + 1 + 2;
        EXPECT_EQ(rig.report(0).done, 1u) << buffers;
        EXPECT_EQ(rig.report(0).status,
                  static_cast<std::uint32_t>(enough ? Status::ok : Status::no_memory))
            << buffers;
    }
}

// When the arena cannot hold a part of a program any more, some node says so, and nothing breaks.

Process uses_everything(Kernel& node) {
    auto& buffer = memory.emplace_back(3000);
    Status status = co_await barrier(node);
    if (status == Status::ok && index(node.id()) == 0)
        status = co_await send(node, node_at(1), {}, buffer);
    if (status == Status::ok && index(node.id()) == 1)
        status = (co_await receive(node, buffer)).status;
    const BroadcastPlan plan{.total_bytes = 3000, .tag = 4};
    if (status == Status::ok)
        status = co_await broadcast(node, plan, buffer);
    co_return status;
}

TEST(Arena, OfAnySizeEndsInNoMemoryOrInSuccess) {
    bool ever_ok = false, ever_not = false;
    for (std::size_t bytes = 0; bytes <= 12 * 1024; bytes += Arena::kGrain) {
        memory.clear();
        Rig rig{{Topology::cube, 1}, uses_everything, 40, 1, bytes};
        rig.run({});
        unsigned ok = 0, no_memory = 0;
        for (std::uint32_t id = 0; id < 2; ++id) {
            const wire::NodeReport report = rig.report(id);
            ok += report.done != 0 && report.status == 0 ? 1 : 0;
            no_memory +=
                report.done != 0 && report.status == static_cast<std::uint32_t>(Status::no_memory)
                    ? 1
                    : 0;
        }
        EXPECT_TRUE(ok == 2 || no_memory > 0) << "arena of " << bytes << " bytes";
        ever_ok = ever_ok || ok == 2;
        ever_not = ever_not || ok == 0;
    }
    EXPECT_TRUE(ever_ok && ever_not);
}

// Memory ------------------------------------------------------------------------------------------

Task<std::uint32_t> depth(Kernel& node, std::uint32_t left) {
    if (left == 0)
        co_return 0;
    const std::uint32_t below = co_await depth(node, left - 1);
    co_return below + 1;
}
std::uint32_t deepest = 0;
Process goes_too_deep(Kernel& node) {
    deepest = co_await depth(node, 100'000);
    co_return Status::ok;
}

TEST(Task, ThatCannotSayThatThereIsNoMemoryEndsTheProgram) {
    deepest = 0;
    Rig rig{{Topology::cube, 1}, goes_too_deep};
    rig.run({});
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_EQ(rig.report(id).done, 1u);
        EXPECT_EQ(rig.report(id).status, static_cast<std::uint32_t>(Status::no_memory));
    }
    EXPECT_EQ(deepest, 0u); // no wrong number comes out
}

TEST(Job, ThatNeedsMoreWorkspaceThanTheBoardHasIsRefused) {
    for (const wire::Op op : {wire::Op::scatter, wire::Op::gather, wire::Op::allgather,
                              wire::Op::alltoall, wire::Op::allreduce, wire::Op::scan}) {
        Rig rig{{Topology::cube, 3}, app_main_job}; // 4 KiB of workspace
        wire::Job job{.op = op, .message_bytes = 16'384};
        if (op != wire::Op::allreduce && op != wire::Op::scan)
            set_parameters(job, PersonalParameters{Schedule::level});
        rig.run(job);
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            EXPECT_EQ(rig.report(id).done, 1u);
            EXPECT_EQ(rig.report(id).status, static_cast<std::uint32_t>(Status::no_memory));
        }
    }
}

} // namespace collective_test
} // namespace mesh::test
