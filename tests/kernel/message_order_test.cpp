// Messages of one pair of nodes come in the order in which they were sent.
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace mesh::test {
namespace message_order_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr NodeId kFrom{0}, kTo{3};

std::uint32_t next_number = 0;
std::vector<std::uint32_t> arrived;

Process send_numbers(Kernel& node) {
    for (unsigned k = 0; k < 5; ++k) {
        const std::uint32_t number = next_number++;
        const auto bytes = std::as_bytes(std::span{&number, 1});
        const Status sent = co_await send(node, kTo, {.tag = 7}, bytes);
        if (sent != Status::ok)
            co_return sent;
        co_await node.sleep((number % 3) * kUnit);
    }
    co_return Status::ok;
}

constexpr unsigned kSenders = 12;

Process numbers_of_many_processes(Kernel& node) {
    if (node.id() == kFrom) {
        std::array<ProcessId, kSenders> ids;
        for (ProcessId& id : ids)
            if (!node.spawn(send_numbers(node), id))
                co_return Status::no_memory;
        Status worst = Status::ok;
        for (const ProcessId id : ids)
            worst = std::max(worst, co_await node.join(id));
        co_return worst;
    }
    for (unsigned k = 0; node.id() == kTo && k < 5 * kSenders; ++k) {
        co_await node.sleep(4 * kUnit);
        std::uint32_t number = 0;
        std::ignore = co_await receive(node, std::as_writable_bytes(std::span{&number, 1}), 7);
        arrived.push_back(number);
    }
    co_return Status::ok;
}

TEST(MessageOrder, OfOnePairOfNodesNeverOvertakesAnotherThoughSomeAreSentBackToWait) {
    const std::size_t room = 20; // for five offers
    for (const bool cut : {false, true}) {
        next_number = 0;
        arrived.clear();
        Rig rig{{Topology::cube, 2}, numbers_of_many_processes, room};
        rig.is_cut = [&](NodeId from, Port port) { // 1 -> 3, under way
            return cut && rig.carried > 200 && from == node_at(1) && port == port_at(1);
        };
        rig.run({});
        ASSERT_EQ(arrived.size(), 5 * kSenders);
        EXPECT_TRUE(std::is_sorted(arrived.begin(), arrived.end())) << "cut: " << cut;
        EXPECT_EQ(rig.report(0).status, 0u);
        EXPECT_GT(rig.kernel(3).counters()[Counter::bounces], 0u);
        EXPECT_EQ(rig.total(Counter::disjoint_retries) != 0, cut);
    }
}

} // namespace message_order_test
} // namespace mesh::test
