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
        std::ignore =
            co_await receive(node, std::as_writable_bytes(std::span{&number, 1}), kAnySource, 7);
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

// Places 1, 2 and 3 wait in the order 2, 3, 1; place 1 for any message, place 3 for those of node
// 0.
Process takes(Kernel& node, unsigned units, Tag tag, NodeId source, std::uint32_t& number) {
    if (units != 0)
        co_await node.sleep(units * kUnit);
    const Received got =
        co_await receive(node, std::as_writable_bytes(std::span{&number, 1}), tag, source);
    co_return got.status;
}

Process receives_in_three_processes(Kernel& node) {
    if (node.id() == kFrom) {
        co_await node.sleep(9 * kUnit);
        for (std::uint32_t number = 0; number < 3; ++number) {
            const auto bytes = std::as_bytes(std::span{&number, 1});
            const Status sent = co_await send(node, kTo, {.tag = 7}, bytes);
            if (sent != Status::ok)
                co_return sent;
        }
    }
    if (node.id() != kTo)
        co_return Status::ok;
    std::array<std::uint32_t, 3> numbers{};
    std::array<ProcessId, 3> ids;
    if (!node.spawn(takes(node, 5, kAnyTag, kAnySource, numbers[0]), ids[0]) ||
        !node.spawn(takes(node, 0, 7, kAnySource, numbers[1]), ids[1]) ||
        !node.spawn(takes(node, 2, 7, kFrom, numbers[2]), ids[2]))
        co_return Status::no_memory;
    Status worst = Status::ok;
    for (const ProcessId id : ids)
        worst = std::max(worst, co_await node.join(id));
    arrived.assign(numbers.begin(), numbers.end());
    co_return worst;
}

TEST(MessageOrder, TheProcessThatCalledReceiveFirstTakesTheMessageWhateverItsPlace) {
    arrived.clear();
    Rig rig{{Topology::cube, 2}, receives_in_three_processes};
    rig.run({});
    EXPECT_EQ(arrived, (std::vector<std::uint32_t>{2, 0, 1}));
    EXPECT_EQ(rig.report(3).status, 0u);
}

} // namespace message_order_test
} // namespace mesh::test
