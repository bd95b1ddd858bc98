// The links work between any two instructions of a process, on a host whose processor can stop
// after each one (x86-64): the process's calls of the kernel and the frames that come in meanwhile
// never interfere. The interrupt of the board is the trap after an instruction.
#include "hal/null_board.hpp"
#include "kernel/api/message.hpp"
#include "kernel/node/node.hpp"
#include "tests/exhaustive.hpp"
#include "tests/kernel/heap_memory.hpp"
#include "tests/kernel/host_message.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <vector>

// A sanitizer checks between the instructions of a process, where no trap may come.
#if defined(__x86_64__) && !MESH_SANITIZED

namespace mesh::test {
namespace preemptive_poll_test {

constexpr Network kSquare{Topology::cube, 2};
constexpr std::size_t kBuffers = 400;
constexpr unsigned kFrameBytesMax = 256;

/// The board of node 0, which allocates no memory: traps come at any time.
class TickingBoard : public hal::NullBoard {
public:
    struct Frame {
        Port port{};
        std::size_t bytes = 0;
        std::array<std::byte, kFrameBytesMax> content{};
    };

    TickingBoard() : NullBoard({kSquare, node_at(0)}) {}

    void lend(unsigned /*receiver*/, hal::Head& head, hal::PacketRoom buffer) {
        head_ = &head;
        buffer_ = buffer.data();
    }
    hal::Received receive() {
        if (first == end)
            return {};
        const Frame& frame = frames[first++ % frames.size()];
        std::copy_n(frame.content.begin(), wire::kHeadBytes, head_->bytes.begin());
        std::copy_n(frame.content.begin() + wire::kHeadBytes, frame.bytes - wire::kHeadBytes,
                    buffer_);
        return {.state = hal::Received::State::frame,
                .port = frame.port,
                .frame_bytes = static_cast<std::uint32_t>(frame.bytes)};
    }
    /// Neighbours acknowledge everything at once.
    void transmit(Port port, const hal::Head& head, std::span<const std::byte> packet) {
        wire::LinkHeader header;
        if (wire::read_head(head.bytes, wire::kFrameBytesMax, header) != wire::Parse::ok ||
            packet.empty())
            return;
        wire::PacketHeader packet_header;
        damaged += wire::read_packet(packet, packet_header) != wire::Parse::ok ? 1 : 0;
        if (port == kHostPort)
            return;
        ++sent[index(port)];
        give({.kind = wire::Kind::ack,
              .port = port,
              .acknowledged = static_cast<std::uint16_t>(header.sequence + 1),
              .free_buffers = 9},
             {});
        answer(packet_header);
    }
    /// As node 1: takes all of a message that comes, but some offers only when it has called.
    void answer(const wire::PacketHeader& asked) {
        const auto service = static_cast<Service>(asked.service);
        const bool offers = service == Service::message;
        const bool hints = (asked.flags & wire::packet_flag::kHint) != 0;
        if (hints || (service == Service::nothing && std::exchange(calls, false) &&
                      (asked.flags & wire::packet_flag::kMore) != 0))
            return call();
        if ((!offers && service != Service::fragment) ||
            (offers && calls && asked.position != round)) // void
            return;
        if (offers && !std::exchange(calls, false) && ++offers_count % 3 == 0)
            return call();
        give_packet({.destination = node_at(0),
                     .service = static_cast<std::uint8_t>(Service::taken),
                     .flags = wire::packet_flag::kTimeless,
                     .message = asked.message,
                     .position = (offers ? 0 : asked.position) + asked.payload_bytes});
        if (offers)
            last = asked.message;
        if (offers && (asked.flags & wire::packet_flag::kMore) != 0)
            call();
    }
    void call() {
        if (std::exchange(calls, true))
            return;
        give_packet({.destination = node_at(0),
                     .service = static_cast<std::uint8_t>(Service::call),
                     .flags = wire::packet_flag::kTimeless,
                     .message = last,
                     .position = round = round_after(round)},
                    0);
    }
    void give(const wire::LinkHeader& header, std::span<const std::byte> packet) {
        Frame& frame = frames[end++ % frames.size()];
        frame.port = header.port;
        frame.bytes = wire::kHeadBytes + packet.size();
        wire::write_head(header, {}, std::span{frame.content}.first<wire::kHeadBytes>());
        std::ranges::copy(packet, frame.content.begin() + wire::kHeadBytes);
    }
    /// A question of the host's, which is answered by a report.
    void give_poll() {
        std::array<std::byte, wire::kPacketHeaderBytes> room{};
        const auto [link, packet] = host_message(room, wire::HostTag::poll, {});
        give(link, packet);
    }
    /// A packet of node 1, for this one or to go through it to node 2.
    void give_packet() { give_packet({.destination = node_at(given % 2 == 0 ? 0 : 2)}); }
    void give_packet(wire::PacketHeader packet_header, std::uint16_t payload_bytes = 4) {
        std::array<std::byte, wire::kPacketHeaderBytes + 4> room{};
        const auto packet = std::span{room}.first(wire::kPacketHeaderBytes + payload_bytes);
        packet_header.source = node_at(1);
        packet_header.payload_bytes = payload_bytes;
        wire::write_packet_header(packet_header, packet.first<wire::kPacketHeaderBytes>());
        wire::seal_packet(packet);
        give({.kind = wire::Kind::data,
              .port = port_at(0),
              .sequence = static_cast<std::uint16_t>(given++),
              .acknowledged = static_cast<std::uint16_t>(sent[0]),
              .free_buffers = 9,
              .packet_bytes = static_cast<std::uint16_t>(packet.size())},
             packet);
    }
    std::uint64_t now_us() { return time_us += step_us; }

    void start_ticks(std::uint32_t, void (*do_work)(void* context), void* with) {
        work = do_work;
        context = with;
    }
    void stop_ticks() { work = nullptr; }

    std::array<Frame, 64> frames;
    std::size_t first = 0, end = 0;
    std::array<unsigned, 2> sent{};
    unsigned given = 0;
    unsigned offers_count = 0;
    bool calls = false;            // it has called, and has no answer yet
    std::uint32_t last = 0x1'0000; // message of node 0, in its first life
    std::uint8_t round = 0;
    unsigned damaged = 0;
    std::uint64_t time_us = 0, step_us = 1;
    void (*work)(void* context) = nullptr;
    void* context = nullptr;

private:
    hal::Head* head_ = nullptr;
    std::byte* buffer_ = nullptr;
};
static_assert(hal::Board<TickingBoard> && hal::HasPreemption<TickingBoard>);

TickingBoard* board = nullptr;
std::minstd_rand random_numbers;
unsigned ticks = 0;
unsigned taken = 0;
unsigned wrong = 0;
constexpr unsigned kRounds = 30;

/// After an instruction of the process: now and then a frame has come in, and the tick is due.
void on_trap(int) {
    constexpr std::size_t kRoom = 32; // frames that wait during critical sections
    if (board->work == nullptr || board->end - board->first > kRoom || random_numbers() % 4 != 0)
        return;
    ++ticks;
    if (random_numbers() % 100 == 0)
        board->give_packet();
    if (random_numbers() % 50 == 0)
        board->give_poll();
    board->work(board->context);
}

void trap_after_each_instruction(bool on) {
    constexpr std::uint64_t kTrapFlag = 1u << 8;
    std::uint64_t flags;
    asm volatile("pushfq\n\tpop %0" : "=r"(flags));
    flags = on ? flags | kTrapFlag : flags & ~kTrapFlag;
    asm volatile("push %0\n\tpopfq" ::"r"(flags) : "cc", "memory");
}

/// Calls everything that the links have a part in, and never waits for them.
Process busy(Kernel& node) {
    trap_after_each_instruction(true);
    for (unsigned round = 0; round < kRounds; ++round) {
        OutgoingPacket packet = co_await node.allocate(Rule::unicast);
        packet.header().destination = node_at(1 + round % 2);
        std::ranges::fill(packet.resize(4), static_cast<std::byte>(round));
        node.inject(std::move(packet));
        while (node.has({})) {
            const Packet got = node.take({});
            wrong += got.header().source == node_at(1) ? 0 : 1;
            ++taken;
        }
        wrong += node.due(node.deadline_in(limits::kTicksPerUs * 1'000'000)) ? 1 : 0;
        node.host_send(wire::HostTag::console, {});
    }
    trap_after_each_instruction(false);
    co_return Status::ok;
}

// A trap costs a tenth of a millisecond on some machines, and a message 10,000 of them.
constexpr unsigned kSenders = 3, kMessages = 10;
constexpr std::array<std::byte, 200> kData{};

Process send_some(Kernel& node, std::uint16_t packet_bytes) {
    Status status = Status::ok;
    for (std::uint32_t round = 0; round < kMessages && status == Status::ok; ++round)
        status = co_await send(node, node_at(1), {.packet_bytes = packet_bytes},
                               std::span{kData}.first(round * 20));
    ++taken;
    co_return status;
}

/// Sends messages, and computes while the links take the answers to them.
Process busy_sender(Kernel& node) {
    for (unsigned sender = 0; sender < kSenders; ++sender)
        if (!node.spawn(send_some(node, static_cast<std::uint16_t>(50 + 30 * sender))))
            co_return Status::no_memory;
    trap_after_each_instruction(true);
    while (taken < kSenders) {
        for (unsigned call = 0; call < 100; ++call)
            wrong += node.network() == kSquare ? 0 : 1;
        while (node.has({})) // they would fill the pool
            static_cast<void>(node.take({}));
        co_await node.yield();
    }
    trap_after_each_instruction(false);
    co_return Status::ok;
}

/// Node 0.
struct Bench {
    /// It knows its neighbours, and has no job yet.
    explicit Bench(unsigned seed, Program program = &busy) : node{ticking, memory, program} {
        board = &ticking;
        ticking.step_us = program == &busy_sender ? 50 : 1; // pauses between offers are long
        random_numbers.seed(seed);
        ticks = taken = wrong = 0;
        node.boot();
        for (unsigned port = 0; port < kSquare.dim; ++port)
            ticking.give({.kind = wire::Kind::hello_answer,
                          .port = port_at(port),
                          .sequence = kSquare.dim,
                          .refused = static_cast<std::uint16_t>(1u << port)},
                         {});
    }
    /// With its program from its start to its end.
    Bench(unsigned seed, bool lockstep, Program program = &busy) : Bench(seed, program) {
        wire::Job job;
        job.op = wire::Op::app;
        job.lockstep = lockstep ? 1 : 0;
        tell(wire::HostTag::job, wire::bytes_of(job));
        tell(wire::HostTag::start, {});
        auto* const before = std::signal(SIGTRAP, &on_trap);
        const auto is_over = [this] {
            return ticking.first == ticking.end && !node.kernel().scheduler().any();
        };
        for (unsigned turn = 0; turn < 200 || (turn < 20'000 && !is_over()); ++turn)
            node.poll();
        trap_after_each_instruction(false);
        std::signal(SIGTRAP, before);
    }
    void tell(wire::HostTag tag, std::span<const std::byte> payload) {
        std::vector<std::byte> room(wire::kPacketHeaderBytes + payload.size());
        const auto [link, packet] = host_message(room, tag, payload);
        ticking.give(link, packet);
    }
    std::uint32_t counted(Counter counter) { return node.kernel().counters()[counter]; }

    TickingBoard ticking;
    HeapMemory memory{{.ports = kSquare.dim,
                       .buffers = kBuffers,
                       .processes = 1 + kSenders,
                       .nodes = node_count(kSquare),
                       .arena_bytes = 8192}};
    Node<TickingBoard> node;
};

class PreemptivePoll : public testing::TestWithParam<unsigned> {};

TEST_P(PreemptivePoll, MayComeBetweenAnyTwoInstructionsOfAProcess) {
    Bench bench(GetParam(), false);
    const TickingBoard& ticking = bench.ticking;
    EXPECT_GT(ticks, 1000u);
    EXPECT_GT(taken, 4u) << "packets came in while the process was at work";
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(ticking.damaged, 0u);
    EXPECT_EQ(bench.counted(Counter::packets_injected), kRounds);
    // One that came in by the last instructions finds no program any more.
    const unsigned late = bench.counted(Counter::drop_unexpected);
    EXPECT_LE(late, 1u);
    EXPECT_EQ(bench.counted(Counter::packets_delivered) + late, (ticking.given + 1) / 2);
    EXPECT_EQ(bench.counted(Counter::packets_forwarded), ticking.given / 2);
    for (const Counter none : {Counter::retransmissions, Counter::drop_crc, Counter::drop_malformed,
                               Counter::drop_duplicate, Counter::drop_out_of_order})
        EXPECT_EQ(bench.counted(none), 0u);
    const unsigned in_mailbox = bench.counted(Counter::packets_delivered) - taken;
    EXPECT_EQ(bench.node.kernel().pool().used(), 2 + in_mailbox) << "receiver, host port, mailbox";
}

TEST_P(PreemptivePoll, HearsWhatBecomesOfAMessageThatAProcessSends) {
    Bench bench(GetParam(), false, &busy_sender);
    EXPECT_GT(ticks, 1000u);
    EXPECT_EQ(taken, kSenders);
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(bench.node.kernel().scheduler().failure(), Status::ok);
    EXPECT_FALSE(bench.node.kernel().scheduler().any());
    EXPECT_EQ(bench.counted(Counter::drop_unexpected), 0u);
    EXPECT_EQ(bench.node.kernel().pool().used(), 2 + bench.node.kernel().mailbox().size());
}
INSTANTIATE_TEST_SUITE_P(Seeds, PreemptivePoll, testing::Range(1u, 4u));

TEST(NoJob, IsNeededToHearTheNeighbours) {
    Bench bench(1);
    bench.ticking.give_packet();
    while (bench.node.poll()) {
    }
    EXPECT_EQ(bench.counted(Counter::packets_delivered), 1u);
}

TEST(Lockstep, HasNoPreemptivePolls) {
    Bench bench(1, true);
    EXPECT_EQ(ticks, 0u);
    EXPECT_EQ(bench.counted(Counter::packets_injected), kRounds);
}

} // namespace preemptive_poll_test
} // namespace mesh::test

#endif
