// A broadcast never fills the pool of a node that is late for it: whatever that node waits for
// first still gets through.
#include "collectives/broadcast.hpp"
#include "collectives/personalised.hpp"
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace mesh::test {
namespace tree_flow_test {

constexpr std::uint32_t kBytes = 20'000;
constexpr std::uint32_t kPacketBytes = 16;
constexpr unsigned kBuffers = 80;
constexpr unsigned kEarlyWindow = 2 * limits::early_half(kBuffers);

BroadcastPlan plan;
std::array<bool, 32> right;

Process broadcasts(Kernel& node) {
    std::vector<std::byte> buffer(kBytes);
    if (node.id() == plan.root)
        for (std::size_t at = 0; at < kBytes; ++at)
            buffer[at] = static_cast<std::byte>(at * 3 + 1);
    const Status status = co_await broadcast(node, plan, buffer);
    right[index(node.id())] = true;
    for (std::size_t at = 0; at < kBytes; ++at)
        if (buffer[at] != static_cast<std::byte>(at * 3 + 1))
            right[index(node.id())] = false;
    co_return status;
}

// The last node waits for a message of the one before, which is late, and all begin alike.
template <Process (*Collective)(Kernel& node)>
Process waits_first(Kernel& node) {
    const std::uint32_t self = index(node.id());
    std::array<std::byte, 4> word{};
    Status status = Status::ok;
    if (self == node.nodes() - 2) {
        co_await node.sleep(5000 * wire::kTicksPerUnit);
        status = co_await send(node, node_at(self + 1), {.tag = 9}, word);
    } else if (self == node.nodes() - 1) {
        const Received received = co_await receive(node, word, node_at(self - 1), 9);
        status = received.status;
    }
    if (status == Status::ok)
        status = co_await Collective(node);
    co_return status;
}

struct Case {
    Network network;
    Rule tree;
};
constexpr std::array kCases{
    Case{{Topology::cube, 3}, Rule::sbt}, Case{{Topology::cube, 3}, Rule::msbt},
    Case{{Topology::cube, 3}, Rule::hp},  Case{{Topology::uhc, 4}, Rule::bt1},
    Case{{Topology::uhc, 4}, Rule::ist},  Case{{Topology::star, 4}, Rule::spt},
    Case{{Topology::star, 4}, Rule::edt},
};

TEST(TreeFlow, ANodeThatFirstWaitsForAMessageGetsItHoweverLongTheBroadcast) {
    for (const Case& one : kCases) {
        plan = {.tree = one.tree, .total_bytes = kBytes, .packet_bytes = kPacketBytes, .tag = 3};
        right = {};
        Rig rig{one.network, waits_first<broadcasts>, kBuffers};
        rig.run({});
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            EXPECT_EQ(rig.report(id).done, 1u) << name(one.tree) << ", node " << id;
            EXPECT_EQ(rig.report(id).status, 0u) << name(one.tree) << ", node " << id;
            EXPECT_TRUE(right[id]) << name(one.tree) << ", node " << id;
            EXPECT_FALSE(rig.kernel(id).has({})) << "left over at node " << id;
        }
        const auto used = rig.report(rig.size() - 1)
                              .counters[static_cast<std::size_t>(Counter::buffers_used_max)];
        EXPECT_LT(used, kEarlyWindow + 30) << name(one.tree);
    }
}

// Many at a time, each under a tag of its own, to a node that is late for all of them.
constexpr unsigned kCalls = 12;
Tag first_tag = 0;

Process broadcasts_under(Kernel& node, Tag tag) {
    std::array<std::byte, 640> buffer{};
    BroadcastPlan one = plan;
    one.tag = tag;
    one.root = node_at(tag % node.nodes());
    one.total_bytes = buffer.size();
    if (node.id() == one.root)
        buffer.fill(static_cast<std::byte>(tag + 1));
    const Status status = co_await broadcast(node, one, buffer);
    for (const std::byte byte : buffer)
        if (byte != static_cast<std::byte>(tag + 1) && status == Status::ok)
            co_return Status::failed;
    co_return status;
}

Process broadcasts_many(Kernel& node) {
    std::array<ProcessId, kCalls> calls;
    for (unsigned call = 0; call < kCalls; ++call)
        if (!node.spawn(broadcasts_under(node, static_cast<Tag>(first_tag + call)), calls[call]))
            co_return Status::no_memory;
    Status status = Status::ok;
    for (const ProcessId call : calls) {
        const Status one = co_await node.join(call);
        status = status == Status::ok ? one : status;
    }
    right[index(node.id())] = true;
    co_return status;
}

Process sends_late(Kernel& node) {
    std::array<std::byte, 4> word{};
    co_await node.sleep(5000 * wire::kTicksPerUnit);
    co_return co_await send(node, node_at(node.nodes() - 1), {.tag = 9}, word);
}

// The last node waits for a message that the one before sends beside its broadcasts.
Process waits_first_for_many(Kernel& node) {
    const std::uint32_t self = index(node.id());
    std::array<std::byte, 4> word{};
    ProcessId sender;
    if (self == node.nodes() - 2 && !node.spawn(sends_late(node), sender))
        co_return Status::no_memory;
    Status status = Status::ok;
    if (self == node.nodes() - 1)
        status = (co_await receive(node, word, node_at(self - 1), 9)).status;
    if (status == Status::ok)
        status = co_await broadcasts_many(node);
    if (self == node.nodes() - 2 && status == Status::ok)
        status = co_await node.join(sender);
    co_return status;
}

TEST(TreeFlow, ANodeThatIsLateForManyBroadcastsAtATimeGetsTheMessageThatItWaitsFor) {
    for (const Case& one : kCases)
        for (const Tag tag : {Tag{0}, Tag{100}}) {
            plan = {.tree = one.tree, .packet_bytes = kPacketBytes};
            right = {};
            first_tag = tag;
            constexpr std::size_t kArenaBytes = 128 * 1024;
            Rig rig{one.network, waits_first_for_many, kBuffers, 1, kArenaBytes};
            rig.run({});
            for (std::uint32_t id = 0; id < rig.size(); ++id) {
                EXPECT_EQ(rig.report(id).done, 1u) << name(one.tree) << ", node " << id;
                EXPECT_EQ(rig.report(id).status, 0u) << name(one.tree) << ", node " << id;
            }
        }
}

// Blocks by single packets -----------------------------------------------------------------------

struct BlockCase {
    Network network;
    PersonalPlan plan;
    Exchange what;
};
BlockCase blocks;
constexpr std::byte block_byte(std::uint32_t from, std::uint32_t to, std::size_t at) {
    return static_cast<std::byte>(from * 31 + to * 7 + at);
}

std::span<std::byte> block_at(std::vector<std::byte>& memory, std::uint32_t number) {
    return std::span{memory}.subspan(number * blocks.plan.block_bytes, blocks.plan.block_bytes);
}
void copy_block(const void* from, std::uint32_t position, std::span<std::byte> out) {
    std::copy_n(static_cast<const std::byte*>(from) + position, out.size(), out.begin());
}

Task<Status> moves(Kernel& node, std::vector<std::byte>& memory, std::vector<std::byte>& marks) {
    const PersonalPlan& agreed = blocks.plan;
    const bool is_root = node.id() == agreed.root;
    if (node.network().topology != Topology::cube)
        return exchange(node, agreed, blocks.what, memory);
    if (blocks.what == Exchange::scatter && is_root)
        return scatter_packets(node, agreed, {copy_block, memory.data()});
    if (blocks.what == Exchange::scatter)
        return take_scattered(node, agreed, block_at(memory, index(node.id())));
    if (is_root)
        return take_gathered(node, agreed, std::span{memory}, marks);
    return gather_packets(node, agreed, {copy_block, memory.data()});
}

Process exchanges(Kernel& node) {
    const std::uint32_t self = index(node.id());
    const bool rooted = blocks.what == Exchange::scatter || blocks.what == Exchange::gather;
    const bool is_root = node.id() == blocks.plan.root;
    std::vector<std::byte> memory(exchange_bytes(node.nodes(), blocks.plan.block_bytes));
    std::vector<std::byte> marks(memory.size());
    for (std::uint32_t to = 0; to < node.nodes(); ++to)
        for (std::size_t at = 0; at < blocks.plan.block_bytes; ++at)
            if (blocks.what == Exchange::alltoall ||
                (is_root && blocks.what == Exchange::scatter) ||
                (to == self && blocks.what != Exchange::scatter))
                block_at(memory, to)[at] = block_byte(
                    self,
                    blocks.what == Exchange::gather || blocks.what == Exchange::allgather ? 0 : to,
                    at);
    const Status status = co_await moves(node, memory, marks);
    right[self] = true;
    for (std::uint32_t from = 0; from < node.nodes(); ++from) {
        const bool own = blocks.what == Exchange::scatter;
        if ((own && node_at(from) != blocks.plan.root) || (rooted && !own && !is_root))
            continue;
        const bool alike = blocks.what == Exchange::gather || blocks.what == Exchange::allgather;
        for (std::size_t at = 0; at < blocks.plan.block_bytes; ++at)
            if (block_at(memory, own ? self : from)[at] != block_byte(from, alike ? 0 : self, at))
                right[self] = false;
    }
    co_return status;
}

TEST(Gate, ANodeThatFirstWaitsForAMessageGetsItHoweverMuchIsSentToIt) {
    constexpr Network kCube{Topology::cube, 3}, kUhc{Topology::uhc, 4}, kStar{Topology::star, 4};
    const auto plan_of = [](Rule tree, Schedule schedule, std::uint32_t root, std::uint32_t bytes) {
        return PersonalPlan{.tree = tree,
                            .schedule = schedule,
                            .root = node_at(root),
                            .block_bytes = bytes,
                            .packet_bytes = kPacketBytes,
                            .tag = 3};
    };
    using enum Schedule;
    for (const BlockCase& one : {
             BlockCase{kCube, plan_of(Rule::sbt, postorder, 0, 4000), Exchange::scatter},
             BlockCase{kCube, plan_of(Rule::sbt, postorder, 7, 4000), Exchange::gather},
             BlockCase{kUhc, plan_of(Rule::ist, rbf, 0, 4000), Exchange::scatter},
             BlockCase{kUhc, plan_of(Rule::ist, rbf, 15, 400), Exchange::gather},
             BlockCase{kUhc, plan_of(Rule::ist, queue, 0, 400), Exchange::allgather},
             BlockCase{kUhc, plan_of(Rule::ist, queue, 0, 400), Exchange::alltoall},
             BlockCase{kStar, plan_of(Rule::edt, rbf, 0, 4000), Exchange::scatter},
             BlockCase{kStar, plan_of(Rule::edt, rbf, 23, 400), Exchange::gather},
             BlockCase{kStar, plan_of(Rule::edt, queue, 0, 400), Exchange::allgather},
             BlockCase{kStar, plan_of(Rule::edt, necklace, 0, 400), Exchange::alltoall},
         }) {
        blocks = one;
        right = {};
        Rig rig{one.network, waits_first<exchanges>, kBuffers};
        rig.run({});
        const auto what = static_cast<unsigned>(one.what);
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            EXPECT_EQ(rig.report(id).done, 1u) << name(one.plan.tree) << what << ", node " << id;
            EXPECT_EQ(rig.report(id).status, 0u) << name(one.plan.tree) << what << ", node " << id;
            EXPECT_TRUE(right[id]) << name(one.plan.tree) << what << ", node " << id;
        }
    }
}

Process broadcasts_a_window(Kernel& node) {
    std::array<std::byte, kEarlyWindow * kPacketBytes> buffer{};
    co_return co_await broadcast(node, plan, buffer);
}

TEST(TreeFlow, ABroadcastNoLongerThanTheEarlyWindowSendsNoWord) {
    plan = {.total_bytes = kEarlyWindow * kPacketBytes, .packet_bytes = kPacketBytes, .tag = 3};
    Rig rig{{Topology::cube, 3}, broadcasts_a_window, kBuffers};
    rig.run({});
    std::uint64_t delivered = 0;
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        delivered += rig.report(id).counters[static_cast<std::size_t>(Counter::packets_delivered)];
    EXPECT_EQ(delivered, 7u * kEarlyWindow);
}

TEST(Limits, EarlyWindowsOfAllTagsThatHaveOneFitIntoAWindow) {
    for (unsigned buffers = 8; buffers <= PacketPool::kBuffersMax; ++buffers) {
        const unsigned window = buffers / limits::kTreeWindowShare;
        EXPECT_LE(limits::early_tags(buffers) * 2 * limits::early_half(buffers), window) << buffers;
        EXPECT_GE(limits::early_tags(buffers), 1u) << buffers;
    }
}

} // namespace tree_flow_test
} // namespace mesh::test
