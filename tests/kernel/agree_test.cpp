// Agreement while nodes die: the members that are left have the same answer, whenever and whichever
// of them die.
#include "library/agree.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace mesh::test {
namespace agree_test {

constexpr std::uint32_t kNodesMax = 24;

struct Answer {
    bool ended = false;
    Status status = Status::failed;
    std::uint32_t flags = 0;
    std::vector<NodeId> left;
};
std::array<std::array<Answer, 2>, kNodesMax> answers;

// Two agreements in a row: the second one finds out who died in the first.
Process agrees(Kernel& node) {
    std::array<NodeId, kNodesMax> room{}, next{};
    auto members = members_if(node, room, [](std::uint32_t) { return true; });
    for (Answer& answer : answers[index(node.id())]) {
        const Agreed agreed =
            co_await agree(node, Group{node, members, 7}, ~(1u << index(node.id()) % 32), next);
        answer = {true, agreed.status, agreed.flags, {agreed.left.begin(), agreed.left.end()}};
        if (agreed.status != Status::ok)
            co_return agreed.status;
        std::swap(room, next);
        members = std::span<const NodeId>{room}.first(agreed.left.size());
    }
    co_return Status::ok;
}

/// Runs it while `dead` lose all their cables, the first of them after so many frames, the others
/// each as many later.
void run(Network network, const std::vector<std::uint32_t>& dead, std::uint64_t after) {
    answers = {};
    Rig rig{network, agrees, 64, 1, 64 * 1024};
    std::uint64_t before = 0;
    rig.is_cut = [&](NodeId from, Port by) {
        before = rig.started ? before : rig.carried;
        const NodeId to = neighbor(network, from, by);
        for (std::size_t at = 0; at < dead.size(); ++at)
            if (rig.started && rig.carried - before > after * (at + 1) &&
                (index(from) == dead[at] || index(to) == dead[at]))
                return true;
        return false;
    };
    rig.limit_us = 900'000'000;
    rig.run({});
    const auto is_dead = [&](std::uint32_t id) { return std::ranges::count(dead, id) != 0; };
    std::string what =
        std::string{name(network.topology)} + ", after " + std::to_string(after) + ":";
    for (const std::uint32_t id : dead)
        what += " " + std::to_string(id);
    const Answer* first = nullptr;
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        if (is_dead(id))
            continue;
        for (unsigned round = 0; round < 2; ++round) {
            const Answer& answer = answers[id][round];
            ASSERT_TRUE(answer.ended) << what << ", node " << id << ", round " << round;
            EXPECT_EQ(answer.status, Status::ok) << what << ", node " << id << ", round " << round;
        }
        if (first == nullptr) {
            first = answers[id].data();
            continue;
        }
        for (unsigned round = 0; round < 2; ++round) {
            EXPECT_EQ(answers[id][round].left, first[round].left)
                << what << ", node " << id << ", round " << round;
            EXPECT_EQ(answers[id][round].flags, first[round].flags)
                << what << ", node " << id << ", round " << round;
        }
    }
    // All that live are left; those that died before the second are not.
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        const auto& left = first[1].left;
        const bool is_left = std::ranges::find(left, node_at(id)) != left.end();
        if (!is_dead(id))
            EXPECT_TRUE(is_left) << what << ", node " << id;
        else if (after == 0)
            EXPECT_FALSE(is_left) << what << ", node " << id;
        if (is_left)
            EXPECT_EQ(first[1].flags >> id % 32 & 1u, 0u) << what << ", node " << id;
    }
}

constexpr std::array kNetworks{Network{Topology::cube, 3}, Network{Topology::uhc, 4},
                               Network{Topology::star, 3}};

TEST(Agree, NobodyDies) {
    for (const Network network : {kNetworks[0], kNetworks[1], Network{Topology::star, 4}})
        run(network, {}, 0);
}

TEST(Agree, OneDies) {
    for (const Network network : kNetworks)
        for (std::uint32_t id = 0; id < node_count(network); ++id)
            for (const std::uint64_t after : {0u, 10u, 40u, 90u, 160u, 250u})
                run(network, {id}, after);
}

TEST(Agree, TwoDie) {
    for (const Network network : {kNetworks[0]})
        for (std::uint32_t id = 0; id < node_count(network); ++id)
            for (std::uint32_t other = 0; other < node_count(network); ++other)
                if (id != other)
                    for (const std::uint64_t after : {0u, 30u, 80u})
                        run(network, {id, other}, after);
}

} // namespace agree_test
} // namespace mesh::test
