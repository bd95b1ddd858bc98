// Chains of waiting processes, and when they are a circle.
#include "host-tools/mesh/run/waits.hpp"
#include "kernel/base/limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace mesh::host {
namespace waits_test {

Wait receives(std::uint32_t node, NodeId from, Tag tag, std::uint8_t process = 0) {
    Wait wait{node, {}};
    wait.what.kind = WaitKind::mail;
    wait.what.process = process;
    wait.what.match.service = Service::message;
    wait.what.match.source = from;
    wait.what.match.tag = tag;
    return wait;
}
Wait takes_the_rest(std::uint32_t node, NodeId from, std::uint8_t process = 0) {
    Wait wait = receives(node, from, kAnyTag, process);
    wait.what.match.service = Service::fragment;
    return wait;
}
Wait sends(std::uint32_t node, NodeId to, Tag tag, std::uint8_t process = 0) {
    Wait wait{node, {}};
    wait.what.kind = WaitKind::taking;
    wait.what.process = process;
    wait.what.to = to;
    wait.what.tag = tag;
    return wait;
}
Wait waits_for_process(std::uint32_t node, std::uint8_t other) {
    Wait wait{node, {}};
    wait.what.kind = WaitKind::process;
    wait.what.other = other;
    return wait;
}

std::string said(const std::vector<Wait>& waits, std::uint32_t ended = 99, bool moving = false) {
    const auto has_ended = [=](std::uint32_t node) { return node == ended; };
    return describe_waits(waits, has_ended, moving);
}
bool is_circle(const std::vector<Wait>& waits) { return said(waits).ends_with(": a circle"); }

TEST(Waits, OfNodesThatAllReceiveFromEachOtherAreACircle) {
    EXPECT_EQ(said({receives(0, NodeId{1}, 1), receives(1, NodeId{0}, 1)}),
              "node 0 waits for a message with tag 1 from node 1, which waits for a message with "
              "tag 1 from node 0: a circle");
    EXPECT_TRUE(
        is_circle({sends(0, NodeId{1}, 1), sends(1, NodeId{2}, 1), sends(2, NodeId{0}, 1)}));
    EXPECT_TRUE(is_circle({sends(0, NodeId{1}, 1), receives(1, NodeId{0}, 2)})); // another tag
}

TEST(Waits, OfAProgramForItsProcessesDoNotUndoTheCircle) {
    EXPECT_TRUE(is_circle({waits_for_process(0, 1), receives(0, NodeId{1}, 3, 1),
                           waits_for_process(1, 1), receives(1, NodeId{0}, 3, 1)}));
}

TEST(Waits, OfAMessageOnItsWayAreNoCircle) {
    EXPECT_FALSE(is_circle({sends(0, NodeId{1}, 5, 1), takes_the_rest(1, NodeId{0})}));
    EXPECT_FALSE(is_circle({sends(0, NodeId{1}, 5), receives(1, NodeId{0}, 5)}));
    // Both nodes send and both receive: each message comes on.
    EXPECT_FALSE(is_circle({takes_the_rest(0, NodeId{1}), sends(0, NodeId{1}, 5, 1),
                            takes_the_rest(1, NodeId{0}), sends(1, NodeId{0}, 5, 1)}));
}

TEST(Waits, ForANodeWithAnotherProcessThatMayGoOnAreNoCircle) {
    Wait sleeps{1, {}};
    sleeps.what.kind = WaitKind::time;
    sleeps.what.process = 1;
    EXPECT_FALSE(is_circle({receives(0, NodeId{1}, 1), receives(1, NodeId{0}, 1), sleeps}));
    EXPECT_FALSE(is_circle(
        {receives(0, NodeId{1}, 1), receives(1, NodeId{0}, 1), receives(1, kAnySource, 9, 1)}));
    // A chain that leads to such a node, over others, is no circle either.
    EXPECT_FALSE(is_circle(
        {receives(2, NodeId{0}, 1), receives(0, NodeId{1}, 1), receives(1, NodeId{0}, 1), sleeps}));
}

TEST(Waits, WhilePacketsMoveAreNoCircle) {
    const std::string text = said({receives(0, NodeId{1}, 1), receives(1, NodeId{0}, 1)}, 99, true);
    EXPECT_TRUE(text.ends_with("from node 0")) << text;
}

TEST(Waits, ForANodeThatHasEndedSaySo) {
    EXPECT_EQ(said({receives(0, NodeId{1}, 4)}, 1),
              "node 0 waits for a message with tag 4 from node 1, which has ended");
    EXPECT_EQ(said({receives(0, NodeId{1}, 4)}), // it computes
              "node 0 waits for a message with tag 4 from node 1");
    EXPECT_EQ(said({}), "");
}

/// A node whose image says that it has as many processes as a number can count.
struct Doctored final : ProcessMemory {
    Doctored() {
        offsets = own_wait_offsets();
        slot_count = ~std::uint64_t{0};
        pointer_bytes = 8;
    }
    bool read(std::uint64_t /*address*/, std::span<std::byte> out) override {
        ++reads;
        std::ranges::fill(out, std::byte{0});
        return true;
    }
    std::string function_at(std::uint64_t /*address*/) override { return {}; }
    unsigned reads = 0;
};

TEST(Waits, AreReadOfNoMoreProcessesThanANodeCanHave) {
    Doctored memory;
    EXPECT_TRUE(waits_in(memory).empty());
    EXPECT_GT(memory.reads, 0u);
    EXPECT_LE(memory.reads, 2 * limits::kProcessesMax);
}

} // namespace waits_test
} // namespace mesh::host
