// A message gets through as long as one of the disjoint paths to its receiver is left: once, whole,
// and its sender knows.
#include "kernel/api/message.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mesh::test {
namespace disjoint_test {

/// A cable (of the UHC: the one link that it is), or a node with all its cables.
struct Fault {
    NodeId node{};
    Port port = kNoPort;

    bool hits(Network network, NodeId from, Port by) const {
        const NodeId to = neighbor(network, from, by);
        if (port == kNoPort)
            return from == node || to == node;
        return by == port && (from == node || to == node);
    }
    std::string words() const {
        return (port == kNoPort ? "node " : "cable ") + std::to_string(index(node)) +
               (port == kNoPort ? "" : "/" + std::to_string(index(port))) + " ";
    }
};

/// Everything that can fail between two nodes that do not.
std::vector<Fault> all_faults(Network network, NodeId from, NodeId to) {
    std::vector<Fault> faults;
    for (std::uint32_t id = 0; id < node_count(network); ++id) {
        const NodeId node = node_at(id);
        for (PortSequence out = PortSequence::ascending(out_ports(network, node)); !out.empty();) {
            const Port port = out.pop();
            if (network.topology == Topology::uhc || node < neighbor(network, node, port))
                faults.push_back({node, port});
        }
        if (node != from && node != to)
            faults.push_back({node});
    }
    return faults;
}

struct Story {
    NodeId from{}, to{};
    std::uint16_t packet_bytes = 256;
    std::vector<std::byte> data{};
    std::vector<std::byte> room{};
    std::optional<Status> sent{};
    std::optional<Received> got{};
};
Story story;

Process one_message(Kernel& node) {
    const SendOptions options{.packet_bytes = story.packet_bytes};
    if (node.id() == story.from)
        story.sent = co_await send(node, story.to, options, story.data);
    if (node.id() == story.to)
        story.got = co_await receive(node, story.room);
    co_return Status::ok;
}

void tell_story(NodeId from, NodeId to, std::size_t bytes) {
    story = {.from = from, .to = to};
    for (std::size_t at = 0; at < bytes; ++at)
        story.data.push_back(static_cast<std::byte>(at * 7 + at / 256));
    story.room.resize(bytes);
}

/// One message while `faults` happen after `frames` frames of the work.
void expect_through(Network network, std::span<const Fault> faults, std::uint64_t frames) {
    Rig rig{network, one_message, 64};
    rig.limit_us = 60'000'000;
    std::uint64_t work = 0;
    rig.is_cut = [&](NodeId from, Port by) {
        if (!rig.started || work++ < frames)
            return false;
        return std::any_of(faults.begin(), faults.end(),
                           [&](const Fault& fault) { return fault.hits(network, from, by); });
    };
    rig.run({});
    const bool through = story.sent == Status::ok && story.got && story.got->status == Status::ok &&
                         story.room == story.data;
    std::string words = "from " + std::to_string(index(story.from)) + " to " +
                        std::to_string(index(story.to)) + " after " + std::to_string(frames) + ": ";
    for (const Fault& fault : faults)
        words += fault.words();
    EXPECT_TRUE(through) << words;
    EXPECT_FALSE(rig.kernel(index(story.to)).has({.service = Service::message})) << words;
    EXPECT_FALSE(rig.kernel(index(story.to)).has({.service = Service::fragment})) << words;
}

/// Every set of `most` faults, before the message and while it is under way.
void expect_through_all_sets(Network network, NodeId from, NodeId to, unsigned most,
                             std::initializer_list<std::uint64_t> moments) {
    const std::vector<Fault> faults = all_faults(network, from, to);
    for (std::size_t a = 0; a < faults.size(); ++a)
        for (std::size_t b = a; b < faults.size(); ++b) {
            if ((b != a) != (most == 2))
                continue;
            const std::array<Fault, 2> set{faults[a], faults[b]};
            for (const std::uint64_t frames : moments) {
                tell_story(from, to, 5000);
                expect_through(network, std::span{set}.first(most), frames);
                if (testing::Test::HasFailure())
                    return;
            }
        }
}

TEST(Disjoint, NoTwoFaultsOnThe3CubeKeepAMessageFromALivingNode) {
    for (const std::uint32_t to : {1u, 3u, 7u})
        expect_through_all_sets({Topology::cube, 3}, node_at(0), node_at(to), 2, {0, 9, 40});
}

TEST(Disjoint, NoFaultOnTheUhcOfDimension4KeepsAMessageFromALivingNode) {
    for (const std::uint32_t from : {0u, 1u})
        for (std::uint32_t to = 0; to < 16; ++to)
            if (to != from)
                expect_through_all_sets({Topology::uhc, 4}, node_at(from), node_at(to), 1, {0, 30});
}

TEST(Disjoint, NoTwoFaultsOnTheStarOf4SymbolsKeepAMessageFromALivingNode) {
    for (const std::uint32_t to : {14u, 23u})
        expect_through_all_sets({Topology::star, 4}, node_at(0), node_at(to), 2, {0});
}

} // namespace disjoint_test
} // namespace mesh::test
