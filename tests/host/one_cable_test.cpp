// Messages to the nodes of a mesh with one host cable: few are under way at a time.
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/cables/one_cable.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mesh::host {
namespace one_cable_test {

/// A cable whose other end hears everything and says nothing.
struct Cable final : OneCable::Holder {
    void to_cable(std::span<const std::byte> frame) override {
        wire::PacketHeader header;
        ASSERT_EQ(wire::read_packet(frame.subspan(wire::kHeadBytes), header), wire::Parse::ok);
        heard_of.push_back(index(header.destination));
    }
    void from_node(NodeId, std::span<std::byte>) override { ++taken; }
    void crash_record(NodeId, std::span<const std::byte>) override {}
    std::uint64_t now_us() const override { return 0; }

    unsigned taken = 0;
    std::vector<std::uint32_t> heard_of; // nodes, in the order of their messages
};

/// A node's message number `sequence` of its life comes.
void say(OneCable& one_cable, std::uint32_t node, wire::RelayTag tag, std::uint16_t sequence,
         std::uint16_t life) {
    Bytes frame(wire::kHeadBytes + wire::kPacketHeaderBytes);
    wire::LinkHeader link{.kind = wire::Kind::host, .port = kHostPort, .sequence = sequence};
    link.packet_bytes = wire::kPacketHeaderBytes;
    wire::Shared{link}.life() = life;
    wire::write_head(link, {}, std::span{frame}.first<wire::kHeadBytes>());
    wire::make_packet(std::span{frame}.subspan(wire::kHeadBytes),
                      {.source = node_at(node), .tag = static_cast<std::uint16_t>(tag)}, {});
    one_cable.heard(frame);
}

TEST(OneCable, NodesThatAreGoneKeepNobodyWaiting) {
    Cable cable;
    OneCable one_cable({Topology::cube, 4}, {"", 0, 1'000'000}, cable);
    for (std::uint32_t node = 1; node <= 9; ++node)
        say(one_cable, node, wire::RelayTag::named, 1, 1);
    cable.heard_of.clear();
    const auto ask = [&](std::uint32_t node) {
        one_cable.send(node_at(node), make_host_frame(node_at(node), wire::HostTag::poll));
    };
    for (std::uint32_t node = 1; node <= 6; ++node)
        ask(node);
    const std::size_t under_way = cable.heard_of.size();
    ASSERT_LT(under_way, 6u) << "the others wait for answers";
    for (std::uint32_t node = 1; node <= 6; ++node)
        one_cable.forget(node_at(node));
    ask(9);
    EXPECT_EQ(cable.heard_of.size(), under_way + 1);
    EXPECT_EQ(cable.heard_of.back(), 9u);
}

TEST(OneCable, MessagesWaitUntilTheirNodeHasSaidItsName) {
    Cable cable;
    OneCable one_cable({Topology::cube, 4}, {"", 0, 1'000'000}, cable);
    one_cable.send(node_at(5), make_host_frame(node_at(5), wire::HostTag::poll));
    EXPECT_TRUE(cable.heard_of.empty());
    say(one_cable, 5, wire::RelayTag::named, 1, 7);
    EXPECT_EQ(cable.heard_of, (std::vector<std::uint32_t>{5})) << "it carries the acknowledgement";
}

/// Else it could be taken for a message of the new life, which has the same number.
TEST(OneCable, WhatANodeSaidBeforeItWasResetIsOfNoUseBehindItsName) {
    Cable cable;
    OneCable one_cable({Topology::cube, 4}, {"", 0, 1'000'000}, cable);
    const auto says = [&](wire::RelayTag tag, std::uint16_t sequence, std::uint16_t life) {
        say(one_cable, 5, tag, sequence, life);
        return cable.taken;
    };
    const auto text = static_cast<wire::RelayTag>(wire::HostTag::console);
    EXPECT_EQ(says(wire::RelayTag::named, 1, 0xFFFF), 0u);
    EXPECT_EQ(says(text, 2, 0xFFFF), 1u);
    EXPECT_EQ(says(wire::RelayTag::named, 1, 0x9000), 1u);
    EXPECT_EQ(says(text, 2, 0xFFFF), 1u) << "late";
    EXPECT_EQ(says(wire::RelayTag::named, 1, 0xFFFF), 1u) << "late";
    EXPECT_EQ(says(text, 2, 0x9000), 2u);
    EXPECT_EQ(says(text, 2, 0x9000), 2u) << "again";
}

} // namespace one_cable_test
} // namespace mesh::host
