// Crowds: many collectives at a time under one node, of one kind or of several, each under a tag
// and with a root of its own, in a small pool. All of them end, and each has the right data.
#include "collectives/barrier.hpp"
#include "collectives/broadcast.hpp"
#include "collectives/personalised.hpp"
#include "collectives/reduction.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

namespace mesh::test {
namespace crowd_test {

constexpr std::array kPools{42u, 64u}; // 42: of netduinoplus2
constexpr unsigned kMost = 8;          // calls
constexpr std::size_t kArenaBytes = 1024 * 1024;
constexpr std::uint32_t kPacketBytes = 16;
constexpr std::uint32_t kBytes = 640;

enum class Kind {
    broadcast,
    reduce,
    allreduce,
    scan,
    scatter,
    gather,
    allgather,
    alltoall,
    barrier
};
constexpr std::array kKinds{Kind::broadcast, Kind::reduce,   Kind::allreduce,
                            Kind::scan,      Kind::scatter,  Kind::gather,
                            Kind::allgather, Kind::alltoall, Kind::barrier};
constexpr std::array<const char*, kKinds.size()> kNames{"broadcast", "reduce",   "allreduce",
                                                        "scan",      "scatter",  "gather",
                                                        "allgather", "alltoall", "barrier"};

struct Plan {
    Rule tree = kUsualTree;
    std::vector<Kind> kinds; // of the calls, in turn
    Tag first = 0;
    NodeId late = kNoNode; // it begins when the others wait for it
};
Plan plan;

Task<Status> broadcasts(Kernel& node, Tag tag, NodeId root) {
    std::vector<std::byte> bytes(kBytes);
    if (node.id() == root)
        std::ranges::fill(bytes, static_cast<std::byte>(tag));
    const Status status = co_await broadcast(node,
                                             {.tree = plan.tree,
                                              .root = root,
                                              .total_bytes = kBytes,
                                              .packet_bytes = kPacketBytes,
                                              .tag = tag},
                                             bytes);
    const bool right = std::ranges::count(bytes, static_cast<std::byte>(tag)) == kBytes;
    co_return status == Status::ok && !right ? Status::failed : status;
}

// Word w of node i is i + w + tag.
Task<Status> reduces(Kernel& node, Tag tag, NodeId root, Kind kind) {
    const std::uint32_t self = index(node.id());
    std::vector<std::uint32_t> words(kBytes / 4);
    for (std::uint32_t at = 0; at < words.size(); ++at)
        words[at] = self + at + tag;
    const auto buffer = std::as_writable_bytes(std::span{words});
    const Combiner sum = *combiner(Operator::sum, ElementType::u32);
    std::uint32_t of = node.nodes();
    Status status = Status::ok;
    if (kind == Kind::scan) {
        status = co_await scan(node, {kBytes, kPacketBytes, tag, sum, false}, buffer);
        of = self + 1;
    } else {
        const ReducePlan one{plan.tree, root, kBytes, kPacketBytes, tag, sum};
        if (kind == Kind::reduce)
            status = co_await reduce(node, one, buffer);
        else
            status = co_await allreduce(node, one, buffer);
    }
    bool right = true;
    if (kind != Kind::reduce || node.id() == root)
        for (std::uint32_t at = 0; at < words.size(); ++at)
            right = right && words[at] == of * (at + tag) + of * (of - 1) / 2;
    co_return status == Status::ok && !right ? Status::failed : status;
}

constexpr std::uint32_t kBlock = 40;
std::byte block_byte(std::uint32_t from, std::uint32_t to, Tag tag) {
    return static_cast<std::byte>(from * 31 + to * 7 + tag);
}

// Blocks lie at the number of their node; on the cube at that number relative to `self`.
Task<Status> exchanges(Kernel& node, Tag tag, NodeId root, Kind kind) {
    const std::uint32_t self = index(node.id()), nodes = node.nodes();
    const bool rooted = kind == Kind::scatter || kind == Kind::gather;
    const std::uint32_t origin = rooted ? index(root) : self;
    std::vector<std::byte> blocks(exchange_bytes(nodes, kBlock));
    const bool cube = node.network().topology == Topology::cube;
    const auto place = [&](std::uint32_t other) {
        return std::span{blocks}.subspan(std::size_t{cube ? other ^ origin : other} * kBlock,
                                         kBlock);
    };
    const auto fill = [&](std::uint32_t at, std::uint32_t from, std::uint32_t to) {
        std::ranges::fill(place(at), block_byte(from, to, tag));
    };
    bool right = true;
    const auto check = [&](std::uint32_t at, std::uint32_t from, std::uint32_t to) {
        right = right && std::ranges::count(place(at), block_byte(from, to, tag)) == kBlock;
    };
    for (std::uint32_t to = 0; to < nodes; ++to)
        if (kind == Kind::alltoall || (kind == Kind::scatter && self == origin))
            fill(to, self, to);
    if (kind == Kind::gather || kind == Kind::allgather)
        fill(self, self, 0);
    constexpr std::array<Exchange, 4> kWhat{Exchange::scatter, Exchange::gather,
                                            Exchange::allgather, Exchange::alltoall};
    const Exchange what = kWhat[static_cast<unsigned>(kind) - static_cast<unsigned>(Kind::scatter)];
    const Status status = co_await exchange(
        node, {.root = root, .block_bytes = kBlock, .packet_bytes = kPacketBytes, .tag = tag}, what,
        blocks);
    if (kind == Kind::scatter)
        check(self, origin, self);
    for (std::uint32_t from = 0; from < nodes; ++from) {
        if (kind == Kind::allgather || (kind == Kind::gather && node.id() == root))
            check(from, from, 0);
        if (kind == Kind::alltoall)
            check(from, from, self);
    }
    co_return status == Status::ok && !right ? Status::failed : status;
}

Process calls(Kernel& node, unsigned call) {
    const auto tag = static_cast<Tag>(plan.first + call);
    const NodeId root = node_at((tag * 5u + 1) % node.nodes());
    const Kind kind = plan.kinds[call % plan.kinds.size()];
    switch (kind) {
    case Kind::broadcast: co_return co_await broadcasts(node, tag, root);
    case Kind::reduce:
    case Kind::allreduce:
    case Kind::scan: co_return co_await reduces(node, tag, root, kind);
    case Kind::barrier: co_return co_await barrier(node, tag);
    case Kind::scatter:
    case Kind::gather:
    case Kind::allgather:
    case Kind::alltoall: break;
    }
    co_return co_await exchanges(node, tag, root, kind);
}

Process crowd(Kernel& node) {
    std::array<ProcessId, kMost> ids;
    const unsigned calls_at_a_time = limits::calls_at_a_time(node.pool().capacity());
    if (node.id() == plan.late)
        co_await node.sleep(5000 * wire::kTicksPerUnit);
    for (unsigned call = 0; call < calls_at_a_time; ++call)
        if (!node.spawn(calls(node, call), ids[call]))
            co_return Status::no_memory;
    Status status = Status::ok;
    for (const ProcessId id : std::span{ids}.first(calls_at_a_time)) {
        const Status one = co_await node.join(id);
        status = status == Status::ok ? one : status;
    }
    co_return status;
}

void expect_all_end(Network network, unsigned buffers, const std::string& what) {
    for (const Tag first : {Tag{0}, Tag{100}})
        for (const NodeId late : {kNoNode, node_at(0), node_at(1)}) {
            plan.first = first;
            plan.late = late;
            Rig rig{network, crowd, buffers, 1, kArenaBytes};
            rig.run({});
            for (std::uint32_t id = 0; id < rig.size(); ++id) {
                ASSERT_EQ(rig.report(id).done, 1u)
                    << name(network.topology) << ", " << what << ", tag " << first << ", late "
                    << index(late) << ", node " << id;
                ASSERT_EQ(rig.report(id).status, 0u)
                    << name(network.topology) << ", " << what << ", tag " << first << ", late "
                    << index(late) << ", node " << id;
                EXPECT_EQ(rig.kernel(id).mailbox().size(), 0u) << "left at node " << id;
            }
        }
}

constexpr std::array kNetworks{Network{Topology::cube, 3}, Network{Topology::uhc, 4},
                               Network{Topology::star, 3}};

TEST(Crowd, OfOneKindEnds) {
    for (const Network network : kNetworks)
        for (const unsigned buffers : kPools)
            for (const Kind kind : kKinds) {
                plan = {.kinds = {kind}};
                expect_all_end(network, buffers, kNames[static_cast<unsigned>(kind)]);
            }
}

TEST(Crowd, OfSeveralKindsEnds) {
    for (const Network network : kNetworks) {
        plan = {.kinds = {kKinds.begin(), kKinds.end()}};
        expect_all_end(network, kPools[0], "all");
        for (const Kind one : kKinds)
            for (const Kind other : kKinds) {
                if (one >= other)
                    continue;
                plan = {.kinds = {one, other}};
                expect_all_end(network, kPools[0],
                               std::string{kNames[static_cast<unsigned>(one)]} + " and " +
                                   kNames[static_cast<unsigned>(other)]);
            }
    }
}

} // namespace crowd_test
} // namespace mesh::test
