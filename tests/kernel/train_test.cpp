// Trains: on a board that has them several packets for one port leave in one frame, and each packet
// of a frame is taken as if it had come alone.
#include "hal/null_board.hpp"
#include "kernel/node/node.hpp"
#include "tests/kernel/heap_memory.hpp"
#include "tests/kernel/host_message.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace mesh::test {
namespace train_test {

constexpr Network kSquare{Topology::cube, 2};
constexpr unsigned kPorts = 2;
constexpr std::size_t kBuffers = 60;
constexpr std::size_t kPayloadBytes = 64;
constexpr unsigned kInTrain = 8; // packets of so many bytes that a buffer has room for
constexpr hal::Capabilities kTrains{.trains = true};
constexpr hal::Capabilities kNoTrains{};

using Bytes = std::vector<std::byte>;

/// A packet as it left or is to come in, with its link header.
struct Coach {
    wire::LinkHeader link;
    Bytes packet;

    std::uint32_t number() const {
        return wire::load<std::uint32_t>(packet, wire::packet_offset::kMessage);
    }
};

/// Packets in one frame, or a frame without one.
using Frame = std::vector<Coach>;

/// The interrupt of the board, called by a process that computes.
hal::TickWork tick = nullptr;
void* ticking = nullptr;

/// Sends frames at once.
template <const hal::Capabilities& kCan>
class TrainBoard : public hal::NullBoard {
public:
    TrainBoard() : NullBoard({kSquare, node_at(0)}) {}

    static constexpr hal::Capabilities capabilities() { return kCan; }
    std::size_t window_bytes(unsigned /*ports*/) const { return window; }
    void transmit(Port port, const hal::Head& head, std::span<const std::byte> packets) {
        Frame& frame = sent.emplace_back();
        EXPECT_LE(packets.size(), wire::kPacketBytesMax);
        wire::Head next = head.fields;
        EXPECT_EQ(wire::check_head(next, wire::kHeadBytes + packets.size()), wire::Parse::ok);
        const auto first = packets.first(next.link.packet_bytes);
        frame.push_back({next.link, {first.begin(), first.end()}});
        auto rest = packets.last(wire::bytes_behind(next.link, wire::kHeadBytes + packets.size()));
        while (wire::is_coupled(rest.size())) {
            std::array<std::byte, wire::kPacketBytesMax> room{};
            const std::size_t bytes = wire::uncouple(rest, next, room);
            EXPECT_EQ(wire::check_head(next, bytes), wire::Parse::ok);
            const auto packet = std::span{room}.first(next.link.packet_bytes);
            frame.push_back({next.link, {packet.begin(), packet.end()}});
        }
        EXPECT_TRUE(rest.empty());
        for (const Coach& one : frame) {
            EXPECT_EQ(one.link.port, port);
            wire::PacketHeader header;
            if (!one.packet.empty()) {
                EXPECT_EQ(wire::read_packet(one.packet, header), wire::Parse::ok);
            }
        }
    }
    void lend(unsigned /*receiver*/, hal::Head& head, hal::PacketRoom buffer) {
        head_ = &head;
        buffer_ = buffer.data();
    }
    hal::Received receive() {
        if (coming.empty())
            return {};
        const auto [port, frame] = std::move(coming.front());
        coming.pop_front();
        std::copy_n(frame.begin(), wire::kHeadBytes, head_->bytes.begin());
        std::copy_n(frame.begin() + wire::kHeadBytes,
                    std::min(frame.size() - wire::kHeadBytes, wire::kPacketBytesMax), buffer_);
        return {.state = hal::Received::State::frame,
                .port = port,
                .frame_bytes = static_cast<std::uint32_t>(frame.size())};
    }
    std::uint64_t now_us() const { return time_us; }
    void set_alarm_us(std::uint64_t time) { alarm_us = time; }
    void start_ticks(std::uint32_t /*period_us*/, hal::TickWork work, void* context) {
        tick = work;
        ticking = context;
    }
    void stop_ticks() {}

    /// The data frames sent by port 0, which are forgotten.
    std::vector<Frame> take_sent() {
        std::erase_if(sent, [](const Frame& frame) {
            return frame.front().link.kind != wire::Kind::data ||
                   frame.front().link.port != port_at(0);
        });
        return std::exchange(sent, {});
    }

    std::size_t window = 4096;
    std::vector<Frame> sent;
    std::deque<std::pair<Port, Bytes>> coming;
    std::uint64_t time_us = 0;
    std::uint64_t alarm_us = wire::kNever;

private:
    hal::Head* head_ = nullptr;
    std::byte* buffer_ = nullptr;
};

constexpr unsigned kPackets = 12; // that the program sends

/// Numbers its packets, all to node 1.
Process sends(Kernel& node) {
    for (unsigned number = 0; number < kPackets; ++number) {
        OutgoingPacket packet = co_await node.allocate(Rule::unicast);
        packet.header().destination = node_at(1);
        packet.header().message = number;
        std::ranges::fill(packet.resize(kPayloadBytes), static_cast<std::byte>(number));
        node.inject(std::move(packet));
    }
    co_return Status::ok;
}

/// Tags of the packets that came, in order.
std::vector<Tag> got;
Process takes_all(Kernel& node) {
    for (;;) {
        const auto packet = co_await node.receive({});
        got.push_back(packet.header().tag);
    }
}

/// Frames that the node had received after each tick.
std::vector<std::uint32_t> after_ticks;
bool may_tick = false;
Process computes(Kernel& node) {
    co_await node.wait_until([] { return may_tick; });
    for (unsigned number = 0; number < 5; ++number) {
        after_ticks.push_back(node.counters()[Counter::frames_received]);
        tick(ticking);
    }
    co_return Status::ok;
}

/// Node 0, told its job; this file is its neighbours.
template <const hal::Capabilities& kCan>
struct Bench {
    explicit Bench(Program program, bool lockstep = false, std::size_t window = 4096)
        : board(with_window(window)),
          node(board, memory, program) {
        node.boot();
        for (unsigned port = 0; port < kPorts; ++port) {
            const auto other =
                static_cast<std::uint16_t>(index(node.kernel().neighbor(port_at(port))));
            give({{{.kind = wire::Kind::hello_answer,
                    .port = port_at(port),
                    .sequence = kSquare.dim,
                    .refused = other},
                   {}}});
        }
        work();
        got.clear();
        wire::Job job;
        job.op = wire::Op::app;
        job.lockstep = lockstep ? 1 : 0;
        tell(wire::HostTag::job, wire::bytes_of(job));
        tell(wire::HostTag::start, {});
        work();
    }
    static TrainBoard<kCan> with_window(std::size_t window) {
        TrainBoard<kCan> board;
        board.window = window;
        return board;
    }

    void work() {
        while (node.poll())
            ;
    }
    void tell(wire::HostTag tag, std::span<const std::byte> payload) {
        std::array<std::byte, wire::kPacketBytesMax> room{};
        const auto [link, packet] = host_message(room, tag, payload);
        give({{link, {packet.begin(), packet.end()}}}, kHostPort);
        work();
    }
    static Bytes bytes_of(const Frame& frame) {
        Bytes bytes(wire::kHeadBytes);
        wire::write_head(frame.front().link, {}, std::span{bytes}.first<wire::kHeadBytes>());
        bytes.insert(bytes.end(), frame.front().packet.begin(), frame.front().packet.end());
        for (auto coach = frame.begin() + 1; coach != frame.end(); ++coach) {
            std::array<std::byte, wire::kHeadBytes> head{};
            wire::write_head(coach->link, {}, head);
            bytes.resize((bytes.size() + 3) / 4 * 4);
            bytes.insert(bytes.end(), head.begin() + wire::offset::kEtherType, head.end());
            bytes.insert(bytes.end(), coach->packet.begin(), coach->packet.end());
        }
        return bytes;
    }
    void give(const Frame& frame) { give(frame, frame.front().link.port); }
    void give(const Frame& frame, Port port) { board.coming.emplace_back(port, bytes_of(frame)); }
    void acknowledge(std::uint16_t until, std::uint32_t refused = 0, std::uint16_t flags = 0) {
        give({{{.kind = wire::Kind::ack,
                .port = port_at(0),
                .acknowledged = until,
                .refused = refused,
                .free_buffers = 9,
                .flags = flags},
               {}}});
        work();
    }
    /// Packet `number` of node 1 for this one, with that tag and payload.
    Coach coach(std::uint16_t number, std::size_t payload_bytes = kPayloadBytes,
                wire::PacketHeader header = {}) const {
        header.source = node_at(1);
        header.destination = node_at(0);
        header.tag = number;
        header.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
        Bytes packet(wire::kPacketHeaderBytes + payload_bytes, std::byte{7});
        wire::write_packet_header(header, std::span{packet}.first<wire::kPacketHeaderBytes>());
        wire::seal_packet(packet);
        return {{.kind = wire::Kind::data,
                 .port = port_at(0),
                 .sequence = number,
                 .free_buffers = 9,
                 .packet_bytes = static_cast<std::uint16_t>(packet.size()),
                 .hops = 1},
                packet};
    }
    std::uint32_t counted(Counter counter) { return node.kernel().counters()[counter]; }
    /// The acknowledgement that the node sends next.
    wire::LinkHeader answer() {
        board.sent.clear();
        board.time_us += 1'000'000;
        work();
        for (const Frame& frame : board.sent)
            if (frame.front().link.kind == wire::Kind::ack)
                return frame.front().link;
        ADD_FAILURE() << "nothing was acknowledged";
        return {};
    }

    HeapMemory memory{{.ports = kPorts,
                       .buffers = kBuffers,
                       .processes = 5,
                       .nodes = node_count(kSquare),
                       .arena_bytes = 8192}};
    TrainBoard<kCan> board;
    Node<TrainBoard<kCan>> node;
};

std::vector<std::size_t> sizes(const std::vector<Frame>& frames) {
    std::vector<std::size_t> sizes;
    for (const Frame& frame : frames)
        sizes.push_back(frame.size());
    return sizes;
}
using Sizes = std::vector<std::size_t>;

TEST(Train, CarriesAsManyPacketsAsTheBufferOfTheFirstHasRoomForInTheirOrder) {
    Bench<kTrains> bench{&sends};
    const std::vector<Frame> frames = bench.board.take_sent();
    EXPECT_EQ(sizes(frames), (Sizes{kInTrain, kPackets - kInTrain}));
    std::uint32_t number = 0;
    for (const Frame& frame : frames)
        for (const Coach& coach : frame) {
            EXPECT_EQ(coach.link.sequence, number);
            EXPECT_EQ(coach.number(), number);
            EXPECT_EQ(coach.packet.size(), wire::kPacketHeaderBytes + kPayloadBytes);
            EXPECT_EQ(coach.packet.back(), static_cast<std::byte>(number));
            ++number;
        }
    bench.acknowledge(kPackets);
    EXPECT_EQ(bench.counted(Counter::packets_sent), kPackets);
    EXPECT_EQ(bench.node.kernel().pool().used(), 2u) << "the receiver's and the host port's";
}

TEST(Train, IsMadeByNoOtherBoardAndNotInLockstep) {
    EXPECT_EQ(sizes(Bench<kNoTrains>{&sends}.board.take_sent()), Sizes(kPackets, 1));
    EXPECT_EQ(sizes(Bench<kTrains>{&sends, true}.board.take_sent()), Sizes(kPackets, 1));
}

TEST(Train, EndsWithTheWindow) {
    constexpr std::size_t kFrameBytes = wire::kHeadBytes + wire::kPacketHeaderBytes + kPayloadBytes;
    Bench<kTrains> bench{&sends, false, 5 * kFrameBytes};
    EXPECT_EQ(sizes(bench.board.take_sent()), Sizes{5});
    bench.acknowledge(3);
    EXPECT_EQ(sizes(bench.board.take_sent()), Sizes{3});
    bench.acknowledge(8);
    EXPECT_EQ(sizes(bench.board.take_sent()), Sizes{4});
}

TEST(Train, IsNotMadeOfPacketsThatGoAgain) {
    Bench<kTrains> bench{&sends, false};
    bench.board.take_sent();
    bench.acknowledge(1, 0, wire::link_flag::kGap);
    EXPECT_EQ(sizes(bench.board.take_sent()), Sizes(kPackets - 1, 1));
    EXPECT_EQ(bench.counted(Counter::retransmissions), kPackets - 1);
}

TEST(Train, TakesNewPacketsBehindTheLastThatGoesAgain) {
    constexpr std::size_t kFrameBytes = wire::kHeadBytes + wire::kPacketHeaderBytes + kPayloadBytes;
    Bench<kTrains> bench{&sends, false, 5 * kFrameBytes};
    bench.board.take_sent();
    bench.acknowledge(3, 0, wire::link_flag::kGap);
    EXPECT_EQ(sizes(bench.board.take_sent()), (Sizes{1, 4})) << "3; 4 again, 5, 6, 7";
}

TEST(Train, IsNotMadeWhileALinkIsClosedByARefusal) {
    constexpr std::size_t kFrameBytes = wire::kHeadBytes + wire::kPacketHeaderBytes + kPayloadBytes;
    Bench<kTrains> bench{&sends, false, 5 * kFrameBytes};
    bench.board.take_sent();
    bench.acknowledge(3, 0b1, wire::link_flag::kGap); // number 2 was refused, 3 and 4 are missing
    EXPECT_EQ(sizes(bench.board.take_sent()), (Sizes{1, 1})) << "though the window has room";
    bench.acknowledge(5, 0b111);
    const std::vector<Frame> frames = bench.board.take_sent();
    ASSERT_EQ(sizes(frames), Sizes{5});
    EXPECT_EQ(frames[0].front().number(), 2u) << "the refused ones first";
    EXPECT_EQ(frames[0].back().number(), 6u);
    for (const Coach& coach : frames[0])
        EXPECT_EQ(coach.link.flags & wire::link_flag::kEpochMask, 1) << "all of the next epoch";
}

TEST(Train, IsTakenPacketByPacket) {
    Bench<kTrains> bench{&takes_all};
    const std::uint32_t before = bench.counted(Counter::frames_received);
    bench.give({bench.coach(0, 61), bench.coach(1, 0), bench.coach(2, 7), bench.coach(3)});
    bench.work();
    EXPECT_EQ(got, (std::vector<Tag>{0, 1, 2, 3}));
    EXPECT_EQ(bench.counted(Counter::frames_received), before + 4);
    EXPECT_EQ(bench.answer().acknowledged, 4);
    EXPECT_EQ(bench.node.kernel().pool().used(), 2u);
}

TEST(Train, CountsAsItsPacketsInPreemptivePolls) {
    may_tick = false;
    after_ticks.clear();
    Bench<kTrains> bench{&computes};
    may_tick = true;
    bench.give({{{.kind = wire::Kind::ack, .port = port_at(0)}, {}}}); // the process looks again
    Frame train;
    for (std::uint16_t number = 0; number < kInTrain; ++number)
        train.push_back(bench.coach(number));
    bench.give(train);
    for (std::uint16_t number = kInTrain; number < kInTrain + 6; ++number)
        bench.give({bench.coach(number)});
    bench.work();
    ASSERT_EQ(after_ticks.size(), 5u);
    for (std::uint32_t& frames : after_ticks)
        frames -= bench.counted(Counter::frames_received) - (kInTrain + 6);
    static_assert(kInTrain == 2 * limits::kFramesInPreemptivePoll);
    EXPECT_EQ(after_ticks, (std::vector<std::uint32_t>{0, 8, 8, 12, 14}));
}

TEST(Train, InLockstepOnlyTheFirstPacketOfAFrameCounts) {
    Bench<kTrains> bench{&takes_all, true};
    bench.give({bench.coach(0), bench.coach(1)});
    bench.work();
    EXPECT_EQ(got, std::vector<Tag>{0});
}

TEST(Train, MayBeginWithAQuestionThatIsAnsweredInItsOwnBuffer) {
    Bench<kTrains> bench{&takes_all};
    bench.board.take_sent();
    bench.give({bench.coach(0, 0,
                            {.service = static_cast<std::uint8_t>(Service::probe),
                             .flags = wire::packet_flag::kTimeless}),
                bench.coach(1, 600), bench.coach(2, 100)});
    bench.work();
    EXPECT_EQ(got, (std::vector<Tag>{1, 2}));
    EXPECT_EQ(bench.counted(Counter::drop_crc) + bench.counted(Counter::drop_malformed), 0u);
    const std::vector<Frame> frames = bench.board.take_sent();
    ASSERT_EQ(sizes(frames), Sizes{1});
    const auto service = wire::load<Service>(frames[0][0].packet, wire::packet_offset::kService);
    EXPECT_EQ(service, Service::alive);
}

TEST(Train, MayBeginWithAPacketWhoseBufferIsFreeAgainAtOnce) {
    Bench<kTrains> bench{&takes_all};
    bench.give({bench.coach(0, 0,
                            {.service = static_cast<std::uint8_t>(Service::alive),
                             .flags = wire::packet_flag::kTimeless}),
                bench.coach(1, 600), bench.coach(2, 100)});
    bench.work();
    EXPECT_EQ(got, (std::vector<Tag>{1, 2})) << "a sanitizer sees packets that overlap";
}

TEST(Train, WithABadLengthInItsMiddleEndsThere) {
    Bench<kTrains> bench{&takes_all};
    Frame frame{bench.coach(0), bench.coach(1), bench.coach(2)};
    frame[1].link.packet_bytes = 2 * (wire::kPacketHeaderBytes + kPayloadBytes) + 33;
    bench.give(frame);
    bench.work();
    EXPECT_EQ(got, std::vector<Tag>{0});
    EXPECT_EQ(bench.counted(Counter::drop_malformed), 1u);
    bench.give({bench.coach(1), bench.coach(2)});
    bench.work();
    EXPECT_EQ(got, (std::vector<Tag>{0, 1, 2})) << "they come again";
}

TEST(Train, WithADamagedHeadInItsMiddleEndsThere) {
    Bench<kTrains> bench{&takes_all};
    const Frame frame{bench.coach(0), bench.coach(1), bench.coach(2)};
    Bytes bytes = bench.bytes_of(frame);
    bytes[wire::kHeadBytes + wire::kPacketHeaderBytes + kPayloadBytes + 4] ^= std::byte{1};
    bench.board.coming.emplace_back(port_at(0), bytes);
    bench.work();
    EXPECT_EQ(got, std::vector<Tag>{0});
    EXPECT_EQ(bench.counted(Counter::drop_crc), 1u);
    EXPECT_EQ(bench.counted(Counter::drop_out_of_order), 0u) << "nothing behind it was looked at";
}

TEST(Train, WithADamagedPacketInItsMiddleLosesThatAndSaysSo) {
    Bench<kTrains> bench{&takes_all};
    Frame frame{bench.coach(0), bench.coach(1), bench.coach(2)};
    frame[1].packet.back() ^= std::byte{1};
    bench.give(frame);
    bench.work();
    EXPECT_EQ(got, std::vector<Tag>{0});
    EXPECT_EQ(bench.counted(Counter::drop_crc), 1u);
    EXPECT_EQ(bench.counted(Counter::drop_out_of_order), 1u);
    bool told = false;
    for (const Frame& sent : bench.board.sent)
        told = told || (sent.front().link.kind == wire::Kind::ack &&
                        (sent.front().link.flags & wire::link_flag::kGap) != 0 &&
                        sent.front().link.acknowledged == 1);
    EXPECT_TRUE(told);
}

/// A sanitizer sees what is read or written beyond a buffer.
TEST(Train, OfAnyBytesBreaksNothing) {
    constexpr std::size_t kLongest = 2047; // that a receiver of the board tells of
    Bench<kTrains> bench{&takes_all};
    for (std::uint32_t packet_bytes = 0; packet_bytes <= kLongest; ++packet_bytes) {
        Coach coach = bench.coach(0);
        coach.link.packet_bytes =
            static_cast<std::uint16_t>(packet_bytes == kLongest ? 0xFFFF : packet_bytes);
        Bytes bytes = bench.bytes_of({coach});
        bytes.resize(packet_bytes % 2 == 0 ? kLongest : wire::kFrameBytesMax + packet_bytes % 100,
                     std::byte{0x5A});
        bench.board.coming.emplace_back(port_at(0), bytes);
        bench.work();
    }
    EXPECT_LE(got.size(), 1u);
}

/// Each header behind the first has a right checksum, and says what it likes.
TEST(Train, OfAnySealedHeadersBreaksNothing) {
    Bench<kTrains> bench{&takes_all};
    std::minstd_rand random(1);
    const auto draw = [&random](std::uint32_t end) {
        return static_cast<std::uint16_t>(random() % end);
    };
    std::uint16_t next = 0;
    for (unsigned trial = 0; trial < 3000; ++trial) {
        Frame frame{bench.coach(next++)};
        for (unsigned behind = 1 + draw(4); behind != 0; --behind) {
            Coach coach = bench.coach(next, draw(300));
            if (draw(2) == 0)
                coach.link.kind = static_cast<wire::Kind>(20 + draw(200)); // there is none
            coach.link.packet_bytes = draw(4) == 0 ? draw(0x10000) : coach.link.packet_bytes;
            coach.link.sequence = draw(2) == 0 ? next++ : draw(0x10000);
            frame.push_back(coach);
        }
        bench.give(frame);
        bench.work();
        next = static_cast<std::uint16_t>(got.size()); // what came out of order is missing
    }
    EXPECT_GE(got.size(), 3000u) << "the first of each train came";
}

} // namespace train_test
} // namespace mesh::test
