// A multicast gives each member the root's bytes, says what is wrong with a plan, and leaves
// nothing in the pools; packets for sets that fit no network lead nowhere.
#include "collectives/multicast.hpp"

#include "collectives/await.hpp"
#include "collectives/tree_flow.hpp"
#include "kernel/packets/to_set.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace mesh::test {
namespace multicast_test {

constexpr Network kCube3{Topology::cube, 3};
constexpr std::byte kGuard{0xA5};

struct Case {
    std::vector<NodeId> members{node_at(1), node_at(6), node_at(7)};
    NodeId root = node_at(2);
    Rule tree = kUsualTree;
    std::uint32_t sent = 3000, expected = 3000; // bytes
    unsigned calls = 1;
};

struct Outcome {
    Status status = Status::failed;
    std::vector<std::byte> bytes{};
};

Case plans;
std::array<Outcome, 24> outcomes;

std::byte sent_byte(std::size_t at) { return static_cast<std::byte>(at * 7 + 1); }

Process multicasts(Kernel& node) {
    Outcome& outcome = outcomes[index(node.id())];
    const bool is_root = node.id() == plans.root;
    outcome.bytes.assign(is_root ? plans.sent : plans.expected, kGuard);
    for (std::size_t at = 0; is_root && at < outcome.bytes.size(); ++at)
        outcome.bytes[at] = sent_byte(at);
    const MulticastPlan plan{
        .members = plans.members, .root = plans.root, .tag = 3, .tree = plans.tree};
    for (unsigned call = 0; call < plans.calls; ++call)
        outcome.status = co_await multicast(node, plan, outcome.bytes);
    co_return Status::ok;
}

bool is_member(std::uint32_t id) {
    return std::ranges::find(plans.members, node_at(id)) != plans.members.end();
}

/// Runs `plan` and gives what members, other than the root, and the others said: the first of each
/// that is not ok.
std::pair<Status, Status> verdicts(Network network, const Case& plan, const Noise& noise = {}) {
    plans = plan;
    outcomes = {};
    Rig rig{network, multicasts, 100};
    rig.noise = noise;
    rig.run({});
    std::pair verdicts{Status::ok, Status::ok};
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        const bool waits = is_member(id) && node_at(id) != plan.root;
        Status& verdict = waits ? verdicts.first : verdicts.second;
        verdict = first_failure(verdict, outcomes[id].status);
        EXPECT_EQ(rig.kernel(id).counters()[Counter::drop_no_route], 0u);
        EXPECT_EQ(rig.kernel(id).mailbox().size(), 0u) << "node " << id;
    }
    return verdicts;
}

void expect_bytes(std::uint32_t bytes) {
    for (std::uint32_t id = 0; id < 8; ++id)
        for (std::size_t at = 0; at < outcomes[id].bytes.size(); ++at) {
            const bool filled = node_at(id) == plans.root || (is_member(id) && at < bytes);
            ASSERT_EQ(outcomes[id].bytes[at], filled ? sent_byte(at) : kGuard)
                << "node " << id << ", byte " << at;
        }
}

constexpr std::pair kGood{Status::ok, Status::ok};
constexpr std::pair kRefused{Status::bad_argument, Status::bad_argument};

TEST(Multicast, GivesMembersAllBytesAndLeavesThoseOfOthersAlone) {
    for (const std::uint32_t bytes : {0u, 1u, 1020u, 1021u, 3000u, 40000u})
        for (const Noise& noise : {Noise{}, Noise{.drop = 0.2, .corrupt = 0.1, .twice = 0.1}}) {
            EXPECT_EQ(verdicts(kCube3, {.sent = bytes, .expected = bytes}, noise), kGood);
            expect_bytes(bytes);
        }
    EXPECT_EQ(verdicts(kCube3, {.root = node_at(6), .calls = 40}), kGood);
    expect_bytes(3000);
}

TEST(Multicast, TakesEveryTreeThatLeadsToSingleNodesAndSaysWhichOnesDoNot) {
    for (const Rule tree : {Rule::sbt, Rule::bs, Rule::hp, Rule::msbt, Rule::sbnt_minr, Rule::alt})
        EXPECT_EQ(verdicts(kCube3, {.tree = tree}), kGood);
    for (const Rule tree : {Rule::bts, Rule::adst, Rule::ist})
        EXPECT_EQ(verdicts({Topology::uhc, 4}, {.tree = tree}), kGood);
    for (const Rule tree : {Rule::spt, Rule::edt})
        EXPECT_EQ(verdicts({Topology::star, 4}, {.tree = tree}), kGood);
    for (const Rule tree : {Rule::unicast, Rule::disjoint, Rule::sbg, Rule::spt, Rule{250}})
        EXPECT_EQ(verdicts(kCube3, {.tree = tree}).second, Status::bad_argument);
    for (const Rule tree : {Rule::sbt, Rule::bt1, Rule::bt4})
        EXPECT_EQ(verdicts({Topology::uhc, 4}, {.tree = tree}).second, Status::bad_argument);
}

TEST(Multicast, RefusesMembersAndRootsThatAreNoNodes) {
    EXPECT_EQ(verdicts(kCube3, {.members = {node_at(1), node_at(8)}}), kRefused);
    EXPECT_EQ(verdicts(kCube3, {.members = {node_at(1), kNoNode}}), kRefused);
    EXPECT_EQ(verdicts(kCube3, {.root = kToSet}), kRefused);
}

TEST(Multicast, OfNobodyOrOfItsRootAloneSendsNothing) {
    EXPECT_EQ(verdicts(kCube3, {.members = {}}).second, Status::ok);
    EXPECT_EQ(verdicts(kCube3, {.members = {node_at(2)}}).second, Status::ok);
}

TEST(Multicast, OfAnotherSizeThanExpectedSaysSo) {
    EXPECT_EQ(verdicts(kCube3, {.sent = 3000, .expected = 10}),
              (std::pair{Status::truncated, Status::ok}));
    EXPECT_EQ(verdicts(kCube3, {.sent = 10, .expected = 3000}),
              (std::pair{Status::bad_argument, Status::ok}));
}

std::uint32_t waiting = 0; // packets in the mailbox of node 7 when it begins

Process comes_late(Kernel& node) {
    if (node.id() == node_at(7)) {
        co_await node.sleep(1000 * wire::kTicksPerUnit);
        waiting = node.mailbox().size();
    }
    std::array<std::byte, 3000> bytes{};
    const MulticastPlan plan{.members = plans.members, .root = plans.root};
    Status status = Status::ok;
    for (unsigned call = 0; call < 40; ++call) {
        const Status done = co_await multicast(node, plan, bytes);
        status = first_failure(status, done);
    }
    outcomes[index(node.id())].status = status;
    co_return status;
}

TEST(Multicast, SendsALateMemberNoMoreThanAWindow) {
    plans = {};
    Rig rig{kCube3, comes_late, 100};
    rig.run({});
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        EXPECT_EQ(outcomes[id].status, Status::ok) << "node " << id;
    const std::uint32_t window = 2 * TreeFlow::half_window(rig.kernel(7));
    EXPECT_GT(waiting, window / 2);
    EXPECT_LE(waiting, window);
}

TEST(Multicast, APacketForASetThatFitsNoNetworkLeadsNowhere) {
    const Here here{{kCube3, node_at(0)}, rules_of(Topology::cube)};
    PacketBuffer buffer{};
    wire::PacketHeader& header = buffer.header;
    header = {.rule = Rule::sbt, .source = node_at(0), .destination = kToSet};
    std::array<std::byte, 8> payload{std::byte{0x42}};
    const auto leads = [&](std::uint16_t bytes = 4) {
        header.payload_bytes = bytes;
        std::copy_n(payload.begin(), bytes, buffer.payload().begin());
        return !way_to_set(here, kNoPort, buffer).nowhere();
    };
    EXPECT_TRUE(leads());
    EXPECT_TRUE(leads(8));
    EXPECT_FALSE(leads(3)) << "no room for the set";
    payload = {};
    payload[1] = std::byte{0xFF};
    EXPECT_FALSE(leads()) << "no member is a node";
    payload[0] = std::byte{0x42};
    for (const auto& [field, value] :
         {std::pair{&wire::PacketHeader::source, node_at(8)},
          std::pair{&wire::PacketHeader::destination, node_at(9)},
          std::pair{&wire::PacketHeader::destination, node_at(index(kToSet) + 1)}}) {
        const NodeId before = std::exchange(header.*field, value);
        EXPECT_FALSE(leads());
        header.*field = before;
    }
    for (const Service service : {Service::message, Service::ask, Service::taken, Service::here}) {
        header.service = static_cast<std::uint8_t>(service);
        EXPECT_FALSE(leads()) << "only single packets go to sets";
    }
    header.service = 0;
    header.flags = wire::packet_flag::kInward;
    EXPECT_FALSE(leads());
    header.flags = 0;
    for (const Rule rule : {Rule::unicast, Rule::disjoint, Rule::sbg, Rule::bts, Rule{200}}) {
        header.rule = rule;
        EXPECT_FALSE(leads());
    }
}

} // namespace multicast_test
} // namespace mesh::test
