// The relays of a whole mesh with one host cable, and the host tool's end of it: messages both ways
// pass dead nodes and cables, and frames count only where they can come.
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/cables/one_cable.hpp"
#include "onecable/relay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace mesh::host {
namespace relay_mesh_test {

using Bytes = std::vector<std::byte>;
using Cable = std::pair<std::uint32_t, unsigned>; // outward: node and port

constexpr std::string_view kMadeFor = "a test";
constexpr PortSet kAll = ~PortSet{0};
const Bytes kMessages{std::byte{1}, std::byte{2}, std::byte{3}};

class Mesh final : OneCable::Holder {
public:
    explicit Mesh(Network network, std::uint32_t frame_us = 0)
        : network_(network),
          frame_us_(frame_us),
          kept_(node_count(network)),
          alive_(node_count(network), true),
          heard_(node_count(network)),
          told_(node_count(network)),
          host_(network, {std::string(kMadeFor), frame_us, 1'000'000'000}, *this) {
        for (std::uint32_t node = 0; node < alive_.size(); ++node)
            start(node);
        run_until([&] {
            for (const auto& relay : relays_)
                if (!relay->numbered() || relay->next_deadline() != wire::kNever)
                    return false;
            return host_.answered();
        });
    }

    std::uint32_t nodes() const { return static_cast<std::uint32_t>(alive_.size()); }
    Relay& relay(std::uint32_t node) { return *relays_[node]; }
    OneCable& host() { return host_; }

    void kill(std::uint32_t node) {
        alive_[node] = false;
        host_.forget(node_at(node));
    }
    void restart(std::uint32_t node) {
        host_.began_anew(node_at(node));
        start(node);
        run_until([&] { return relays_[node]->numbered(); });
    }
    /// By itself: its memory that survives is there, and the host knows nothing of it.
    void reset(std::uint32_t node) {
        begin_life(node);
        run_until([&] { return relays_[node]->numbered(); });
    }
    /// All at once: no node has a number that it could tell another one.
    void reset_all() {
        for (std::uint32_t node = 0; node < nodes(); ++node)
            begin_life(node);
        host_.send(node_at(nodes() - 1),
                   make_host_frame(node_at(nodes() - 1), wire::HostTag::poll));
        EXPECT_TRUE(run_until([&] {
            return std::ranges::all_of(relays_, [](const auto& relay) {
                return relay->numbered() && relay->next_deadline() == wire::kNever;
            });
        }));
    }
    /// Both ways where there are two.
    void cut(Cable cable) {
        cut_.insert(cable);
        const NodeId far = neighbor(network_, node_at(cable.first), port_at(cable.second));
        cut_.insert({index(far), cable.second});
    }

    /// Each living node tells the host some things, or is told them, or both.
    bool talk(bool up, bool down) {
        for (std::uint32_t node = 0; node < nodes(); ++node) {
            heard_[node].clear();
            told_[node].clear();
            for (std::size_t number = 0; alive_[node] && number < kMessages.size(); ++number) {
                const auto payload = std::span(kMessages).subspan(number, 1);
                if (down)
                    host_.send(node_at(node),
                               make_host_frame(node_at(node), wire::HostTag::chunk, payload));
                std::array<std::byte, wire::kPacketHeaderBytes + 1> room;
                if (up)
                    relays_[node]->send(wire::make_packet(
                        room,
                        {.source = node_at(node),
                         .tag = static_cast<std::uint16_t>(wire::HostTag::console)},
                        payload));
            }
        }
        return run_until([&] {
            for (std::uint32_t node = 0; node < nodes(); ++node)
                if (alive_[node] && ((up && heard_[node].size() < kMessages.size()) ||
                                     (down && told_[node].size() < kMessages.size())))
                    return false;
            return true;
        });
    }
    /// Times that the host has numbered the nodes.
    unsigned numberings() const { return numberings_; }
    /// What the host has heard of a node, and what the node was told, in their order.
    const Bytes& heard(std::uint32_t node) const { return heard_[node]; }
    const Bytes& told(std::uint32_t node) const { return told_[node]; }

    /// Of a node, as frames to it must name it.
    std::uint16_t life(std::uint32_t node) const { return kept_[node].life; }

    /// A frame comes to a node by a port.
    Relay::Outcome bring(std::uint32_t node, Port port, wire::LinkHeader link, Bytes packet) {
        wire::PacketHeader header;
        EXPECT_EQ(wire::read_packet(packet, header), wire::Parse::ok);
        link.port = port;
        return relays_[node]->on_frame(port, link, header, packet, true);
    }

private:
    struct Flying {
        std::uint32_t node;
        Port port;
        wire::LinkHeader link;
        Bytes packet;
    };

    void start(std::uint32_t node) {
        if (relays_.size() <= node)
            relays_.resize(node + 1);
        kept_[node] = {};
        begin_life(node);
        alive_[node] = true;
    }
    void begin_life(std::uint32_t node) {
        relays_[node] =
            std::make_unique<Relay>(kMadeFor, port_count(network_), frame_us_, kept_[node]);
    }
    template <class Done>
    bool run_until(Done done) {
        const std::uint64_t until_us = now_us_ + 20'000'000;
        while (!done()) {
            if (now_us_ > until_us)
                return false;
            while (!flying_.empty())
                land();
            host_.tick();
            for (std::uint32_t node = 0; node < nodes(); ++node)
                send_all(node);
            if (flying_.empty())
                now_us_ += 10'000;
        }
        return true;
    }
    void land() {
        const Flying frame = std::move(flying_.front());
        flying_.pop_front();
        if (!alive_[frame.node])
            return;
        if (bring(frame.node, frame.port, frame.link, frame.packet) == Relay::Outcome::deliver)
            told_[frame.node].push_back(frame.packet.back());
        send_all(frame.node);
    }
    void send_all(std::uint32_t node) {
        if (!alive_[node])
            return;
        Relay& relay = *relays_[node];
        wire::LinkHeader link;
        std::span<const std::byte> packet;
        for (relay.on_ready(kAll); relay.next_frame(kAll, now_us_, link, packet);
             relay.on_ready(kAll)) {
            if (link.port == kHostPort) {
                if (node == 0)
                    to_host(link, packet);
                continue;
            }
            const std::uint32_t outward = out_ports(network_, node_at(node));
            if (((outward >> index(link.port)) & 1u) == 0 ||
                cut_.contains({node, index(link.port)}))
                continue;
            flying_.push_back({index(neighbor(network_, node_at(node), link.port)), link.port, link,
                               Bytes(packet.begin(), packet.end())});
        }
    }
    void to_host(const wire::LinkHeader& link, std::span<const std::byte> packet) {
        Bytes frame(wire::kHeadBytes);
        wire::write_head(link, {}, std::span{frame}.first<wire::kHeadBytes>());
        frame.insert(frame.end(), packet.begin(), packet.end());
        host_.heard(frame);
    }

    // OneCable::Holder
    void to_cable(std::span<const std::byte> frame) override {
        wire::LinkHeader link;
        EXPECT_EQ(wire::read_head(frame, frame.size(), link), wire::Parse::ok);
        wire::PacketHeader header;
        EXPECT_EQ(wire::read_packet(frame.subspan(wire::kHeadBytes), header), wire::Parse::ok);
        numberings_ += header.tag == static_cast<std::uint16_t>(wire::RelayTag::number) ? 1 : 0;
        flying_.push_back(
            {0, kHostPort, link, Bytes(frame.begin() + wire::kHeadBytes, frame.end())});
    }
    void from_node(NodeId node, std::span<std::byte> frame) override {
        heard_[index(node)].push_back(frame.back());
    }
    void crash_record(NodeId, std::span<const std::byte>) override {}
    std::uint64_t now_us() const override { return now_us_; }

    Network network_;
    std::uint32_t frame_us_;
    unsigned numberings_ = 0;
    std::vector<Relay::Kept> kept_;
    std::vector<std::unique_ptr<Relay>> relays_;
    std::vector<bool> alive_;
    std::set<Cable> cut_;
    std::deque<Flying> flying_;
    std::vector<Bytes> heard_;
    std::vector<Bytes> told_;
    std::uint64_t now_us_ = 0;
    OneCable host_;
};

/// Messages are all there, once and in their order.
void expect_talk(Mesh& mesh, bool up = true, bool down = true,
                 const std::set<std::uint32_t>& dead = {}) {
    ASSERT_TRUE(mesh.talk(up, down)) << "somebody is not heard";
    for (std::uint32_t node = 0; node < mesh.nodes(); ++node) {
        if (dead.contains(node))
            continue;
        ASSERT_EQ(mesh.heard(node), up ? kMessages : Bytes{}) << "of node " << node;
        ASSERT_EQ(mesh.told(node), down ? kMessages : Bytes{}) << "to node " << node;
    }
}

/// A cable, or a node.
struct Fault {
    std::optional<Cable> cable;
    std::uint32_t node = 0;

    void happen(Mesh& mesh) const { cable ? mesh.cut(*cable) : mesh.kill(node); }
};

std::vector<Fault> faults_of(Network network) {
    std::vector<Fault> faults;
    for (std::uint32_t node = 0; node < node_count(network); ++node) {
        if (node != 0)
            faults.push_back({std::nullopt, node});
        for (std::uint32_t left = out_ports(network, node_at(node)); left != 0; left &= left - 1) {
            const auto port = static_cast<unsigned>(std::countr_zero(left));
            if (index(neighbor(network, node_at(node), port_at(port))) > node)
                faults.push_back({Cable{node, port}, 0});
        }
    }
    return faults;
}

/// Messages one way must do without what those of the other way would find out.
void expect_all_hear(Network network, std::span<const Fault> faults) {
    std::set<std::uint32_t> dead;
    for (const Fault& fault : faults)
        if (!fault.cable)
            dead.insert(fault.node);
    for (const bool up : {true, false}) {
        SCOPED_TRACE(up ? "to the host" : "from the host");
        Mesh mesh(network);
        for (const Fault& fault : faults)
            fault.happen(mesh);
        ASSERT_NO_FATAL_FAILURE(expect_talk(mesh, up, !up, dead));
        ASSERT_NO_FATAL_FAILURE(expect_talk(mesh, true, true, dead));
    }
}

TEST(RelayMesh, AnyDeadNodeOrCableLeavesAllOthersTheirHost) {
    for (const Network network : {Network{Topology::cube, 2}, Network{Topology::cube, 3},
                                  Network{Topology::star, 3}, Network{Topology::uhc, 4}})
        for (const Fault& fault : faults_of(network)) {
            SCOPED_TRACE(testing::Message() << name(network.topology) << ": "
                                            << (fault.cable ? "a cable of node " : "node ")
                                            << (fault.cable ? fault.cable->first : fault.node));
            ASSERT_NO_FATAL_FAILURE(expect_all_hear(network, std::span(&fault, 1)));
        }
}

TEST(RelayMesh, OneFaultLessThanACubeHasDimensionsLeavesAllOthersTheirHost) {
    const auto faults = faults_of({Topology::cube, 3});
    for (std::size_t one = 0; one < faults.size(); ++one)
        for (std::size_t other = 0; other < one; ++other) {
            SCOPED_TRACE(testing::Message() << "faults " << other << " and " << one);
            ASSERT_NO_FATAL_FAILURE(
                expect_all_hear({Topology::cube, 3}, std::array{faults[one], faults[other]}));
        }
}

TEST(RelayMesh, ANodeThatBeginsAnewIsHeardAgain) {
    const Network network{Topology::cube, 3};
    for (std::uint32_t node = 1; node < 8; ++node) {
        Mesh mesh(network);
        ASSERT_NO_FATAL_FAILURE(expect_talk(mesh));
        mesh.kill(node);
        ASSERT_NO_FATAL_FAILURE(expect_talk(mesh, true, true, {node}));
        mesh.restart(node);
        ASSERT_NO_FATAL_FAILURE(expect_talk(mesh));
    }
}

/// A numbering of another run, by which all nodes are to begin anew.
Bytes reset() {
    const wire::Numbering numbering{.run = 0xBAD,
                                    .assignment = 1,
                                    .from = index(kNoNode),
                                    .topology = Topology::cube,
                                    .dim = 3};
    Bytes packet(wire::kPacketHeaderBytes + sizeof numbering);
    wire::make_packet(packet, {.tag = static_cast<std::uint16_t>(wire::RelayTag::number)},
                      wire::bytes_of(numbering));
    return packet;
}

TEST(RelayMesh, ANodeBeginsAnewByAWordFromAnyNeighbourAndNode0ByTheHostOnly) {
    for (std::uint32_t node = 0; node < 8; ++node)
        for (unsigned port = 0; port < 3; ++port) {
            Mesh mesh({Topology::cube, 3});
            mesh.bring(node, port_at(port), {}, reset());
            wire::LinkHeader link;
            std::span<const std::byte> packet;
            while (mesh.relay(node).next_frame(kAll, 0, link, packet))
                mesh.relay(node).on_ready(kAll);
            EXPECT_EQ(mesh.relay(node).reset_due(), node != 0)
                << "node " << node << ", port " << port;
        }
}

TEST(RelayMesh, ANodeThatResetsItselfIsHeardAgainAtOnceAndTwiceInARow) {
    for (std::uint32_t node = 1; node < 8; ++node) {
        Mesh mesh({Topology::cube, 3});
        mesh.reset(node); // it has said no more than its name
        ASSERT_NO_FATAL_FAILURE(expect_talk(mesh)) << "node " << node;
        mesh.reset(node);
        mesh.reset(node);
        ASSERT_NO_FATAL_FAILURE(expect_talk(mesh)) << "node " << node;
    }
}

TEST(RelayMesh, NodesThatAreAllResetAtOnceHaveTheirNumbersAgainOnceTheHostWantsOne) {
    for (const std::uint32_t frame_us : {0, 100'000})
        for (unsigned times = 0; times < 3; ++times) {
            Mesh mesh({Topology::cube, 3}, frame_us);
            for (unsigned time = 0; time <= times; ++time)
                mesh.reset_all();
            ASSERT_NO_FATAL_FAILURE(expect_talk(mesh));
        }
}

TEST(RelayMesh, NodesThatAreHeardAreNotNumberedAgain) {
    Mesh mesh({Topology::cube, 3});
    ASSERT_NO_FATAL_FAILURE(expect_talk(mesh));
    const unsigned before = mesh.numberings();
    for (unsigned times = 0; times < 10; ++times)
        ASSERT_NO_FATAL_FAILURE(expect_talk(mesh));
    EXPECT_EQ(mesh.numberings(), before);
}

TEST(RelayMesh, PausesGrowWhenAllWaysHaveBeenTriedAndNeverShrink) {
    EXPECT_EQ(wire::relay_pause_after(200'000, 1), 200'000u);
    EXPECT_EQ(wire::relay_pause_after(200'000, 0), 400'000u);
    EXPECT_EQ(wire::relay_pause_after(800'000, 0), 1'000'000u);
    EXPECT_EQ(wire::relay_pause_after(2'400'000, 0), 2'400'000u) << "slow cables";
    EXPECT_EQ(wire::way_after(2, 3), 3u);
    EXPECT_EQ(wire::way_after(3, 3), 0u) << "unicast again";
}

TEST(RelayMesh, TheHostSpeaksByItsOwnLineAndByTheWaysThatFramesName) {
    const auto order = [](std::uint32_t node) {
        Bytes packet(wire::kPacketHeaderBytes);
        wire::make_packet(
            packet,
            {.destination = node_at(node), .tag = static_cast<std::uint16_t>(wire::HostTag::hang)},
            {});
        return packet;
    };
    Mesh mesh({Topology::cube, 3});
    const auto of_first_life = [&mesh](std::uint16_t number, std::uint16_t way) {
        wire::LinkHeader link{.sequence = number, .flags = way};
        wire::Shared{link}.life() = mesh.life(6);
        return link;
    };
    // Node 6 is told by way 0 through 2 or 4, never through 7, whatever number the message has.
    ASSERT_NO_FATAL_FAILURE(expect_talk(mesh));
    unsigned believed = 0;
    for (unsigned port = 0; port < 3; ++port)
        for (std::uint16_t number = 1; number < 8; ++number) {
            const auto outcome = mesh.bring(6, port_at(port), of_first_life(number, 0), order(6));
            believed += outcome == Relay::Outcome::deliver ? 1u << port : 0;
        }
    EXPECT_TRUE(believed == 1u << 1 || believed == 1u << 2) << believed;
    for (unsigned port = 0; port < 3; ++port)
        for (std::uint16_t number = 1; number < 8; ++number)
            for (std::uint16_t way = 0; way < 5; ++way)
                EXPECT_EQ(mesh.bring(0, port_at(port), of_first_life(number, way), order(0)),
                          Relay::Outcome::done);
}

} // namespace relay_mesh_test
} // namespace mesh::host
