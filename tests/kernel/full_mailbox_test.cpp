// A mailbox that is full of messages that nobody wants yet keeps out none that a process waits for.
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mesh::test {
namespace full_mailbox_test {

constexpr Network kCube{Topology::cube, 4};
constexpr std::size_t kBuffers = 40;
constexpr std::uint32_t kRoom = kBuffers / limits::kUnexpectedShare; // fewer than senders
constexpr Tag kFirst = 1, kSecond = 2;

struct Story {
    NodeId late{}; // sends when the mailbox of node 0 is full; node 0 takes its messages first
    std::vector<NodeId> sources{};
    std::vector<Tag> tags{};
    unsigned sent = 0;
};
Story story;

Process send_one(Kernel& node, Tag tag) {
    const Status status = co_await send(node, node_at(0), {.tag = tag}, 0, {});
    story.sent += status == Status::ok ? 1 : 0;
    co_return status;
}

Process take_all(Kernel& node) {
    std::vector<NodeId> order{story.late, story.late};
    for (std::uint32_t id = node.nodes() - 1; id != 0; --id)
        if (node_at(id) != story.late)
            order.push_back(node_at(id));
    for (const NodeId source : order) {
        const Received got = co_await receive(node, {}, source);
        if (got.status != Status::ok)
            co_return got.status;
        story.sources.push_back(got.source);
        story.tags.push_back(got.tag);
    }
    co_return Status::ok;
}

/// All nodes send to node 0, which takes their messages in an order of its own.
Process everybody_sends(Kernel& node) {
    const bool is_late = node.id() == story.late;
    const bool takes = node.id() == node_at(0);
    if (takes && !node.spawn(take_all(node)))
        co_return Status::failed;
    if (takes && !is_late)
        co_return Status::ok;
    if (is_late)
        co_await node.sleep(50 * wire::kTicksPerUnit);
    if (!node.spawn(send_one(node, kFirst)) || (is_late && !node.spawn(send_one(node, kSecond))))
        co_return Status::failed;
    co_return Status::ok;
}

TEST(FullMailbox, LetsInTheMessageThatAProcessWaitsFor) {
    for (const std::uint32_t late : {15u, 1u, 8u, 0u}) {
        story = {.late = node_at(late)};
        Rig rig{kCube, everybody_sends, kBuffers};
        rig.run({});
        const std::uint32_t others = rig.size() - (late == 0 ? 1 : 2);
        ASSERT_GT(others, kRoom);
        ASSERT_EQ(story.sources.size(), others + 2) << "node 0 waits for ever for " << late;
        EXPECT_EQ(story.sources[0], story.late);
        EXPECT_EQ(story.tags[0], kFirst) << "overtaken";
        EXPECT_EQ(story.tags[1], kSecond);
        EXPECT_EQ(story.sent, others + 2);
        EXPECT_GT(rig.total(Counter::bounces), 0u) << "the mailbox was never full";
        EXPECT_EQ(rig.kernel(0).counters()[Counter::packets_delivered], others + 2)
            << "what went back has not been delivered";
        EXPECT_EQ(rig.kernel(0).mailbox().size(), 0u);
    }
}

} // namespace full_mailbox_test
} // namespace mesh::test
