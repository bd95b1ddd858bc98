// The loom: cables with faults, for any wiring, with no idea of where packets go.
#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/cables/loom.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {
namespace loom_test {

constexpr std::uint32_t kNodes = 5;
constexpr unsigned kPorts = 2;

/// A ring that is no network of ours: port 0 of node i leads to port 1 of node i+1.
std::optional<Far> ring(NodeId node, Port port) {
    const std::uint32_t step = index(port) == 0 ? 1 : kNodes - 1;
    return Far{node_at((index(node) + step) % kNodes), port_at(1 - index(port))};
}

struct Arrival {
    NodeId at;
    Bytes frame;
};

class Recorder final : public Cables {
public:
    bool deliver(NodeId to, std::span<const std::byte> frame) override {
        arrivals.push_back({to, Bytes(frame.begin(), frame.end())});
        return !full;
    }
    void to_host(NodeId, std::span<const std::byte>) override { ++to_host_count; }
    void kill(NodeId node) override { killed.push_back(node); }
    void restart(NodeId node, unsigned starts) override { restarted.emplace_back(node, starts); }
    void expel(NodeId node, std::string_view why) override { expelled.emplace_back(node, why); }
    std::uint64_t now_us() const override { return time_us; }

    std::vector<Arrival> arrivals;
    std::vector<std::pair<NodeId, std::string>> expelled;
    std::vector<std::pair<NodeId, unsigned>> restarted;
    bool full = false; // no node takes anything
    std::vector<NodeId> killed;
    unsigned to_host_count = 0;
    std::uint64_t time_us = 0;
};

/// A data frame whose packet names a destination and carries `number`.
Bytes data_frame(Port port, std::uint32_t number, std::uint32_t destination = 0xABCD'EF01) {
    constexpr std::size_t kPayloadBytes = 8;
    Bytes frame(wire::kHeadBytes + wire::kPacketHeaderBytes + kPayloadBytes);
    wire::LinkHeader link;
    link.kind = wire::Kind::data;
    link.port = port;
    link.sequence = static_cast<std::uint16_t>(number);
    link.packet_bytes = static_cast<std::uint16_t>(frame.size() - wire::kHeadBytes);
    wire::write_head(link, {}, std::span(frame).first<wire::kHeadBytes>());
    wire::PacketHeader packet;
    packet.payload_bytes = kPayloadBytes;
    packet.destination = node_at(destination);
    packet.message = number;
    const auto bytes = std::span(frame).subspan(wire::kHeadBytes);
    wire::write_packet_header(packet, bytes.first<wire::kPacketHeaderBytes>());
    wire::seal_packet(bytes);
    return frame;
}

std::uint32_t number_of(const Bytes& frame) {
    return wire::load<std::uint32_t>(frame, wire::kHeadBytes + wire::packet_offset::kMessage);
}

FaultPlan plan_of(std::vector<Incident> incidents) { return {7, std::move(incidents)}; }

Incident everywhere(std::string_view kind, double amount) {
    Incident incident;
    incident.kind = fault_named(kind);
    incident.amount = amount;
    return incident;
}

class LoomTest : public testing::Test {
protected:
    /// A loom whose nodes have all spoken, with faults on.
    Loom& loom(std::vector<Incident> incidents = {}) {
        loom_.emplace(kNodes, kPorts, ring, plan_of(std::move(incidents)), cables);
        wake(kNodes);
        loom_->arm_faults();
        return *loom_;
    }
    void wake(std::uint32_t nodes) {
        for (std::uint32_t node = 0; node < nodes; ++node) {
            Bytes hello = make_host_frame(kNoNode, wire::HostTag::ready);
            loom_->frame_from(node_at(node), hello);
        }
    }
    void send(NodeId from, Port port, std::uint32_t number) {
        Bytes frame = data_frame(port, number);
        loom_->frame_from(from, frame);
    }
    /// Sends 0..count-1 over one cable; returns the numbers that come out at the other end.
    std::vector<std::uint32_t> pass(std::uint32_t count) {
        for (std::uint32_t number = 0; number < count; ++number)
            send(node_at(0), port_at(0), number);
        cables.time_us += 1'000'000;
        loom_->tick();
        std::vector<std::uint32_t> numbers;
        for (const Arrival& arrival : cables.arrivals)
            numbers.push_back(number_of(arrival.frame));
        return numbers;
    }

    Recorder cables;
    std::optional<Loom> loom_;
};

TEST_F(LoomTest, AFrameLeavesAtTheOtherEndOfItsCableWhateverItsPacketSays) {
    loom();
    for (std::uint32_t node = 0; node < kNodes; ++node)
        for (unsigned port = 0; port < kPorts; ++port)
            for (const std::uint32_t destination : {0u, node, 0xFFFF'FFFFu}) {
                cables.arrivals.clear();
                const Bytes sent = data_frame(port_at(port), 5, destination);
                Bytes frame = sent;
                loom_->frame_from(node_at(node), frame);
                const Far far = *ring(node_at(node), port_at(port));
                ASSERT_EQ(cables.arrivals.size(), 1u);
                EXPECT_EQ(cables.arrivals[0].at, far.node);
                Bytes expected = sent;
                expected[wire::offset::kCablePort] = static_cast<std::byte>(far.port);
                EXPECT_EQ(cables.arrivals[0].frame, expected) << "only the port byte changes";
            }
    EXPECT_EQ(loom_->counts().packets, kNodes * kPorts * 3);
}

TEST_F(LoomTest, FramesThatFitNoCableAreCountedAndGoNowhere) {
    loom();
    Bytes nothing;
    Bytes runt(wire::kHeadBytes - 1);
    Bytes stray = data_frame(port_at(kPorts), 1);
    Bytes forged = data_frame(kHostPort, 1);
    for (Bytes* frame : {&nothing, &runt, &stray, &forged})
        loom_->frame_from(node_at(1), *frame);
    EXPECT_EQ(loom_->counts().malformed, 4u);
    EXPECT_TRUE(cables.arrivals.empty());
}

TEST_F(LoomTest, NothingPassesAgainstTheDirectionOfALink) {
    const Network network{Topology::uhc, 2};
    loom_.emplace(node_count(network), port_count(network), wiring_of(network), FaultPlan{},
                  cables);
    wake(4);
    for (std::uint32_t node = 0; node < 4; ++node)
        for (unsigned port = 0; port < 2; ++port) {
            cables.arrivals.clear();
            Bytes frame = data_frame(port_at(port), 5);
            loom_->frame_from(node_at(node), frame);
            const bool sends = ((out_ports(network, node_at(node)) >> port) & 1u) != 0;
            EXPECT_EQ(cables.arrivals.size(), sends ? 1u : 0u) << node << '/' << port;
        }
    EXPECT_EQ(loom_->counts().against, 4u);
    ASSERT_TRUE(loom_->counts().first_against);
    EXPECT_EQ(loom_->counts().first_against->node, node_at(0));
    EXPECT_EQ(loom_->counts().first_against->port, port_at(1));
    EXPECT_EQ(loom_->counts().packets, 4u);
}

TEST_F(LoomTest, ANodeGetsNothingBeforeItHasSpokenAndEverythingAfterwards) {
    Loom quiet(kNodes, kPorts, ring, {}, cables);
    Bytes first = data_frame(port_at(0), 1);
    quiet.frame_from(node_at(0), first);
    quiet.send(node_at(1), make_host_frame(node_at(1), wire::HostTag::poll));
    EXPECT_TRUE(cables.arrivals.empty());
    Bytes answer = data_frame(port_at(0), 9);
    quiet.frame_from(node_at(1), answer);
    ASSERT_EQ(cables.arrivals.size(), 2u);
    EXPECT_EQ(number_of(cables.arrivals[0].frame), 1u);
}

TEST_F(LoomTest, DroppedFramesAreCountedAndTheOthersKeepTheirOrder) {
    loom({everywhere("drop", 0.3)});
    const auto numbers = pass(1000);
    EXPECT_EQ(numbers.size() + loom_->counts().struck_by(*fault_named("drop")), 1000u);
    EXPECT_NEAR(static_cast<double>(loom_->counts().struck_by(*fault_named("drop"))), 300, 60);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
}

TEST_F(LoomTest, ACorruptedFrameDiffersInOneByteBehindTheCableHeader) {
    loom({everywhere("corrupt", 0.5)});
    for (std::uint32_t number = 0; number < 200; ++number)
        send(node_at(0), port_at(0), number);
    ASSERT_EQ(cables.arrivals.size(), 200u);
    std::uint64_t damaged = 0;
    for (std::uint32_t number = 0; number < 200; ++number) {
        Bytes good = data_frame(port_at(0), number);
        good[wire::offset::kCablePort] = std::byte{1};
        const Bytes& got = cables.arrivals[number].frame;
        ASSERT_EQ(got.size(), good.size());
        unsigned different = 0;
        for (std::size_t at = 0; at < good.size(); ++at)
            different += good[at] != got[at] ? 1 : 0;
        damaged += different;
        EXPECT_LE(different, 1u);
        EXPECT_TRUE(std::equal(good.begin(), good.begin() + wire::offset::kKind, got.begin()));
    }
    EXPECT_EQ(damaged, loom_->counts().struck_by(*fault_named("corrupt")));
    EXPECT_GT(damaged, 50u);
}

TEST_F(LoomTest, DuplicatesComeTwiceAndAreCounted) {
    loom({everywhere("dup", 0.2)});
    const auto numbers = pass(500);
    EXPECT_EQ(numbers.size(), 500 + loom_->counts().struck_by(*fault_named("dup")));
    EXPECT_GT(loom_->counts().struck_by(*fault_named("dup")), 50u);
    std::map<std::uint32_t, unsigned> times;
    for (const std::uint32_t number : numbers)
        ++times[number];
    EXPECT_EQ(times.size(), 500u);
}

TEST_F(LoomTest, ReorderedFramesComeOnceAndOneFrameLate) {
    loom({everywhere("reorder", 0.2)});
    auto numbers = pass(500);
    ASSERT_EQ(numbers.size(), 500u);
    EXPECT_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
    for (std::size_t at = 0; at < numbers.size(); ++at)
        EXPECT_LE(std::max<std::size_t>(at, numbers[at]) - std::min<std::size_t>(at, numbers[at]),
                  1u);
    std::sort(numbers.begin(), numbers.end());
    EXPECT_TRUE(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end());
}

TEST_F(LoomTest, DelayedFramesComeLaterInTheirOrder) {
    loom({everywhere("delay", 50)});
    send(node_at(0), port_at(0), 1);
    cables.time_us = 20;
    send(node_at(0), port_at(0), 2);
    EXPECT_EQ(loom_->next_tick_us(), 50u);
    cables.time_us = 50;
    loom_->tick();
    ASSERT_EQ(cables.arrivals.size(), 1u);
    cables.time_us = 70;
    loom_->tick();
    ASSERT_EQ(cables.arrivals.size(), 2u);
    EXPECT_EQ(number_of(cables.arrivals[1].frame), 2u);
    EXPECT_FALSE(loom_->next_tick_us().has_value());
}

TEST_F(LoomTest, ACutCableSwallowsBothWaysOrOneWay) {
    Incident both;
    both.kind = fault_named("cut");
    both.node = node_at(0);
    both.port = port_at(0);
    Incident out = both;
    out.node = node_at(2);
    out.one_way = true;
    loom({both, out});
    send(node_at(0), port_at(0), 1);
    send(node_at(1), port_at(1), 2);
    send(node_at(2), port_at(0), 3);
    EXPECT_TRUE(cables.arrivals.empty());
    send(node_at(3), port_at(1), 4);
    EXPECT_EQ(cables.arrivals.size(), 1u);
    EXPECT_EQ(loom_->counts().struck_by(*fault_named("cut")), 3u);
}

TEST_F(LoomTest, AMendedCableCarriesInTheDirectionsInWhichItWasCut) {
    for (const bool one_way : {false, true}) {
        cables.arrivals.clear();
        const Incident cut{1, fault_named("cut"), node_at(0), port_at(0), one_way};
        const Incident mend{2, fault_named("mend"), node_at(0), port_at(0)};
        loom({cut, mend});
        send(node_at(0), port_at(0), 1);
        send(node_at(0), port_at(0), 2);
        EXPECT_EQ(cables.arrivals.size(), 1u);
        EXPECT_TRUE(loom_->cut(node_at(0), port_at(0)));
        send(node_at(3), port_at(0), 3);
        send(node_at(0), port_at(0), 4);
        send(node_at(1), port_at(1), 5);
        ASSERT_EQ(cables.arrivals.size(), 4u);
        EXPECT_EQ(number_of(cables.arrivals[2].frame), 4u);
        EXPECT_EQ(number_of(cables.arrivals[3].frame), 5u);
        EXPECT_FALSE(loom_->cut(node_at(0), port_at(0)));
    }
}

Incident restart_of(NodeId node, std::uint64_t after) {
    return {after, fault_named("restart"), node, kNoPort};
}

TEST_F(LoomTest, ANodeInResetHearsItsHostOnlyAndSpeaksWhenItIsThereAgain) {
    loom({restart_of(node_at(1), 1)});
    send(node_at(0), port_at(0), 1);
    EXPECT_EQ(cables.restarted, (std::vector{std::pair{node_at(1), 1u}}));
    cables.arrivals.clear();
    send(node_at(1), port_at(0), 2); // it had begun to say that
    send(node_at(0), port_at(0), 3);
    loom_->send(node_at(1), make_host_frame(node_at(1), wire::HostTag::job));
    EXPECT_TRUE(cables.arrivals.empty());
    loom_->restarted(node_at(1));
    send(node_at(0), port_at(0), 4); // its network interface may not be on yet
    EXPECT_TRUE(cables.arrivals.empty());
    send(node_at(1), port_at(0), 5);
    ASSERT_EQ(cables.arrivals.size(), 2u);
    EXPECT_EQ(cables.arrivals[0].at, node_at(1)) << "the job";
    EXPECT_EQ(number_of(cables.arrivals[1].frame), 5u);
    send(node_at(0), port_at(0), 6);
    EXPECT_EQ(cables.arrivals.size(), 3u);
}

/// Real time decides how often it says hello before it hears of its job, so that counts once. Later
/// hellos are at model times: by one of them a neighbour is met that comes back after it.
TEST_F(LoomTest, InLockstepARestartedNodesHellosCountAgainOnceItHasComeToRest) {
    loom();
    loom_->count_starts(node_at(1), 1);
    loom_->begin_lockstep();
    const auto rest = [&](std::uint32_t node) {
        wire::LinkHeader header{
            .kind = wire::Kind::idle, .port = kHostPort, .model_time = wire::kNever};
        wire::Idle{header}.consumed() = static_cast<std::uint32_t>(std::ranges::count_if(
            cables.arrivals, [&](const Arrival& arrival) { return arrival.at == node_at(node); }));
        Bytes frame(wire::kHeadBytes);
        wire::write_head(header, {}, std::span(frame).first<wire::kHeadBytes>());
        loom_->frame_from(node_at(node), frame);
    };
    const auto hello = [&] {
        Bytes frame = data_frame(port_at(0), 0);
        frame[wire::offset::kKind] = static_cast<std::byte>(wire::Kind::hello);
        loom_->frame_from(node_at(1), frame);
        return cables.arrivals.size();
    };
    for (const std::uint32_t node : {0u, 2u, 3u, 4u})
        rest(node);
    hello(), hello(), rest(1);
    EXPECT_EQ(cables.arrivals.size(), 1u);
    rest(2);
    EXPECT_EQ(hello(), 2u);
}

TEST_F(LoomTest, AKilledNodeCanComeBackAndOneThatEndedOfItselfCannot) {
    const Incident kill{1, fault_named("kill"), node_at(1), kNoPort};
    loom({kill, restart_of(node_at(1), 2), restart_of(node_at(3), 2)});
    loom_->gone(node_at(3));
    send(node_at(0), port_at(0), 1);
    EXPECT_TRUE(std::as_const(*loom_).gone(node_at(1)));
    send(node_at(4), port_at(0), 2);
    EXPECT_FALSE(std::as_const(*loom_).gone(node_at(1)));
    EXPECT_TRUE(std::as_const(*loom_).gone(node_at(3)));
    EXPECT_EQ(cables.restarted, (std::vector{std::pair{node_at(1), 1u}}));
}

TEST_F(LoomTest, AnIncidentHappensAfterSoManyPackets) {
    Incident kill;
    kill.kind = fault_named("kill");
    kill.node = node_at(1);
    kill.after = 3;
    loom({kill});
    for (std::uint32_t number = 0; number < 6; ++number)
        send(node_at(0), port_at(0), number);
    // Its neighbours' ports lose their carrier.
    ASSERT_EQ(cables.arrivals.size(), 3u + 2);
    for (const unsigned port : {0u, 1u}) {
        const Arrival& told = cables.arrivals[3 + port];
        const PortSet ports = 1u << port;
        EXPECT_EQ(ring(told.at, port_at(port))->node, node_at(1));
        EXPECT_EQ(told.frame,
                  make_host_frame(told.at, wire::HostTag::no_carrier, wire::bytes_of(ports)));
    }
    EXPECT_EQ(cables.killed, std::vector{node_at(1)});
    send(node_at(1), port_at(0), 7); // a frame of a dead node goes nowhere either
    EXPECT_EQ(cables.arrivals.size(), 3u + 2);
}

TEST_F(LoomTest, FaultsNeverTouchTheHostsOwnFrames) {
    loom({everywhere("drop", 1)});
    loom_->send(node_at(2), make_host_frame(node_at(2), wire::HostTag::poll));
    EXPECT_EQ(cables.arrivals.size(), 1u);
    const unsigned before = cables.to_host_count;
    Bytes frame = make_host_frame(kNoNode, wire::HostTag::report);
    loom_->frame_from(node_at(2), frame);
    EXPECT_EQ(cables.to_host_count, before + 1);
}

TEST_F(LoomTest, TheSameSeedDoesTheSame) {
    const std::vector<Incident> storm{everywhere("drop", 0.2), everywhere("dup", 0.2),
                                      everywhere("reorder", 0.2)};
    loom(storm);
    const auto first = pass(300);
    cables.arrivals.clear();
    loom(storm);
    EXPECT_EQ(pass(300), first);
}

TEST_F(LoomTest, AFrameThatIsRepeatedForANodeThatIsNotUpWaitsOnce) {
    loom_.emplace(kNodes, kPorts, ring, plan_of({}), cables);
    wake(1);
    for (int time = 0; time < 1000; ++time)
        send(node_at(0), port_at(0), 1);
    send(node_at(0), port_at(0), 2);
    EXPECT_EQ(loom_->counts().repeated, 999u);
    wake(2);
    EXPECT_EQ(cables.arrivals.size(), 2u);
    EXPECT_TRUE(cables.expelled.empty());
}

TEST_F(LoomTest, AFloodToANodeThatIsNotUpEndsItsSender) {
    loom_.emplace(kNodes, kPorts, ring, plan_of({}), cables);
    wake(1);
    std::uint32_t number = 0;
    while (!std::as_const(*loom_).gone(node_at(0)) && number < 100'000)
        send(node_at(0), port_at(0), number++);
    EXPECT_LE(number, bounds::kEarlyBytesMax / bounds::kFrameOverheadBytes);
    ASSERT_EQ(cables.expelled.size(), 1u);
    EXPECT_EQ(cables.expelled[0].first, node_at(0));
    EXPECT_EQ(loom_->counts().expelled, 1u);
}

TEST_F(LoomTest, ASlowCableHoldsABoundedPartOfWhatANodeSends) {
    loom({everywhere("delay", 1e9)});
    std::uint32_t number = 0;
    while (cables.expelled.empty() && number < 1'000'000)
        send(node_at(3), port_at(0), number++);
    EXPECT_LE(number, bounds::kHeldBytesMax / bounds::kFrameOverheadBytes);
    ASSERT_EQ(cables.expelled.size(), 1u);
    EXPECT_EQ(cables.expelled[0].first, node_at(3));
}

TEST_F(LoomTest, WhatHasArrivedIsHeldNoMore) {
    loom({everywhere("delay", 10)});
    for (std::uint32_t number = 0; number < 200'000; ++number) {
        send(node_at(3), port_at(0), number);
        cables.time_us += 20;
        loom_->tick();
        cables.arrivals.clear();
    }
    EXPECT_TRUE(cables.expelled.empty());
}

TEST_F(LoomTest, FramesThatANodeDoesNotTakeAreCounted) {
    loom();
    cables.full = true;
    send(node_at(0), port_at(0), 1);
    EXPECT_EQ(loom_->counts().overflow, 1u);
}

TEST_F(LoomTest, WhereTooMuchWaitsTheOneIsBlamedWhoSentMostOfIt) {
    loom();
    const Far far = *ring(node_at(2), port_at(0));
    loom_->too_much_for(far.node, index(far.port));
    loom_->too_much_for(node_at(4), index(kHostPort));
    ASSERT_EQ(cables.expelled.size(), 2u);
    EXPECT_EQ(cables.expelled[0].first, node_at(2));
    EXPECT_EQ(cables.expelled[1].first, node_at(4)); // it asked for more than it reads
}

TEST_F(LoomTest, OnlyAWholeFrameIsASignOfLife) {
    loom();
    for (std::uint32_t node = 0; node < kNodes; ++node)
        EXPECT_TRUE(loom_->take_sign(node_at(node)));
    Bytes junk(100, std::byte{1});
    loom_->frame_from(node_at(1), junk);
    Bytes damaged = data_frame(port_at(0), 1);
    damaged[wire::offset::kSequence] ^= std::byte{1};
    loom_->frame_from(node_at(1), damaged);
    EXPECT_FALSE(loom_->take_sign(node_at(1)));
    send(node_at(1), port_at(0), 1);
    EXPECT_TRUE(loom_->take_sign(node_at(1)));
    EXPECT_FALSE(loom_->take_sign(node_at(1)));
}

TEST_F(LoomTest, JunkDoesNotWakeANode) {
    loom_.emplace(kNodes, kPorts, ring, plan_of({}), cables);
    Bytes junk(100, std::byte{1});
    loom_->frame_from(node_at(1), junk);
    EXPECT_EQ(loom_->started(), 0u);
}

TEST_F(LoomTest, WhatOnlyABugOfItsCallerCanAskIsABrokenPromiseWithItsPlace) {
    loom();
    Bytes frame = data_frame(port_at(0), 1);
    EXPECT_THROW(loom_->frame_from(node_at(kNodes), frame), BrokenPromise);
    EXPECT_THROW(loom_->gone(node_at(kNodes)), BrokenPromise);
    EXPECT_THROW(static_cast<void>(loom_->cut(node_at(0), port_at(kPorts))), BrokenPromise);
    EXPECT_THROW(Rng(1, 1).below(0), BrokenPromise);
    try {
        loom_->send(node_at(kNodes), frame);
        FAIL() << "it has no such node";
    } catch (const BrokenPromise& broken) {
        EXPECT_NE(std::string_view(broken.what()).find("loom.hpp:"), std::string_view::npos);
        EXPECT_NE(std::string_view(broken.what()).find("no such node"), std::string_view::npos);
    }
}

} // namespace loom_test
} // namespace mesh::host
