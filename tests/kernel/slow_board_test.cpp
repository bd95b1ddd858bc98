// A node on boards whose transfers take time, as those of serial lines and DMA do: a frame that is
// being sent does not change, a buffer that is lent has no other user, both lie where DMA beside a
// cache may have them, a node is not idle before all has left, ports that have a transmitter each
// are busy each for itself, and so are receivers, and a cable may be pulled.
#include "boards/host/board.hpp"
#include "hal/null_board.hpp"
#include "kernel/node/node.hpp"
#include "tests/kernel/heap_memory.hpp"
#include "tests/kernel/host_message.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

namespace mesh::test {
namespace slow_board_test {

constexpr Network kCube{Topology::cube, 3};
constexpr unsigned kPorts = 3;
constexpr std::size_t kBuffers = 40;

/// All ports share one transmitter and one receiver.
constexpr hal::Capabilities kShared{};
/// A line, with a transmitter and a receiver, for each port and for the host; a damaged frame does
/// not come in. A frame of the largest kind takes 11 ms.
constexpr hal::Capabilities kLines{.senders = kPorts + 1,
                                   .receivers = kPorts + 1,
                                   .frames_checked = true,
                                   .bits_per_second = 1'000'000};

/// No two of them share a line of the cache.
bool is_aligned(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) % hal::kDmaAlign == 0;
}

/// Transfers end when the test says so; those to the host when the node waits for that.
template <const hal::Capabilities& kCan>
class SlowBoard : public hal::NullBoard {
public:
    struct Sent {
        wire::LinkHeader header;
        std::vector<std::byte> packet; // as it was when the transfer began
        std::span<const std::byte> read;
    };
    struct Frame {
        Port port;
        std::vector<std::byte> bytes;
    };

    SlowBoard() : NullBoard({kCube, node_at(0)}) {}

    static constexpr hal::Capabilities capabilities() { return kCan; }
    PortSet ready_ports() const { return kCan.senders == 1 && busy != 0 ? 0 : ~busy; }
    void transmit(Port port, const hal::Head& head, std::span<const std::byte> packet) {
        EXPECT_NE(ready_ports() & bit_of(port), 0u);
        EXPECT_TRUE(packet.empty() || is_aligned(packet.data()));
        Sent& one = sent.emplace_back();
        EXPECT_EQ(wire::read_head(head.bytes, wire::kFrameBytesMax, one.header), wire::Parse::ok);
        one.packet.assign(packet.begin(), packet.end());
        one.read = packet;
        busy |= bit_of(port);
    }
    void lend(unsigned receiver, hal::Head& head, hal::PacketRoom buffer) {
        EXPECT_EQ(rooms.at(receiver).head, nullptr) << "lent twice";
        EXPECT_TRUE(is_aligned(&head) && is_aligned(buffer.data()));
        EXPECT_EQ(sizeof head % hal::kDmaAlign, 0u);
        rooms.at(receiver) = {&head, buffer.data()};
        std::ranges::fill(head.bytes, kLent);
        std::ranges::fill(buffer, kLent);
    }
    /// Nobody has written to it since.
    static bool is_as_lent(std::span<const std::byte> memory) {
        return std::ranges::all_of(memory, [](std::byte one) { return one == kLent; });
    }
    hal::Received receive() {
        if (frames.empty())
            return {};
        const Frame frame = std::move(frames.front());
        frames.pop_front();
        const unsigned receiver = std::min(index(frame.port), kCan.receivers - 1);
        const Room room = std::exchange(rooms.at(receiver), {});
        EXPECT_TRUE(is_as_lent(room.head->bytes) &&
                    is_as_lent({room.buffer, wire::kPacketBytesMax}))
            << "the board's memory was written to";
        const auto packet = std::span{frame.bytes}.subspan(wire::kHeadBytes);
        std::copy_n(frame.bytes.begin(), wire::kHeadBytes, room.head->bytes.begin());
        std::copy(packet.begin(), packet.end(), room.buffer);
        return {hal::Received::State::frame, frame.port, static_cast<std::uint8_t>(receiver),
                static_cast<std::uint32_t>(frame.bytes.size())};
    }
    void set_alarm_us(std::uint64_t time_us) { alarm_us = time_us; }
    void wait() { end_transfers(kCan.senders == 1 ? ~PortSet{0} : bit_of(kHostPort)); }

    void end_transfers(PortSet ports) {
        for (const Sent& one : sent) {
            const Port port = one.header.port;
            if ((busy & ports & bit_of(port)) != 0 && &one == last_by(port)) {
                EXPECT_TRUE(std::ranges::equal(one.packet, one.read))
                    << "the packet changed while it was being sent";
            }
        }
        busy &= ~ports;
    }
    const Sent* last_by(Port port) const {
        const Sent* last = nullptr;
        for (const Sent& one : sent)
            if (one.header.port == port)
                last = &one;
        return last;
    }
    std::size_t count(wire::Kind kind, Port port) const {
        return static_cast<std::size_t>(std::ranges::count_if(sent, [&](const Sent& one) {
            return one.header.kind == kind && one.header.port == port;
        }));
    }

    PortSet connected_ports() const { return connected; }

    static constexpr std::byte kLent{0xA5};
    struct Room {
        hal::Head* head = nullptr;
        std::byte* buffer = nullptr;
    };
    std::array<Room, kCan.receivers> rooms;
    std::deque<Frame> frames; // that have come in
    std::vector<Sent> sent;
    PortSet busy = 0;
    PortSet connected = ~PortSet{0};
    std::uint64_t alarm_us = 0;
};
using SharedBoard = SlowBoard<kShared>;
using LinesBoard = SlowBoard<kLines>;
static_assert(hal::Board<SharedBoard> && hal::TellsCables<LinesBoard>);

/// Waited for by the program.
bool second_may_go = false;

Process send_to(Kernel& node, NodeId to, unsigned packets) {
    for (unsigned number = 0; number < packets; ++number) {
        co_await node.wait_until([number] { return number == 0 || second_may_go; });
        OutgoingPacket packet = co_await node.allocate(Rule::unicast);
        packet.header().destination = to;
        std::ranges::fill(packet.resize(100), static_cast<std::byte>(number + 1));
        node.inject(std::move(packet));
    }
    co_return Status::ok;
}
Process sends_three(Kernel& node) { return send_to(node, node_at(1), 3); }

Process sends_by_all_ports(Kernel& node) {
    for (unsigned port = 0; port < kPorts; ++port)
        if (!node.spawn(send_to(node, node.neighbor(port_at(port)), 3)))
            co_return Status::no_memory;
    co_return Status::ok;
}

Process takes_all(Kernel& node) {
    for (;;)
        std::ignore = co_await node.receive({});
}

/// The node, told its job.
template <class Board>
struct Bench {
    explicit Bench(Program program, bool lockstep = false) : node(board, memory, program) {
        node.boot();
        for (unsigned port = 1; port < kPorts; ++port) { // every port says hello
            board.end_transfers(~PortSet{0});
            node.poll();
        }
        board.end_transfers(~PortSet{0});
        for (unsigned port = 0; port < kPorts; ++port)
            give(port_at(port),
                 {.kind = wire::Kind::hello_answer,
                  .port = port_at(port),
                  .sequence = kCube.dim,
                  .refused =
                      static_cast<std::uint16_t>(index(node.kernel().neighbor(port_at(port))))},
                 {});
        while (node.poll())
            board.end_transfers(~PortSet{0});
        wire::Job job;
        job.op = wire::Op::app;
        job.lockstep = lockstep ? 1 : 0;
        tell(wire::HostTag::job, wire::bytes_of(job));
        tell(wire::HostTag::start, {});
        board.sent.clear();
    }

    /// Ten turns of the node, before each of which the transfers of `ports` end.
    void work_while_ending(PortSet ports) {
        for (unsigned turn = 0; turn < 10; ++turn) {
            board.end_transfers(ports);
            node.poll();
        }
    }
    void give(Port port, const wire::LinkHeader& header, std::span<const std::byte> packet) {
        std::vector<std::byte> frame(wire::kHeadBytes);
        wire::write_head(header, {}, std::span{frame}.template first<wire::kHeadBytes>());
        frame.insert(frame.end(), packet.begin(), packet.end());
        board.frames.push_back({port, std::move(frame)});
    }
    void tell(wire::HostTag tag, std::span<const std::byte> payload) {
        std::vector<std::byte> room(wire::kPacketHeaderBytes + payload.size());
        const auto [link, packet] = host_message(room, tag, payload);
        board.end_transfers(~PortSet{0});
        give(kHostPort, link, packet);
        if (tag != wire::HostTag::start)
            node.poll();
    }
    void give_packet(Port port, std::uint16_t sequence, bool damaged = false) {
        std::vector<std::byte> packet(wire::kPacketHeaderBytes + 8);
        wire::write_packet_header(
            {.payload_bytes = 8, .source = node.kernel().neighbor(port), .destination = node_at(0)},
            std::span{packet}.template first<wire::kPacketHeaderBytes>());
        wire::seal_packet(packet);
        packet.back() ^= damaged ? std::byte{1} : std::byte{0};
        give(port,
             {.kind = wire::Kind::data,
              .port = port,
              .sequence = sequence,
              .free_buffers = 9,
              .packet_bytes = static_cast<std::uint16_t>(packet.size())},
             packet);
    }
    PortSet dead_ports() const {
        wire::NodeReport report;
        node.inside().fill_report(report);
        return report.dead_ports;
    }
    std::uint32_t counted(Counter counter) { return node.kernel().counters()[counter]; }

    HeapMemory memory{{.ports = kPorts,
                       .buffers = kBuffers,
                       .processes = 5,
                       .nodes = node_count(kCube),
                       .arena_bytes = 8192}};
    Board board;
    Node<Board> node;
};

template <class Board>
class SlowTransmitter : public testing::Test {};
using BothBoards = testing::Types<SharedBoard, LinesBoard>;
TYPED_TEST_SUITE(SlowTransmitter, BothBoards);

TYPED_TEST(SlowTransmitter, ANodeIsNotIdleWhileFramesAreLeavingOrWaitForIt) {
    second_may_go = true;
    Bench<TypeParam> bench{&sends_three, true};
    auto& board = bench.board;
    const auto idle = [&] { return board.count(wire::Kind::idle, kHostPort); };
    const auto data = [&] { return board.count(wire::Kind::data, port_at(0)); };
    for (unsigned turn = 0; turn < 50 && idle() == 0; ++turn) {
        for (unsigned poll = 0; poll < 3; ++poll)
            bench.node.poll();
        EXPECT_EQ(idle(), 0u);
        board.end_transfers(~PortSet{0});
        if (data() == 3)
            bench.node.poll();
    }
    EXPECT_EQ(data(), 3u);
    EXPECT_EQ(idle(), 1u);
}

TYPED_TEST(SlowTransmitter, APacketStaysAsItIsUntilItHasLeftThoughItIsAcknowledged) {
    second_may_go = false;
    Bench<TypeParam> bench{&sends_three};
    auto& board = bench.board;
    bench.node.poll(); // starts, and begins to send the first packet
    ASSERT_EQ(board.count(wire::Kind::data, port_at(0)), 1u);
    ASSERT_EQ(board.busy, bit_of(port_at(0)));
    bench.give(port_at(0),
               {.kind = wire::Kind::ack, .port = port_at(0), .acknowledged = 1, .free_buffers = 9},
               {});
    second_may_go = true;
    bench.node.poll(); // the program fills more packets meanwhile
    ASSERT_EQ(bench.counted(Counter::packets_injected), 3u);
    bench.work_while_ending(~PortSet{0});
    EXPECT_EQ(board.count(wire::Kind::data, port_at(0)), 3u);
}

TEST(SlowBoard, APortThatIsBusyHoldsBackNoOtherPort) {
    second_may_go = true;
    Bench<LinesBoard> bench{&sends_by_all_ports};
    auto& board = bench.board;
    bench.node.poll();
    EXPECT_EQ(board.busy, 7u) << "all ports send at once";
    bench.work_while_ending(~bit_of(port_at(0)));
    EXPECT_EQ(board.count(wire::Kind::data, port_at(0)), 1u);
    EXPECT_EQ(board.count(wire::Kind::data, port_at(1)), 3u);
    EXPECT_EQ(board.count(wire::Kind::data, port_at(2)), 3u);
    bench.work_while_ending(~PortSet{0});
    EXPECT_EQ(board.count(wire::Kind::data, port_at(0)), 3u);
}

TEST(SlowBoard, PortsThatShareATransmitterTakeTurns) {
    second_may_go = true;
    Bench<SharedBoard> bench{&sends_by_all_ports};
    auto& board = bench.board;
    const auto all_data = [&] {
        std::size_t sum = 0;
        for (unsigned port = 0; port < kPorts; ++port)
            sum += board.count(wire::Kind::data, port_at(port));
        return sum;
    };
    for (unsigned turn = 0; turn < 20 && all_data() < 9; ++turn) {
        const std::size_t before = all_data();
        bench.node.poll();
        EXPECT_LE(all_data(), before + 1);
        board.end_transfers(~PortSet{0});
    }
    for (unsigned port = 0; port < kPorts; ++port)
        EXPECT_EQ(board.count(wire::Kind::data, port_at(port)), 3u);
}

TEST(SlowBoard, EveryReceiverHasABufferOfItsOwnAtAllTimes) {
    Bench<LinesBoard> bench{&takes_all};
    const auto all_lent = [&] {
        return std::ranges::all_of(bench.board.rooms,
                                   [](const auto& room) { return room.head != nullptr; });
    };
    bench.node.poll();
    ASSERT_TRUE(all_lent());
    for (std::uint16_t number = 0; number < 4; ++number)
        for (unsigned port = 0; port < kPorts; ++port)
            bench.give_packet(port_at(port), number);
    while (bench.node.poll())
        EXPECT_TRUE(all_lent());
    EXPECT_EQ(bench.counted(Counter::packets_delivered), 12u);
    EXPECT_EQ(bench.node.kernel().pool().used(), kLines.receivers + 1);
}

TEST(SlowBoard, WhereTheHardwareChecksFramesTheKernelDoesNotCheckPacketsAgain) {
    Bench<SharedBoard> unchecked{&takes_all};
    Bench<LinesBoard> checked{&takes_all};
    const auto drops = [](auto& bench) {
        bench.node.poll();
        bench.give_packet(port_at(0), 0, true);
        bench.node.poll();
        return bench.counted(Counter::drop_crc);
    };
    EXPECT_EQ(drops(unchecked), 1u);
    EXPECT_EQ(drops(checked), 0u);
}

TEST(SlowBoard, TheSlowerTheCablesTheLongerTheRetransmissionTimeout) {
    second_may_go = false;
    Bench<LinesBoard> bench{&sends_three};
    bench.node.poll();
    bench.board.end_transfers(~PortSet{0});
    bench.node.poll();
    EXPECT_EQ(limits::rto_min_us(0), limits::kRtoMinUs);
    EXPECT_EQ(limits::rto_min_us(kLines.bits_per_second), 44'160u); // four frames
    EXPECT_EQ(limits::rto_min_us(115'200), 383'333u);
    EXPECT_GE(bench.node.kernel().ask_time(0),
              std::uint64_t{limits::kAskRtos} * limits::rto_min_us(1'000'000));
}

TEST(SlowBoard, ALinkDiesWithItsCableAndAsksAsSoonAsThatIsPluggedIn) {
    Bench<LinesBoard> bench{&sends_by_all_ports};
    auto& board = bench.board;
    board.connected &= ~bit_of(port_at(1));
    bench.work_while_ending(~PortSet{0});
    EXPECT_EQ(bench.dead_ports(), bit_of(port_at(1)));
    EXPECT_EQ(bench.counted(Counter::links_dead), 1u) << "it dies once";
    EXPECT_EQ(board.count(wire::Kind::hello, port_at(1)), 0u);
    board.connected |= bit_of(port_at(1));
    bench.work_while_ending(~PortSet{0});
    EXPECT_EQ(board.count(wire::Kind::hello, port_at(1)), 1u);
}

TEST(SlowBoard, InLockstepNobodyAsksForCables) {
    Bench<LinesBoard> bench{&takes_all, true};
    bench.board.connected = 0;
    bench.work_while_ending(~PortSet{0});
    EXPECT_EQ(bench.dead_ports(), 0u);
}

TEST(NullBoard, IsABoardOnWhichANodeStands) {
    hal::NullBoard board({kCube, node_at(0)});
    HeapMemory memory{{.ports = kPorts,
                       .buffers = kBuffers,
                       .processes = 1,
                       .nodes = node_count(kCube),
                       .arena_bytes = 8192}};
    Node<hal::NullBoard> node(board, memory, &takes_all);
    node.boot();
    EXPECT_FALSE(node.poll()) << "nothing comes";
    EXPECT_EQ(node.kernel().counters()[Counter::frames_received], 0u);
    EXPECT_EQ(node.kernel().pool().used(), 2u) << "the receiver's buffer and the host port's";
}

} // namespace slow_board_test
} // namespace mesh::test
