// What a node answers while its process computes. The test is its neighbour and the interrupt.
#include "kernel/boardless_node.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <functional>
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

void no_host(void*, const wire::LinkHeader&, std::span<const std::byte>) {}

/// Node 0 of two, running free.
struct Bench {
    Bench() {
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

    std::vector<PacketBuffer> buffers{kBuffers};
    std::vector<PortSlot> slots{kBuffers};
    std::vector<Link> links{1};
    std::array<ProcessSlot, 2> processes;
    std::array<Sender, 8> senders;
    std::vector<std::uint64_t> arena = std::vector<std::uint64_t>(1024);
    std::uint16_t sequence = 0;
    BoardlessNode node{
        {kPair, node_at(0)},
        {buffers, slots, links, processes, senders, std::as_writable_bytes(std::span{arena}), {}},
        {4096},
        ToHost{no_host, nullptr},
        &computes};
};

TEST(Computing, WhoeverAsksWhetherANodeIsThereIsAnsweredAtOnce) {
    Bench bench;
    std::vector<Service> answers;
    computation = [&] {
        ASSERT_TRUE(bench.node.begin_interlude());
        for (const Service question : {Service::ask, Service::probe, Service::look})
            bench.bring({.service = static_cast<std::uint8_t>(question),
                         .flags = wire::packet_flag::kTimeless,
                         .message = 1});
        answers = bench.said();
        bench.node.end_interlude();
    };
    bench.tell(wire::HostTag::start, {});
    EXPECT_EQ(answers, (std::vector{Service::later, Service::alive, Service::here}));
}

} // namespace computing_test
} // namespace mesh::test
