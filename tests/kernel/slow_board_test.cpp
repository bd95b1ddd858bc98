// A node on a board whose transfers take time, as serial lines do: what is being sent stays as it
// is, and a node is not idle before all has left.
#include "boards/host/board.hpp"
#include "kernel/node.hpp"
#include "tests/kernel/host_message.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace mesh::test {
namespace {

constexpr Network kPair{Topology::cube, 1};
constexpr std::size_t kBuffers = 24;

/// Transfers end when the test says so, or the node waits for that.
class SlowBoard {
public:
    struct Sent {
        wire::LinkHeader header;
        std::vector<std::byte> packet; // as it was when the transfer began
        std::span<const std::byte> read;
    };

    wire::Identity identity() const { return inner.identity(); }
    std::size_t window_bytes(unsigned ports) const { return inner.window_bytes(ports); }
    bool transmit_ready() const { return !busy; }
    void transmit(Port, const hal::Head& head, std::span<const std::byte> packet) {
        Sent& one = sent.emplace_back();
        EXPECT_EQ(wire::read_head(head.bytes, wire::kFrameBytesMax, one.header), wire::Parse::ok);
        one.packet.assign(packet.begin(), packet.end());
        one.read = packet;
        busy = true;
    }
    hal::Received receive(hal::Head& head, std::span<std::byte> buffer) {
        return inner.receive(head, buffer);
    }
    std::uint32_t dma_transfers(Port) const { return 0; }
    std::uint64_t now_us() const { return 0; }
    void set_alarm_us(std::uint64_t) {}
    void wait() { end_transfer(); }
    void hang() {}

    void end_transfer() {
        if (busy)
            EXPECT_TRUE(std::ranges::equal(sent.back().packet, sent.back().read))
                << "the packet changed while it was being sent";
        busy = false;
    }
    std::size_t count(wire::Kind kind) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            sent, [kind](const Sent& one) { return one.header.kind == kind; }));
    }

    board::HostBoard inner{{kPair, node_at(0)}, [](std::span<std::byte>) {}};
    std::vector<Sent> sent;
    bool busy = false;
};
static_assert(hal::Board<SlowBoard>);

bool second_may_go = false;

Process sends_three(Kernel& node) {
    for (unsigned number = 0; number < 3; ++number) {
        co_await node.wait_until([number] { return number == 0 || second_may_go; });
        Packet packet = co_await node.allocate(Rule::unicast);
        packet.header().destination = node_at(1);
        std::ranges::fill(packet.resize(100), static_cast<std::byte>(number + 1));
        node.inject(std::move(packet));
    }
    co_return Status::ok;
}

/// The node, told its job.
struct Bench {
    explicit Bench(bool lockstep) : node(board, memory(), &sends_three) {
        node.boot();
        board.end_transfer();
        give({.kind = wire::Kind::hello_answer,
              .port = port_at(0),
              .sequence = kPair.dim,
              .refused = 1},
             {});
        while (node.poll()) {
        }
        wire::Job job;
        job.op = wire::Op::app;
        job.lockstep = lockstep ? 1 : 0;
        tell(wire::HostTag::job, wire::bytes_of(job));
        tell(wire::HostTag::start, {});
        board.sent.clear();
    }
    Memory memory() {
        return {buffers, slots, links, std::as_writable_bytes(std::span{arena}), {}};
    }

    void give(const wire::LinkHeader& header, std::span<const std::byte> packet) {
        std::vector<std::byte> frame(wire::kHeadBytes);
        wire::write_head(header, {}, std::span{frame}.first<wire::kHeadBytes>());
        frame.insert(frame.end(), packet.begin(), packet.end());
        board.inner.deliver(frame);
    }
    void tell(wire::HostTag tag, std::span<const std::byte> payload) {
        std::vector<std::byte> room(wire::kPacketHeaderBytes + payload.size());
        const auto [link, packet] = host_message(room, tag, payload);
        board.end_transfer();
        give(link, packet);
        if (tag != wire::HostTag::start)
            node.poll();
    }

    std::vector<PacketBuffer> buffers{kBuffers};
    std::vector<PortSlot> slots{kBuffers};
    std::vector<Link> links{1};
    std::vector<std::uint64_t> arena = std::vector<std::uint64_t>(1024);
    SlowBoard board;
    Node<SlowBoard> node;
};

TEST(SlowBoard, ANodeIsNotIdleWhileFramesWaitForTheTransmitter) {
    second_may_go = true;
    Bench bench{true};
    for (unsigned turn = 0; turn < 50 && bench.board.count(wire::Kind::idle) == 0; ++turn) {
        for (unsigned poll = 0; poll < 3; ++poll)
            bench.node.poll();
        EXPECT_LE(bench.board.count(wire::Kind::idle), bench.board.count(wire::Kind::data) / 3);
        bench.board.end_transfer();
    }
    EXPECT_EQ(bench.board.count(wire::Kind::data), 3u);
    EXPECT_EQ(bench.board.count(wire::Kind::idle), 1u);
}

TEST(SlowBoard, APacketStaysAsItIsUntilItHasLeftThoughItIsAcknowledged) {
    second_may_go = false;
    Bench bench{false};
    bench.node.poll(); // starts, and begins to send the first packet
    ASSERT_EQ(bench.board.count(wire::Kind::data), 1u);
    ASSERT_TRUE(bench.board.busy);
    bench.give({.kind = wire::Kind::ack, .port = port_at(0), .acknowledged = 1, .free_buffers = 9},
               {});
    second_may_go = true;
    bench.node.poll(); // the program fills more packets meanwhile
    ASSERT_EQ(bench.node.kernel().counters()[Counter::packets_injected], 3u);
    for (unsigned turn = 0; turn < 10; ++turn) {
        bench.board.end_transfer();
        bench.node.poll();
    }
    EXPECT_EQ(bench.board.count(wire::Kind::data), 3u);
}

} // namespace
} // namespace mesh::test
