// Events of links: each reset of a neighbour and each cable that is pulled is told once, in order,
// and nothing else is.
#include "kernel/api/alt.hpp"
#include "kernel/api/link_events.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace mesh::test {
namespace link_events_test {

using Told = std::vector<std::string>; // "1 up": port and event

Process nothing(Kernel&) { co_return Status::ok; }

Process note(Kernel& node, Told* told) {
    constexpr std::array<const char*, 3> kWords{" down", " anew", " up"};
    for (LinkEvents events{node};;) {
        const LinkEvent event = co_await events.next();
        told->push_back(std::to_string(index(event.port)) +
                        kWords[static_cast<unsigned>(event.what)]);
    }
}

Process say_to_neighbours(Kernel& node) {
    for (unsigned port = 0; port < node.ports(); ++port) {
        OutgoingPacket packet = co_await node.allocate(Rule::unicast);
        packet.header().destination = node.neighbor(port_at(port));
        packet.header().tag = 77;
        packet.resize(16);
        node.inject(std::move(packet));
    }
    co_return Status::ok;
}

class Mesh : public Rig {
public:
    explicit Mesh(Network network, unsigned seed = 1)
        : Rig(network, nothing, 320, seed),
          told(node_count(network)) {}

    void watch(std::uint32_t id) { ASSERT_TRUE(kernel(id).spawn(note(kernel(id), &told[id]))); }
    void watch_all() {
        for (std::uint32_t id = 0; id < size(); ++id)
            watch(id);
    }
    /// Until all links are as they can be.
    void rest() { finish(board(0).now_us() + 20'000'000); }

    std::vector<Told> told;
};

TEST(LinkEvents, NodesThatGetPowerOneAfterTheOtherTellNothing) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        Mesh mesh{{Topology::cube, 2}, seed};
        mesh.watch_all();
        mesh.shuffle = true;
        mesh.noise = {.drop = 0.2, .twice = 0.8, .swap = 0.5};
        const NodeId late = node_at(seed % 4); // its neighbours have greeted each other before
        mesh.is_cut = [&](NodeId from, Port port) {
            return from == late || neighbor({Topology::cube, 2}, from, port) == late;
        };
        mesh.boot();
        mesh.finish(700'000);
        mesh.is_cut = [](NodeId, Port) { return false; };
        mesh.rest();
        for (std::uint32_t id = 0; id < mesh.size(); ++id) {
            EXPECT_TRUE(mesh.kernel(id).links().at(Port{0}).up());
            EXPECT_EQ(mesh.told[id], Told{}) << "node " << id << " seed " << seed;
        }
    }
}

TEST(LinkEvents, EachResetOfANeighbourIsToldToItsNeighboursAndToNobodyElse) {
    Mesh mesh{{Topology::cube, 3}};
    mesh.run({});
    mesh.watch_all();
    Told all;
    for (unsigned times = 0; times < 20; ++times) {
        mesh.restart(2, {.op = wire::Op::app}, true);
        mesh.rest();
        all.insert(all.end(), {"1 down", "1 anew", "1 up"});
    }
    EXPECT_EQ(mesh.told[0], all);
    for (const std::uint32_t id : {1, 4, 5, 7})
        EXPECT_EQ(mesh.told[id], Told{}) << "node " << id;
    EXPECT_EQ(mesh.told[6].size(), all.size());
}

TEST(LinkEvents, AResetIsToldToAProcessThatWaitedBeforeTheNodesHadMet) {
    Mesh mesh{{Topology::cube, 2}};
    mesh.watch_all();
    mesh.run({});
    mesh.restart(1, {.op = wire::Op::app}, true);
    mesh.rest();
    EXPECT_EQ(mesh.told[0], (Told{"0 down", "0 anew", "0 up"}));
    EXPECT_EQ(mesh.told[3], (Told{"1 down", "1 anew", "1 up"}));
}

/// The number of the peer's link may then be what it was.
TEST(LinkEvents, AResetIsToldHoweverManySessionsHaveEndedBefore) {
    for (unsigned ends = 14; ends <= 18; ++ends) {
        Mesh mesh{{Topology::cube, 1}};
        mesh.run({});
        for (unsigned times = 0; times < ends; ++times) {
            mesh.is_cut = [](NodeId, Port) { return true; };
            ASSERT_TRUE(mesh.kernel(0).spawn(say_to_neighbours(mesh.kernel(0))));
            mesh.rest();
            mesh.is_cut = [](NodeId, Port) { return false; };
            mesh.rest();
        }
        mesh.watch(0);
        mesh.restart(1, {.op = wire::Op::app}, true);
        mesh.rest();
        EXPECT_EQ(mesh.told[0], (Told{"0 down", "0 anew", "0 up"})) << ends << " ends";
    }
}

TEST(LinkEvents, TwoNeighboursThatAreResetAtOnceAreBothTold) {
    Mesh mesh{{Topology::cube, 2}};
    mesh.run({});
    mesh.watch_all();
    mesh.restart(1, {.op = wire::Op::app}, true);
    mesh.restart(3, {.op = wire::Op::app}, true);
    mesh.restart(3, {.op = wire::Op::app}, true); // before anybody has answered it
    mesh.rest();
    EXPECT_EQ(mesh.told[0], (Told{"0 down", "0 anew", "0 up"}));
    EXPECT_EQ(mesh.told[2], (Told{"0 down", "0 anew", "0 anew", "0 up"}));
}

/// Nor is one that carries nothing one way only.
TEST(LinkEvents, ACableThatIsPulledAndMendedIsNoReset) {
    for (const std::uint32_t silent : {0u, 1u, 2u}) { // 2: both
        Mesh mesh{{Topology::cube, 1}};
        mesh.run({});
        mesh.watch_all();
        Told all;
        for (unsigned times = 0; times < 20; ++times) { // more ends than numbers of a life
            mesh.is_cut = [silent](NodeId from, Port) {
                return silent == 2 || index(from) == silent;
            };
            ASSERT_TRUE(mesh.kernel(0).spawn(say_to_neighbours(mesh.kernel(0))));
            mesh.rest();
            ASSERT_TRUE(mesh.kernel(0).dead_ports() != 0);
            mesh.is_cut = [](NodeId, Port) { return false; };
            mesh.rest();
            all.insert(all.end(), {"0 down", "0 up"});
        }
        EXPECT_EQ(mesh.told[0], all) << "silent: " << silent;
        EXPECT_EQ(mesh.told[1], all) << "silent: " << silent;
    }
}

TEST(LinkEvents, ANodeBesideADeadOneIsToldThatAndNoMore) {
    Mesh mesh{{Topology::cube, 2}};
    mesh.run({});
    mesh.is_cut = [](NodeId from, Port port) {
        return from == node_at(3) || neighbor({Topology::cube, 2}, from, port) == node_at(3);
    };
    mesh.restart(1, {.op = wire::Op::app}, true);
    mesh.watch(1);
    mesh.rest();
    EXPECT_EQ(mesh.told[1], (Told{"1 down"}));
    EXPECT_TRUE(mesh.kernel(1).links().at(Port{0}).up());
}

TEST(LinkEvents, OfOneWayLinksTheSenderIsTold) {
    const Network network{Topology::uhc, 3};
    Mesh mesh{network};
    mesh.run({});
    mesh.watch_all();
    mesh.restart(0, {.op = wire::Op::app}, true);
    mesh.rest();
    for (std::uint32_t id = 1; id < mesh.size(); ++id) {
        Told all;
        for (PortSequence ports = PortSequence::ascending(out_ports(network, node_at(id)));
             !ports.empty();) {
            const Port port = ports.pop();
            if (neighbor(network, node_at(id), port) == node_at(0))
                for (const char* what : {" down", " anew", " up"})
                    all.push_back(std::to_string(index(port)) + what);
        }
        EXPECT_EQ(mesh.told[id], all) << "node " << id;
    }
}

TEST(LinkEvents, WhatHappensWhileNobodyLooksIsToldLater) {
    Mesh mesh{{Topology::cube, 1}};
    mesh.run({});
    LinkEvents events{mesh.kernel(0)};
    EXPECT_FALSE(events.look());
    mesh.restart(1, {.op = wire::Op::app}, true);
    mesh.rest();
    ASSERT_TRUE(mesh.kernel(0).links().at(Port{0}).up());
    EXPECT_TRUE(events.look());
}

Process wait_for_either(Kernel& node, std::uint32_t* which) {
    LinkEvents events{node};
    *which = co_await alt(node, on(Match{.tag = 77}), on(events));
    const LinkEvent event = co_await events.next();
    co_return event.what == LinkEvent::What::down ? Status::ok : Status::failed;
}

TEST(LinkEvents, AnAlternativeWaitsForThemToo) {
    Mesh mesh{{Topology::cube, 1}};
    mesh.run({});
    std::uint32_t which = 9;
    ProcessId process;
    ASSERT_TRUE(mesh.kernel(0).spawn(wait_for_either(mesh.kernel(0), &which), process));
    mesh.rest();
    EXPECT_EQ(which, 9u);
    mesh.restart(1, {.op = wire::Op::app}, true);
    mesh.rest();
    EXPECT_EQ(which, 1u);
    wire::ModelTime end = 0;
    EXPECT_EQ(mesh.kernel(0).scheduler().join(process, end), Status::ok);
}

} // namespace link_events_test
} // namespace mesh::test
