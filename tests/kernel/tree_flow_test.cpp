// A broadcast never fills the pool of a node that is late for it: whatever that node waits for
// first still gets through.
#include "collectives/broadcast.hpp"
#include "kernel/message.hpp"
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
constexpr unsigned kWindow = kBuffers / limits::kTreeWindowShare;

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
Process waits_first(Kernel& node) {
    const std::uint32_t self = index(node.id());
    std::array<std::byte, 4> word{};
    Status status = Status::ok;
    if (self == node.nodes() - 2) {
        co_await node.sleep(5000 * wire::kTicksPerUnit);
        status = co_await send(node, node_at(self + 1), {.tag = 9}, word);
    } else if (self == node.nodes() - 1) {
        const Received received = co_await receive(node, word, 9, node_at(self - 1));
        status = received.status;
    }
    if (status == Status::ok)
        status = co_await broadcasts(node);
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
        Rig rig{one.network, waits_first, kBuffers};
        rig.run({});
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            EXPECT_EQ(rig.report(id).done, 1u) << name(one.tree) << ", node " << id;
            EXPECT_EQ(rig.report(id).status, 0u) << name(one.tree) << ", node " << id;
            EXPECT_TRUE(right[id]) << name(one.tree) << ", node " << id;
            EXPECT_FALSE(rig.kernel(id).has({})) << "left over at node " << id;
        }
        const auto used = rig.report(rig.size() - 1)
                              .counters[static_cast<std::size_t>(Counter::buffers_used_max)];
        EXPECT_LT(used, kWindow + 30) << name(one.tree);
    }
}

Process broadcasts_a_window(Kernel& node) {
    std::array<std::byte, kWindow * kPacketBytes> buffer{};
    co_return co_await broadcast(node, plan, buffer);
}

TEST(TreeFlow, ABroadcastNoLongerThanTheWindowSendsNoWord) {
    plan = {.total_bytes = kWindow * kPacketBytes, .packet_bytes = kPacketBytes, .tag = 3};
    Rig rig{{Topology::cube, 3}, broadcasts_a_window, kBuffers};
    rig.run({});
    std::uint64_t delivered = 0;
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        delivered += rig.report(id).counters[static_cast<std::size_t>(Counter::packets_delivered)];
    EXPECT_EQ(delivered, 7u * kWindow);
}

} // namespace tree_flow_test
} // namespace mesh::test
