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
    void from_node(NodeId, std::span<std::byte>) override {}
    void crash_record(NodeId, std::span<const std::byte>) override {}
    std::uint64_t now_us() const override { return 0; }

    std::vector<std::uint32_t> heard_of; // nodes, in the order of their messages
};

TEST(OneCable, NodesThatAreGoneKeepNobodyWaiting) {
    Cable cable;
    OneCable one_cable({Topology::cube, 4}, {"", 0, 1'000'000}, cable);
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

} // namespace one_cable_test
} // namespace mesh::host
