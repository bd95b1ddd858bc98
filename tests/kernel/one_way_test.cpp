// Links that carry one way only, on the UHC: answers come home whatever one fault there is, and a
// link is declared dead if and only if its own far end is gone.
#include "rig.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>

namespace mesh::test {
namespace one_way_test {

constexpr Network kNetwork{Topology::uhc, 4};
constexpr std::uint32_t kPackets = 40; // that every node sends to every neighbour
constexpr Tag kTag = 9;

/// Sends over every link of this node, and takes all that comes.
Process talk(Kernel& node) {
    for (std::uint32_t number = 0; number < kPackets; ++number)
        for (std::uint32_t ports = node.rules().out_ports(kNetwork, node.id()); ports != 0;
             ports &= ports - 1) {
            const Port port = port_at(static_cast<unsigned>(std::countr_zero(ports)));
            OutgoingPacket packet = co_await node.allocate(Rule::unicast);
            packet.header().destination = node.neighbor(port);
            packet.header().tag = kTag;
            packet.header().position = number;
            packet.resize(20);
            node.inject(std::move(packet));
            while (node.has({.tag = kTag}))
                static_cast<void>(node.take({.tag = kTag}));
        }
    co_return Status::ok;
}

bool sends(NodeId node, Port port) {
    return ((out_ports(kNetwork, node) >> index(port)) & 1u) != 0;
}

/// Runs the talk with a fault from the beginning of the work; the links that were declared dead.
std::uint32_t dead_links(const std::function<bool(NodeId, Port)>& is_cut, std::uint32_t& at_node) {
    Rig rig{kNetwork, talk};
    rig.boot();
    rig.started = true; // nodes are up: the fault comes after the self-check
    rig.is_cut = is_cut;
    rig.run({});
    std::uint32_t links = 0;
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        const std::uint32_t dead = rig.report(id).dead_ports;
        links += static_cast<std::uint32_t>(std::popcount(dead));
        if (dead != 0)
            at_node = id;
    }
    EXPECT_EQ(rig.total(Counter::drop_wrong_port), 0u);
    return links;
}

TEST(OneWay, EveryNodeKnowsAllItsNeighboursAfterTheSelfCheck) {
    for (std::uint8_t dim = 2; dim <= 7; ++dim) {
        const Network network{Topology::uhc, dim};
        Rig rig{network, talk};
        rig.boot();
        std::uint32_t ready = 0;
        for (const Rig::HostFrame& frame : rig.to_host)
            if (frame.tag == wire::HostTag::ready) {
                const auto told = wire::load<wire::Ready>(frame.payload, 0);
                EXPECT_EQ(told.ports_good, (1u << dim) - 1) << "node " << index(frame.from);
                EXPECT_EQ(told.ports_miswired, 0u);
                ++ready;
            }
        EXPECT_EQ(ready, node_count(network)) << "n = " << int{dim};
    }
}

TEST(OneWay, OneCutLinkIsTheOnlyOneDeclaredDead) {
    for (std::uint32_t id = 0; id < node_count(kNetwork); ++id)
        for (unsigned number = 0; number < kNetwork.dim; ++number) {
            const NodeId from = node_at(id);
            const Port port = port_at(number);
            if (!sends(from, port))
                continue;
            std::uint32_t at_node = kNetwork.dim;
            EXPECT_EQ(dead_links([=](NodeId node, Port out) { return node == from && out == port; },
                                 at_node),
                      1u)
                << id << '/' << number;
            EXPECT_EQ(at_node, id);
        }
}

TEST(OneWay, OfADeadNodeTheLinksIntoItAreDeclaredDead) {
    for (std::uint32_t id = 0; id < node_count(kNetwork); ++id) {
        const NodeId gone = node_at(id);
        std::uint32_t at_node = 0;
        // It still talks to itself: of its own links nobody ever acknowledges anything.
        const unsigned own = static_cast<unsigned>(std::popcount(out_ports(kNetwork, gone)));
        const unsigned into = static_cast<unsigned>(std::popcount(in_ports(kNetwork, gone)));
        EXPECT_EQ(dead_links(
                      [=](NodeId node, Port out) {
                          return node == gone || neighbor(kNetwork, node, out) == gone;
                      },
                      at_node),
                  own + into)
            << "node " << id;
    }
}

} // namespace one_way_test
} // namespace mesh::test
