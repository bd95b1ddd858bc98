// The frames that a node answers and takes while its process computes. The test is its neighbour
// and the interrupt.
#include "hal/null_board.hpp"
#include "kernel/api/channel.hpp"
#include "kernel/api/message.hpp"
#include "kernel/node/node.hpp"
#include "rig.hpp"
#include "tests/kernel/heap_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace mesh::test {
namespace computing_test {

constexpr Network kPair{Topology::cube, 1};
constexpr std::size_t kBuffers = 64;

std::function<void()> computation;

Process computes(Kernel&) {
    computation();
    co_return Status::ok;
}

constexpr unsigned kSends = 12;
unsigned sent = 0;

Process send_one(Kernel& node) {
    const Status status = co_await send(node, node_at(1), {}, 0, {});
    sent += status == Status::ok ? 1 : 0;
    co_return status;
}

Process sends_and_computes(Kernel& node) {
    for (unsigned number = 0; number < kSends; ++number)
        if (!node.spawn(send_one(node)))
            co_return Status::no_memory;
    bool asked = false;
    co_await node.wait_until([&asked] { return std::exchange(asked, true); });
    computation();
    co_return Status::ok;
}

Process wait_for_ever(Kernel& node) {
    co_await node.wait_until([] { return false; });
    co_return Status::ok;
}

void no_host(void*, const wire::LinkHeader&, std::span<const std::byte>) {}

/// Node 0 of two, running free.
struct Bench {
    explicit Bench(Program program = &computes)
        : node{{kPair, node_at(0)}, memory, {4096}, ToHost{no_host, nullptr}, program} {
        node.boot();
        give({.kind = wire::Kind::hello_answer, .port = port_at(0), .sequence = 1, .refused = 1});
        tell(wire::HostTag::job, wire::bytes_of(wire::Job{.op = wire::Op::app}));
        said();
    }
    void give(wire::LinkHeader link, std::span<const std::byte> packet = {}) {
        PacketBuffer& room = *node.lend();
        std::ranges::copy(packet, room.bytes.begin());
        link.packet_bytes = static_cast<std::uint16_t>(packet.size());
        wire::Head head{.cable_to = {}, .cable_from = {}, .link = link, .link_crc = 0};
        wire::seal_head(head, {});
        if (!node.on_frame(link.port, head, sizeof head + packet.size(), &room))
            node.let_go(&room);
        node.run();
    }
    void tell(wire::HostTag tag, std::span<const std::byte> payload) {
        std::vector<std::byte> room(wire::kPacketHeaderBytes + payload.size());
        const auto [link, packet] = host_message(room, tag, payload);
        give(link, packet);
    }
    /// A packet of node 1 without payload.
    void bring(wire::PacketHeader header) {
        std::array<std::byte, wire::kPacketHeaderBytes> packet{};
        header.source = node_at(1);
        header.destination = node_at(0);
        wire::write_packet_header(header, packet);
        wire::seal_packet(packet);
        give({.kind = wire::Kind::data, .port = port_at(0), .sequence = sequence++, .hops = 1},
             packet);
    }
    /// The packets that the node sends now.
    std::vector<Service> said() {
        std::vector<Service> services;
        wire::LinkHeader header;
        for (PacketBuffer* packet = nullptr; node.next_frame(header, packet);)
            if (packet != nullptr)
                services.push_back(static_cast<Service>(packet->header.service));
        return services;
    }

    HeapMemory memory{{.ports = kPair.dim,
                       .buffers = kBuffers,
                       .processes = limits::kProcessesMax,
                       .nodes = node_count(kPair),
                       .arena_bytes = 32768}};
    std::uint16_t sequence = 0;
    NodeCore node;
};

TEST(Computing, WhoeverAsksWhetherANodeIsThereIsAnsweredAtOnce) {
    Bench bench;
    std::vector<Service> answers;
    computation = [&] {
        ASSERT_TRUE(bench.node.begin_preemptive_poll());
        for (const Service question : {Service::ask, Service::probe, Service::look})
            bench.bring({.service = static_cast<std::uint8_t>(question),
                         .flags = wire::packet_flag::kTimeless,
                         .message = 1});
        answers = bench.said();
        bench.node.end_preemptive_poll();
    };
    bench.tell(wire::HostTag::start, {});
    EXPECT_EQ(answers, (std::vector{Service::alive, Service::call, Service::alive, Service::here}));
}

TEST(Computing, WhateverIsSaidOfItsMessagesMeanwhileIsHeard) {
    sent = 0;
    Bench bench{&sends_and_computes};
    computation = [&] {
        EXPECT_NE(std::ranges::count(bench.said(), Service::message), 0);
        ASSERT_TRUE(bench.node.begin_preemptive_poll());
        for (std::uint16_t message = 1; message <= kSends; ++message)
            bench.bring({.service = static_cast<std::uint8_t>(Service::taken),
                         .flags = wire::packet_flag::kTimeless,
                         .message = MessageName{message, 1}.word()});
        bench.node.end_preemptive_poll();
    };
    bench.tell(wire::HostTag::start, {});
    EXPECT_EQ(sent, kSends);
}

Process writes_for_ever(Kernel&, Channel<int>& channel) {
    for (int number = 0;; ++number)
        co_await channel.write(number);
}

Process two_for_ever(Kernel& node) {
    Channel<int> channel{node};
    if (!node.spawn(writes_for_ever(node, channel)))
        co_return Status::no_memory;
    for (;;)
        co_await channel.read();
}

TEST(Computing, AnOfferThatNobodyWantsGoesAwayAlsoWhileProcessesKeepEachOtherRunning) {
    constexpr std::uint32_t kRoom = kBuffers / limits::kUnexpectedShare;
    Bench bench{&two_for_ever};
    bench.tell(wire::HostTag::start, {});
    for (std::uint32_t message = 1; message <= kRoom + 2; ++message) {
        bench.bring({.service = static_cast<std::uint8_t>(Service::message), .message = message});
        const std::uint32_t away = message <= kRoom ? 0 : message - kRoom;
        EXPECT_EQ(bench.node.kernel().counters()[Counter::bounces], away) << message;
    }
    EXPECT_EQ(bench.node.kernel().mailbox().size(), kRoom);
}

/// A board that knows when its cables are pulled, with the timer of preemptive polls.
class PulledBoard : public hal::NullBoard {
public:
    PulledBoard() : NullBoard({kPair, node_at(0)}) {}

    void lend(unsigned /*receiver*/, hal::Head& head, hal::PacketRoom buffer) {
        head_ = &head;
        buffer_ = buffer.data();
    }
    hal::Received receive() {
        if (frame.empty())
            return {};
        const std::vector<std::byte> bytes = std::exchange(frame, {});
        std::copy_n(bytes.begin(), wire::kHeadBytes, head_->bytes.begin());
        std::copy(bytes.begin() + wire::kHeadBytes, bytes.end(), buffer_);
        return {.state = hal::Received::State::frame,
                .port = port,
                .frame_bytes = static_cast<std::uint32_t>(bytes.size())};
    }
    PortSet connected_ports() const { return connected; }
    std::uint64_t now_us() { return ++time_us; }
    void start_ticks(std::uint32_t, void (*do_work)(void* context), void* with) {
        ++started;
        work = do_work;
        context = with;
    }
    void stop_ticks() { work = nullptr; }

    std::vector<std::byte> frame;
    Port port{};
    PortSet connected = 1;
    std::uint64_t time_us = 0;
    unsigned started = 0;
    void (*work)(void* context) = nullptr;
    void* context = nullptr;

private:
    hal::Head* head_ = nullptr;
    std::byte* buffer_ = nullptr;
};

TEST(Computing, BesideADeadLinkNothingTicksWhileProcessesWait) {
    HeapMemory memory{{.ports = kPair.dim,
                       .buffers = kBuffers,
                       .processes = 2,
                       .nodes = node_count(kPair),
                       .arena_bytes = 8192}};
    PulledBoard board;
    Node<PulledBoard> node{board, memory, &wait_for_ever};
    const auto give = [&](const wire::LinkHeader& link, std::span<const std::byte> packet) {
        board.frame.resize(wire::kHeadBytes);
        wire::write_head(link, {}, std::span{board.frame}.first<wire::kHeadBytes>());
        board.frame.insert(board.frame.end(), packet.begin(), packet.end());
        board.port = link.port;
        node.poll();
    };
    const auto tell = [&](wire::HostTag tag, std::span<const std::byte> payload) {
        std::vector<std::byte> room(wire::kPacketHeaderBytes + payload.size());
        const auto [link, packet] = host_message(room, tag, payload);
        give(link, packet);
    };
    node.boot();
    give({.kind = wire::Kind::hello_answer, .port = port_at(0), .sequence = 1, .refused = 1}, {});
    tell(wire::HostTag::job, wire::bytes_of(wire::Job{.op = wire::Op::app}));
    tell(wire::HostTag::start, {});
    EXPECT_GT(board.started, 0u) << "a process ran";
    board.connected = 0;
    const auto rest = [&](unsigned turns) {
        for (unsigned turn = 0; turn < turns; ++turn) {
            node.poll();
            if (board.work != nullptr)
                board.work(board.context);
        }
    };
    rest(10);
    EXPECT_EQ(node.kernel().dead_ports(), 1u);
    const unsigned before = board.started;
    rest(10);
    EXPECT_EQ(board.started, before);
    EXPECT_EQ(board.work, nullptr);
}

} // namespace computing_test
} // namespace mesh::test
