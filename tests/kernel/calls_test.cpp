// Collectives one after the other under one tag: none takes a packet of another, however late nodes
// are, and a loss in one has no effect on the next.
#include "call_sequence.hpp"
#include "collectives/barrier.hpp"
#include "collectives/copies.hpp"
#include "collectives/personalised.hpp"
#include "collectives/reduction.hpp"
#include "kernel/api/message.hpp"
#include "library/group.hpp"
#include "rig.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace mesh::test {
namespace calls_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr Network kCube{Topology::cube, 3};
constexpr Network kStar{Topology::star, 4};
constexpr std::array kNetworks{kCube, kStar, Network{Topology::uhc, 3}};

std::uint32_t late_node = 0;

/// Runs a program to its end at all nodes.
void expect_ok(Network network, Program program, std::size_t buffers = 320) {
    Rig rig{network, program, buffers, 1, 64 * 1024};
    rig.shuffle = true;
    rig.run({});
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_EQ(rig.report(id).done, 1u) << name(network.topology) << ", node " << id;
        EXPECT_EQ(rig.report(id).status, 0u) << name(network.topology) << ", node " << id;
        EXPECT_EQ(rig.kernel(id).mailbox().size(), 0u) << "left at node " << id;
    }
}

bool are(std::span<const std::byte> bytes, unsigned value) {
    return std::ranges::all_of(bytes, [value](std::byte byte) { return byte == std::byte(value); });
}

// One kind again ----------------------------------------------------------------------------------

Process broadcasts_over_two_trees(Kernel& node) {
    for (unsigned round = 0; round < 2; ++round) {
        std::array<std::byte, 48> bytes{};
        if (index(node.id()) == 0)
            bytes.fill(std::byte(0xA0 + round));
        const BroadcastPlan plan{.tree = round == 0 ? Rule::hp : Rule::sbt, .total_bytes = 48};
        const Status status = co_await broadcast(node, plan, bytes);
        if (status != Status::ok || !are(bytes, 0xA0 + round))
            co_return Status::failed;
    }
    co_return Status::ok;
}

TEST(Calls, BroadcastsOverOneTreeAfterTheOtherKeepTheirBytes) {
    expect_ok(kCube, broadcasts_over_two_trees);
}

Process gathers_copies_twice(Kernel& node) {
    const std::size_t needed = exchange_bytes(node.nodes(), 64);
    std::vector<std::byte> memory(2 * needed);
    std::array<Arrivals, 2> arrivals;
    const PersonalPlan plan{.block_bytes = 64, .tag = 9, .copies = 2};
    const auto value = [](unsigned round, std::uint32_t of) {
        return round == 0 ? of + 1 : 200 - of;
    };
    const auto block = [&](unsigned round, std::uint32_t of) {
        return std::span{memory}.subspan(round * needed + of * 64, 64);
    };
    for (unsigned round = 0; round < 2; ++round) {
        const std::uint32_t self = index(node.id());
        std::ranges::fill(block(round, self), std::byte(value(round, self)));
        const auto whole = std::span{memory}.subspan(round * needed, needed);
        const Status status =
            co_await exchange(node, plan, Exchange::allgather, whole, &arrivals[round]);
        if (status != Status::ok)
            co_return status;
    }
    co_await node.sleep(1000 * kUnit);
    for (unsigned round = 0; round < 2; ++round)
        for (std::uint32_t of = 0; of < node.nodes(); ++of)
            if (!are(block(round, of), value(round, of)) || arrivals[round].disputed != 0)
                co_return Status::failed;
    co_return Status::ok;
}

TEST(Calls, AllgathersOfSeveralCopiesKeepTheirBytes) { expect_ok(kStar, gathers_copies_twice); }

Process broadcasts_copies_twice(Kernel& node) {
    constexpr std::uint32_t kBytes = 1024;
    const BroadcastPlan plan{
        .tree = Rule::msbt, .total_bytes = kBytes, .packet_bytes = 64, .tag = 9};
    std::array<std::vector<std::byte>, 2> bytes, votes;
    std::array<CopyReport, 2> reports;
    for (unsigned round = 0; round < 2; ++round) {
        bytes[round].assign(kBytes, std::byte(node.id() == plan.root ? 0xAA + 17 * round : 0));
        votes[round].resize(vote_bytes(plan));
        const Status status =
            co_await broadcast_copies(node, plan, 2, bytes[round], votes[round], reports[round]);
        if (status != Status::ok)
            co_return status;
    }
    co_await node.sleep(1000 * kUnit);
    const bool right = are(bytes[0], 0xAA) && are(bytes[1], 0xBB);
    const bool all = node.id() == plan.root || reports[1].copies == 2 * plan.packets();
    co_return right&& all ? Status::ok : Status::failed;
}

TEST(Calls, BroadcastsOfSeveralCopiesKeepTheirBytes) { expect_ok(kCube, broadcasts_copies_twice); }

Process gathers_by_packets_twice(Kernel& node) {
    const std::uint32_t nodes = node.nodes(), self = index(node.id());
    const PersonalPlan plan{.block_bytes = 32, .tag = 3};
    for (unsigned round = 0; round < 2; ++round) {
        std::vector<std::byte> blocks(nodes * 32, std::byte(self + 100 * round)), marks(nodes);
        if (self == late_node)
            co_await node.sleep(20 * kUnit);
        Status status = Status::ok;
        if (self == 0)
            status = co_await take_gathered(node, plan, blocks, marks);
        else
            status = co_await gather_packets(node, plan, bytes_in(blocks));
        if (status != Status::ok)
            co_return status;
        for (std::uint32_t of = 0; self == 0 && of < nodes; ++of)
            if (!are(std::span{blocks}.subspan(of * 32, 32), of + 100 * round))
                co_return Status::failed;
    }
    co_return Status::ok;
}

TEST(Calls, GathersByPacketsKeepTheirBytesWhoeverIsLate) {
    for (late_node = 0; late_node < 8; ++late_node)
        expect_ok(kCube, gathers_by_packets_twice);
}

template <Exchange kWhat>
Process exchanges_often(Kernel& node) {
    const std::uint32_t nodes = node.nodes(), self = index(node.id());
    std::vector<std::byte> memory(exchange_bytes(nodes, 64));
    const PersonalPlan plan{.block_bytes = 64, .tag = 9};
    for (unsigned round = 0; round < 4; ++round) {
        std::ranges::fill(std::span{memory}.first(nodes * 64), std::byte(self + 7 * round));
        if (self == late_node)
            co_await node.sleep(10 * kUnit);
        Arrivals arrivals;
        const Status status = co_await exchange(node, plan, kWhat, memory, &arrivals);
        if (status != Status::ok)
            co_return status;
        for (std::uint32_t of = 0; of < nodes; ++of)
            if (!are(std::span{memory}.subspan(of * 64, 64), of + 7 * round))
                co_return Status::failed;
    }
    co_return Status::ok;
}

TEST(Calls, ExchangesByPacketsKeepTheirBytesWhoeverIsLate) {
    for (late_node = 0; late_node < 24; late_node += 5) {
        expect_ok(kStar, exchanges_often<Exchange::allgather>);
        expect_ok(kStar, exchanges_often<Exchange::alltoall>);
    }
}

template <Tag kTag>
Process scans(Kernel& node) {
    std::uint32_t value = 1;
    const ScanPlan plan{
        .total_bytes = 4, .tag = kTag, .combiner = *combiner(Operator::sum, ElementType::u32)};
    const Status status = co_await scan(node, plan, std::as_writable_bytes(std::span{&value, 1}));
    co_return status == Status::ok&& value != index(node.id()) + 1 ? Status::failed : status;
}

TEST(Calls, AScanMayHaveAnyTag) {
    expect_ok({Topology::star, 3}, scans<33279>);
    expect_ok({Topology::star, 3}, scans<0x200>);
}

// The program's own packets and messages ----------------------------------------------------------

Process uses_the_next_tag_itself(Kernel& node) {
    const std::uint32_t self = index(node.id());
    std::uint32_t word = self, sum = self, theirs = 0;
    const ReducePlan plan{
        .total_bytes = 4, .tag = 6, .combiner = *combiner(Operator::sum, ElementType::u32)};
    ProcessId sending;
    if (!node.spawn(send(node, node_at(self ^ 1), {.tag = 7}, std::as_bytes(std::span{&word, 1})),
                    sending))
        co_return Status::no_memory;
    co_await node.post({.destination = node_at(self ^ 1), .tag = 7});
    co_await node.post({.destination = node_at(self ^ 1), .tag = 6});
    Status status = co_await allreduce(node, plan, std::as_writable_bytes(std::span{&sum, 1}));
    const Received got = co_await receive(node, std::as_writable_bytes(std::span{&theirs, 1}));
    const Packet seventh = co_await node.receive({.tag = 7});
    const Packet sixth = co_await node.receive({.tag = 6});
    const Status sent = co_await node.join(sending);
    const bool right = sum == 28 && theirs == (self ^ 1) && got.status == Status::ok;
    if (status == Status::ok)
        status = sent;
    co_return status == Status::ok && !right ? Status::failed : status;
}

TEST(Calls, LeaveTheProgramItsOwnPacketsOfAnyTag) {
    for (const PortModel ports : {PortModel::all, PortModel::half}) {
        Rig rig{kCube, uses_the_next_tag_itself};
        rig.run({.ports = ports});
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            EXPECT_EQ(rig.report(id).done, 1u) << id;
            EXPECT_EQ(rig.report(id).status, 0u) << id;
        }
    }
}

// Late packets ------------------------------------------------------------------------------------

// Sends packets as a call that is over would send them.
Process meets_what_is_old(Kernel& node) {
    if (index(node.id()) == 0) {
        for (unsigned round = 0; round < 3; ++round) {
            const Status met = co_await barrier(node, 5);
            if (met != Status::ok)
                co_return met;
        }
        co_await node.post({.destination = node_at(1), .tag = 5, .message = 1, .call = 2});
        std::array<std::byte, 4> word{};
        const SendOptions old{.tag = 5, .call = 4};
        const Status sent = co_await send(node, node_at(1), old, word);
        co_return sent == Status::unreachable ? Status::ok : Status::failed;
    }
    for (unsigned round = 0; round < 3; ++round) {
        const Status met = co_await barrier(node, 5);
        if (met != Status::ok)
            co_return met;
    }
    co_await node.sleep(100 * kUnit);
    co_return node.counters()[Counter::drop_old_call] >= 2 ? Status::ok : Status::failed;
}

TEST(Calls, WhatComesOfOneThatIsOverIsDroppedAndItsSenderHearsOfIt) {
    expect_ok({Topology::cube, 1}, meets_what_is_old);
}

// Many calls --------------------------------------------------------------------------------------

constexpr unsigned kMany = 1500; // more than there are numbers

Process broadcasts_a_word_often(Kernel& node) {
    if (index(node.id()) == node.nodes() - 1)
        co_await node.sleep(3000 * kUnit);
    for (unsigned round = 0; round < kMany; ++round) {
        std::array<std::byte, 2> word{};
        const NodeId root = node_at(round / 100 % 2);
        if (node.id() == root)
            word = {std::byte(round), std::byte(round >> 8)};
        const Status status =
            co_await broadcast(node, {.root = root, .total_bytes = 2, .tag = 3}, word);
        if (status != Status::ok)
            co_return status;
        if (word != std::array{std::byte(round), std::byte(round >> 8)})
            co_return Status::failed;
    }
    co_return Status::ok;
}

TEST(Calls, ManyShortOnesNeverFillALateNode) {
    constexpr unsigned kBuffers = 80;
    for (const Network network : kNetworks) {
        Rig rig{network, broadcasts_a_word_often, kBuffers};
        rig.run({});
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            EXPECT_EQ(rig.report(id).done, 1u) << name(network.topology) << ", node " << id;
            EXPECT_EQ(rig.report(id).status, 0u) << name(network.topology) << ", node " << id;
        }
        const auto used = rig.report(rig.size() - 1)
                              .counters[static_cast<std::size_t>(Counter::buffers_used_max)];
        EXPECT_LE(used, kBuffers / limits::kTreeWindowShare + 12) << name(network.topology);
    }
}

// Lost packets ------------------------------------------------------------------------------------

std::array<Status, 4> first_meeting, late_meeting;
bool mended = false;

// The cable between 0 and 1 is dead in the first barrier; in the second, node 1 is late.
Process meets_after_a_flap(Kernel& node) {
    const std::uint32_t self = index(node.id());
    first_meeting[self] = co_await barrier(node);
    while (!mended || node.dead_ports() != 0)
        co_await node.sleep(100 * kUnit);
    co_await node.sleep(100 * kUnit);
    if (self == 1)
        co_await node.sleep(30'000 * kUnit);
    late_meeting[self] = co_await barrier(node);
    co_return Status::ok;
}

TEST(Calls, WhatWasLostInOneIsNotHeldAgainstTheNext) {
    mended = false;
    Rig rig{{Topology::cube, 2}, meets_after_a_flap};
    rig.is_cut = [&rig](NodeId node, Port port) {
        return rig.started && !mended && index(node) <= 1 && index(port) == 0;
    };
    rig.limit_us = 60'000'000;
    rig.run({});
    mended = true;
    rig.finish(400'000'000);
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_NE(first_meeting[id], Status::ok) << id;
        EXPECT_EQ(late_meeting[id], Status::ok) << id;
    }
}

// Groups ------------------------------------------------------------------------------------------

std::array<Status, 8> in_group;

// Beside a collective of all under the same tag, and one after the other.
Process works_in_a_group(Kernel& node) {
    const std::array members{node_at(0), node_at(2), node_at(4)};
    const Group group{node, members, 8};
    const Status met = co_await barrier(node, 8);
    if (!group.member() || met != Status::ok)
        co_return met;
    std::uint32_t value = 1;
    const Status first = co_await group_allreduce(node, group, value);
    value = 10 + index(node.id());
    const Status second = co_await group_allreduce(node, group, value);
    in_group[index(node.id())] = value == 36 ? second : Status::failed;
    co_return first;
}

TEST(Calls, OfAGroupKeepTheirValues) {
    in_group.fill(Status::failed);
    Rig rig{kCube, works_in_a_group};
    rig.run({});
    for (const unsigned id : {0u, 2u, 4u})
        EXPECT_EQ(in_group[id], Status::ok) << id;
}

// Random sequences --------------------------------------------------------------------------------

constexpr Noise kLoud{.drop = 0.05, .corrupt = 0.03, .twice = 0.03, .swap = 0.05};

void play(unsigned seed) {
    constexpr std::array kAll{Network{Topology::cube, 3}, Network{Topology::star, 3},
                              Network{Topology::uhc, 3}, Network{Topology::cube, 2}};
    constexpr std::array kPorts{PortModel::all, PortModel::half, PortModel::duplex};
    const Network network = kAll[seed % kAll.size()];
    using call_sequence::sequence;
    sequence = {.seed = seed, .very_late = seed % 5 == 0};
    Rig rig{network, call_sequence::play_sequence, 120, seed, 96 * 1024};
    rig.limit_us = 900'000'000;
    rig.shuffle = true;
    if (seed / 4 % 2 != 0)
        rig.noise = kLoud;
    const bool all_ports = network.topology != Topology::cube || seed / 8 % 2 == 0;
    rig.run({.ports = all_ports ? PortModel::all : kPorts[seed / 16 % kPorts.size()]});
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_EQ(rig.report(id).done, 1u) << "node " << id << ", seed " << seed;
        EXPECT_EQ(rig.report(id).status, 0u) << "node " << id << ", seed " << seed;
        EXPECT_EQ(rig.kernel(id).mailbox().size(), 0u) << "node " << id << ", seed " << seed;
    }
    EXPECT_TRUE(sequence.wrong.empty()) << sequence.wrong.front() << ", seed " << seed;
}

unsigned number_in(const char* name, unsigned otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

// MESH_SEQUENCES=10000 MESH_SEQUENCE_FIRST=1 kernel --gtest_filter=Calls.OfRandom*
TEST(Calls, OfRandomKindsUnderOneTagNeverMix) {
    const unsigned first = number_in("MESH_SEQUENCE_FIRST", 1);
    const unsigned count = number_in("MESH_SEQUENCES", 200);
    for (unsigned seed = first; seed < first + count && !HasFailure(); ++seed)
        play(seed);
}

} // namespace calls_test
} // namespace mesh::test
