// Every counter counts what it says and nothing else; together they account for every frame.
#include "ops/traffic.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

mesh::Process app_main_job(mesh::Kernel& kernel);

namespace mesh::test {
namespace counters_test {

using Bytes = std::vector<std::byte>;
using Counts = std::map<Counter, std::uint32_t>;

// One node of a 2-cube whose cables the test holds: it makes every frame itself.
class Bench {
public:
    explicit Bench(Program program, std::size_t buffers = 12)
        : rig{{Topology::cube, 2}, program, buffers} {
        rig.boot();
        rig.is_cut = [](NodeId, Port) { return true; };
        before_ = node().counters();
    }
    Kernel& node() { return rig.kernel(0); }
    void give(const Bytes& frame) {
        rig.board(0).deliver(frame);
        rig.settle();
    }
    /// The counters' changes since the start.
    Counts changed() {
        Counts counts;
        for (unsigned number = 0; number < kCounterCount; ++number) {
            const auto counter = static_cast<Counter>(number);
            const std::uint32_t more = node().counters()[counter] - before_[counter];
            if (more != 0)
                counts[counter] = more;
        }
        return counts;
    }
    void start() {
        const wire::Job job{.op = wire::Op::app};
        rig.tell(0, wire::HostTag::job, wire::bytes_of(job));
        rig.tell(0, wire::HostTag::start, {});
        rig.settle();
        before_ = node().counters();
    }
    Rig rig;

private:
    Counters before_;
};

wire::PacketHeader for_node_0() {
    return {.rule = Rule::unicast, .source = node_at(1), .destination = node_at(0), .tag = 7};
}

Bytes packet_of(wire::PacketHeader header, std::size_t bytes = 20) {
    Bytes packet(wire::kPacketHeaderBytes + bytes);
    header.payload_bytes = static_cast<std::uint16_t>(bytes);
    wire::write_packet_header(header, std::span{packet}.first<wire::kPacketHeaderBytes>());
    wire::seal_packet(packet);
    return packet;
}

// A frame that comes in by port 0, as its neighbour 1 would send it.
Bytes frame_of(wire::LinkHeader header, const Bytes& packet = {}) {
    Bytes frame(wire::kHeadBytes);
    if (header.port == kNoPort)
        header.port = port_at(0);
    header.packet_bytes = static_cast<std::uint16_t>(packet.size());
    wire::write_head(header, wire::Mac{}, std::span{frame}.first<wire::kHeadBytes>());
    frame.insert(frame.end(), packet.begin(), packet.end());
    return frame;
}

Bytes data_frame(std::uint16_t sequence, const wire::PacketHeader& header = for_node_0()) {
    return frame_of({.kind = wire::Kind::data,
                     .sequence = sequence,
                     .hops = 1,
                     .flags = wire::link_flag::kAsks},
                    packet_of(header));
}

Process does_nothing(Kernel&) { co_return Status::ok; }

void flip(Bytes& frame, std::size_t at) { frame[at] ^= std::byte{0x10}; }

TEST(Counters, AGoodFrameIsReceivedDeliveredAndAcknowledged) {
    Bench bench{does_nothing};
    bench.give(data_frame(0));
    EXPECT_EQ(bench.changed(), (Counts{{Counter::frames_received, 1},
                                       {Counter::packets_delivered, 1},
                                       {Counter::acks_sent, 1}}));
}

TEST(Counters, APacketThatHasGoneFurtherThanItsRuleIsHighIsDropTooFar) {
    Bench bench{does_nothing};
    const Bytes packet = packet_of(for_node_0());
    const std::uint16_t longest = 2; // of a unicast on the 2-cube
    bench.give(frame_of({.kind = wire::Kind::data, .hops = longest}, packet));
    EXPECT_EQ(bench.changed()[Counter::packets_delivered], 1u);
    bench.give(frame_of({.kind = wire::Kind::data, .sequence = 1, .hops = longest + 1}, packet));
    EXPECT_EQ(bench.changed()[Counter::packets_delivered], 1u);
    EXPECT_EQ(bench.changed()[Counter::drop_too_far], 1u);
}

TEST(Counters, AWrongChecksumOfTheLinkHeaderIsDropCrc) {
    Bench bench{does_nothing};
    for (const std::size_t at : {wire::offset::kSequence, wire::offset::kLinkCrc}) {
        Bytes frame = data_frame(0);
        flip(frame, at);
        bench.give(frame);
    }
    EXPECT_EQ(bench.changed(), (Counts{{Counter::frames_received, 2}, {Counter::drop_crc, 2}}));
}

TEST(Counters, AWrongChecksumOfThePacketIsDropCrcAndToldToThePeerOnce) {
    Bench bench{does_nothing};
    for (const std::size_t at : {wire::kHeadBytes, wire::kHeadBytes + 40}) {
        Bytes frame = data_frame(0);
        flip(frame, at);
        bench.give(frame);
    }
    EXPECT_EQ(
        bench.changed(),
        (Counts{{Counter::frames_received, 2}, {Counter::drop_crc, 2}, {Counter::acks_sent, 1}}));
}

TEST(Counters, WhatIsNoFrameOfOursIsDropMalformed) {
    Bench bench{does_nothing};
    const Bytes good = data_frame(0);
    bench.give(Bytes(good.begin(), good.begin() + 10));
    bench.give(Bytes(good.begin(), good.begin() + wire::kHeadBytes - 1));
    bench.give(Bytes(good.begin(), good.end() - 1));
    Bytes other = good;
    flip(other, wire::offset::kEtherType);
    bench.give(other);
    bench.give(frame_of({.kind = static_cast<wire::Kind>(99)}));
    bench.give(frame_of({.kind = wire::Kind::ack, .port = port_at(2)})); // it has ports 0 and 1
    bench.give(frame_of({.kind = wire::Kind::data}, Bytes(31)));
    EXPECT_EQ(bench.changed(),
              (Counts{{Counter::frames_received, 7}, {Counter::drop_malformed, 7}}));
}

TEST(Counters, HostMessagesThatMeanNothingAreDropMalformed) {
    Bench bench{does_nothing};
    bench.rig.tell(0, static_cast<wire::HostTag>(200), {});
    bench.rig.tell(0, wire::HostTag::console, {});
    bench.rig.tell(0, wire::HostTag::job, Bytes(10));
    bench.rig.tell(0, wire::HostTag::chunk, Bytes(3));
    bench.rig.settle();
    EXPECT_EQ(bench.changed(),
              (Counts{{Counter::frames_received, 4}, {Counter::drop_malformed, 4}}));
}

TEST(Counters, AFrameOfAnotherPortIsDropWrongPort) {
    Bench bench{does_nothing};
    Bytes frame = data_frame(0);
    frame[wire::offset::kCablePort] = std::byte{1}; // the loom says: came in by port 1
    bench.give(frame);
    EXPECT_EQ(bench.changed(),
              (Counts{{Counter::frames_received, 1}, {Counter::drop_wrong_port, 1}}));
}

TEST(Counters, AFrameOfAnotherSessionIsDropOldSession) {
    Bench bench{does_nothing};
    bench.give(
        frame_of({.kind = wire::Kind::data, .hops = 1, .flags = 4}, packet_of(for_node_0())));
    bench.give(frame_of({.kind = wire::Kind::ack, .sequence = 4, .hops = 1}));
    EXPECT_EQ(bench.changed(),
              (Counts{{Counter::frames_received, 2}, {Counter::drop_old_session, 2}}));
}

TEST(Counters, WordsOfTheHostThatComeByACableAreDropWrongPort) {
    Bench bench{does_nothing};
    for (const wire::Kind kind : {wire::Kind::grant, wire::Kind::host}) {
        Bytes frame = frame_of({.kind = kind, .port = kHostPort}, packet_of(for_node_0()));
        frame[wire::offset::kCablePort] = std::byte{0};
        bench.give(frame);
    }
    EXPECT_EQ(bench.changed(),
              (Counts{{Counter::frames_received, 2}, {Counter::drop_wrong_port, 2}}));
}

TEST(Counters, AFrameThatCameBeforeIsDropDuplicateAndAcknowledgedAgain) {
    Bench bench{does_nothing};
    bench.give(data_frame(0));
    bench.give(data_frame(0));
    bench.give(data_frame(0));
    EXPECT_EQ(bench.changed(), (Counts{{Counter::frames_received, 3},
                                       {Counter::packets_delivered, 1},
                                       {Counter::drop_duplicate, 2},
                                       {Counter::acks_sent, 3}}));
}

TEST(Counters, AFrameThatCameTooEarlyIsDropOutOfOrder) {
    Bench bench{does_nothing};
    bench.give(data_frame(1));
    bench.give(data_frame(2));
    EXPECT_EQ(bench.changed()[Counter::drop_out_of_order], 2u);
    EXPECT_EQ(bench.changed()[Counter::packets_delivered], 0u);
    bench.give(data_frame(0));
    bench.give(data_frame(1));
    EXPECT_EQ(bench.changed()[Counter::packets_delivered], 2u);
}

TEST(Counters, APacketThatNoBufferIsFreeForIsDropNoBuffer) {
    Bench bench{does_nothing, 6}; // two of them the node's own
    for (std::uint16_t sequence = 0; sequence < 8; ++sequence)
        bench.give(data_frame(sequence));
    Counts counts = bench.changed();
    EXPECT_EQ(counts[Counter::packets_delivered], 3u); // one free buffer more than links before it
    EXPECT_EQ(counts[Counter::drop_no_buffer], 5u);
    EXPECT_EQ(counts[Counter::frames_received], 8u);
    EXPECT_EQ(bench.node().pool().used(), 5u);
}

TEST(Counters, APacketThatLeadsNowhereIsDropNoRoute) {
    Bench bench{does_nothing};
    wire::PacketHeader header = for_node_0();
    header.destination = node_at(4);
    bench.give(data_frame(0, header));
    header.destination = kNoNode;
    bench.give(data_frame(1, header));
    header.rule = static_cast<Rule>(250);
    bench.give(data_frame(2, header));
    header.rule = Rule::sbt;
    header.source = node_at(77);
    bench.give(data_frame(3, header));
    Counts counts = bench.changed();
    EXPECT_EQ(counts[Counter::drop_no_route], 4u);
    EXPECT_EQ(counts[Counter::frames_received], 4u);
    EXPECT_EQ(bench.node().pool().used(), 2u);
}

TEST(Counters, ControlForAMessageThatIsNotUnderWayIsDropUnexpected) {
    Bench bench{does_nothing};
    std::uint16_t sequence = 0;
    for (const Service service : {Service::taken, Service::alive, Service::lost, Service::kCount,
                                  static_cast<Service>(99)}) {
        wire::PacketHeader header = for_node_0();
        header.service = static_cast<std::uint8_t>(service);
        header.message = 5;
        bench.give(data_frame(sequence++, header));
    }
    EXPECT_EQ(bench.changed()[Counter::drop_unexpected], 5u);
    EXPECT_EQ(bench.changed()[Counter::packets_delivered], 0u);
    const wire::Chunk chunk{0, 16};
    bench.rig.tell(0, wire::HostTag::chunk, wire::bytes_of(chunk)); // nobody has asked for it
    bench.rig.settle();
    EXPECT_EQ(bench.changed()[Counter::drop_unexpected], 6u);
}

Process injects_to_nobody(Kernel& node) {
    OutgoingPacket packet = co_await node.allocate(Rule::unicast);
    packet.header().destination = node_at(1000);
    node.inject(std::move(packet));
    co_return Status::ok;
}

TEST(Counters, APacketOfAProcessThatLeadsNowhereIsDropNoRoute) {
    Bench bench{injects_to_nobody};
    bench.start();
    EXPECT_EQ(bench.node().counters()[Counter::packets_injected], 1u);
    EXPECT_EQ(bench.node().counters()[Counter::drop_no_route], 1u);
    EXPECT_EQ(bench.node().pool().used(), 2u);
}

Process sends_one_packet(Kernel& node) {
    OutgoingPacket packet = co_await node.allocate(Rule::unicast);
    packet.header().destination = node_at(1);
    packet.resize(100);
    node.inject(std::move(packet));
    co_return Status::ok;
}

TEST(Counters, APacketAtADeadLinkIsDropDeadLink) {
    Bench bench{sends_one_packet};
    bench.start();
    bench.rig.finish();
    Counts counts = bench.changed();
    EXPECT_EQ(counts[Counter::links_dead], 1u);
    EXPECT_EQ(counts[Counter::drop_dead_link], 1u);
    EXPECT_EQ(counts[Counter::retransmissions], limits::kRetriesMax);
    EXPECT_EQ(counts[Counter::packets_sent], 0u);
    EXPECT_EQ(bench.node().pool().used(), 2u);
}

// A piggybacked acknowledgement frees the buffer that a process waits for
// -------------------------------------

Process sends_three_packets(Kernel& node) {
    for (unsigned count = 0; count < 3; ++count)
        if (co_await sends_one_packet(node) != Status::ok)
            co_return Status::failed;
    co_return Status::ok;
}

TEST(Counters, AnAcknowledgementOnADuplicateStillWakesWhoWaitsForABuffer) {
    Bench bench{sends_three_packets, 8};
    bench.give(data_frame(0)); // waits in the mailbox: three buffers are left
    bench.start();
    EXPECT_EQ(bench.node().counters()[Counter::packets_injected], 1u);
    bench.give(frame_of({.kind = wire::Kind::data, .sequence = 0, .acknowledged = 1, .hops = 1},
                        packet_of(for_node_0())));
    EXPECT_EQ(bench.changed()[Counter::drop_duplicate], 1u);
    EXPECT_EQ(bench.node().counters()[Counter::packets_injected], 2u);
}

// A damaged packet does not take the acknowledgement in its link header with it.
TEST(Counters, AnAcknowledgementWithADamagedPacketStillWakesWhoWaitsForABuffer) {
    Bench bench{sends_three_packets, 8};
    bench.give(data_frame(0));
    bench.start();
    EXPECT_EQ(bench.node().counters()[Counter::packets_injected], 1u);
    Bytes frame = frame_of({.kind = wire::Kind::data, .sequence = 1, .acknowledged = 1, .hops = 1},
                           packet_of(for_node_0()));
    flip(frame, wire::kHeadBytes);
    bench.give(frame);
    EXPECT_EQ(bench.changed()[Counter::drop_crc], 1u);
    EXPECT_EQ(bench.node().counters()[Counter::packets_injected], 2u);
}

// Whole runs --------------------------------------------------------------------------------------

Process crosses_the_cube(Kernel& node) {
    if (index(node.id()) == 0) {
        OutgoingPacket packet = co_await node.allocate(Rule::unicast);
        packet.header().destination = node_at(7);
        packet.resize(10);
        node.inject(std::move(packet));
    }
    if (index(node.id()) == 7)
        co_await node.receive({});
    co_return Status::ok;
}

TEST(Counters, EveryHopOfAPacketIsCountedWhereItHappens) {
    Rig rig{{Topology::cube, 3}, crosses_the_cube};
    rig.run({});
    const std::vector<std::uint32_t> way{0, 1, 3, 7};
    for (std::uint32_t id = 0; id < 8; ++id) {
        const Counters& counters = rig.kernel(id).counters();
        const bool first = id == 0, between = id == 1 || id == 3, last = id == 7;
        EXPECT_EQ(counters[Counter::packets_injected], first ? 1u : 0u) << id;
        EXPECT_EQ(counters[Counter::packets_sent], first || between ? 1u : 0u) << id;
        EXPECT_EQ(counters[Counter::packets_forwarded], between ? 1u : 0u) << id;
        EXPECT_EQ(counters[Counter::packets_delivered], last ? 1u : 0u) << id;
        EXPECT_EQ(counters[Counter::acks_sent], between || last ? 1u : 0u) << id;
        EXPECT_EQ(counters[Counter::retransmissions], 0u);
    }
    EXPECT_EQ(rig.report(1).link_packets[1], 1u);
    EXPECT_EQ(rig.report(1).link_packets[0] + rig.report(1).link_packets[2], 0u);
}

TEST(Counters, ALostFrameIsOneRetransmission) {
    Rig rig{{Topology::cube, 3}, crosses_the_cube};
    unsigned frames = 0;
    rig.is_cut = [&](NodeId from, Port port) {
        return rig.started && from == node_at(1) && port == port_at(1) && frames++ == 0;
    };
    rig.run({});
    EXPECT_EQ(rig.total(Counter::retransmissions), 1u);
    EXPECT_EQ(rig.kernel(1).counters()[Counter::retransmissions], 1u);
    EXPECT_EQ(rig.kernel(7).counters()[Counter::packets_delivered], 1u);
}

TEST(Counters, TogetherAccountForEveryFrameOfANoisyRun) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        Rig rig{{Topology::cube, 3}, app_main_job, 160, seed};
        rig.noise = {.drop = 0.2, .corrupt = 0.1, .twice = 0.05, .swap = 0.1};
        rig.run({.op = wire::Op::bcast, .rule = Rule::sbt, .message_bytes = 30'000});
        const std::uint64_t from_host = 2 * 8; // job and start
        EXPECT_EQ(rig.total(Counter::frames_received),
                  rig.carried - rig.dropped + rig.doubled + from_host)
            << "seed " << seed;
        // A frame that comes before the session is dropped, good or bad.
        const std::uint64_t noticed =
            rig.total(Counter::drop_crc) + rig.total(Counter::drop_malformed);
        EXPECT_LE(noticed, rig.corrupted) << "seed " << seed;
        EXPECT_GE(noticed + rig.total(Counter::drop_old_session), rig.corrupted) << "seed " << seed;
        std::uint32_t crossed = 0;
        for (std::uint32_t id = 0; id < rig.size(); ++id)
            for (const std::uint32_t packets : rig.report(id).link_packets)
                crossed += packets;
        // Questions, of nodes that wait for long, count as frames only.
        EXPECT_EQ(crossed, 7u * 30) << "seed " << seed;
        EXPECT_GE(rig.total(Counter::packets_sent), 7u * 30) << "seed " << seed;
        // And each node tells that it has begun, and again when it has heard nothing for long.
        EXPECT_GE(rig.total(Counter::packets_delivered), 7u * 30 + 7) << "seed " << seed;
        EXPECT_LE(rig.total(Counter::packets_delivered), 7u * 30 + 2 * 7) << "seed " << seed;
        EXPECT_EQ(rig.total(Counter::packets_injected), 30u) << "seed " << seed;
        EXPECT_GE(rig.total(Counter::packets_forwarded) + 30 * 3, 7u * 30) << "seed " << seed;
        EXPECT_GT(rig.total(Counter::retransmissions), 0u);
    }
}

TEST(Counters, TheHighWaterMarkOfThePoolIsNeverBeyondIt) {
    for (const std::size_t buffers : {16u, 40u, 300u}) {
        Rig rig{{Topology::cube, 3}, app_main_job, buffers};
        rig.run({.op = wire::Op::bcast, .rule = Rule::hp, .message_bytes = 200'000});
        for (std::uint32_t id = 0; id < 8; ++id) {
            EXPECT_LE(rig.kernel(id).pool().used_max(), buffers);
            EXPECT_GE(rig.kernel(id).pool().used_max(), 2u);
        }
        EXPECT_GT(rig.kernel(0).pool().used_max(), 2u);
    }
}

} // namespace counters_test
} // namespace mesh::test
