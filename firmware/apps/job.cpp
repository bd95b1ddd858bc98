// The program of `mesh run --op ...`: does what the host asks and tells what it got.
#include "apps/traffic.hpp"
#include "meshputer.hpp"
#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

#include <algorithm>

namespace mesh {
namespace {

// Fills `out` from the payload stream; `context` is the stream's first word.
void fill_traffic(const void* context, std::uint32_t position, std::span<std::byte> out) {
    const std::uint32_t stream = *static_cast<const std::uint32_t*>(context);
    for (; position % 4 == 0 && out.size() >= 4; position += 4, out = out.subspan(4))
        wire::store(out, 0, traffic_word(stream, position / 4));
    for (std::byte& byte : out)
        byte = static_cast<std::byte>(traffic_byte(stream, position++));
}

// Fetches `out` from the input at `position`, piece by piece.
Task<Status> fetch(Kernel& node, std::uint32_t position, std::span<std::byte> out) {
    while (!out.empty()) {
        const auto piece = out.first(std::min<std::size_t>(out.size(), wire::kHostPieceBytesMax));
        co_await node.pull(position, piece);
        position += static_cast<std::uint32_t>(piece.size());
        out = out.subspan(piece.size());
    }
    co_return Status::ok;
}

// Gives what this node got on to the host, if it is the one that should.
void put_out(Kernel& node, std::uint32_t position, std::span<const std::byte> data) {
    if (node.job().output_node != index(node.id()))
        return;
    while (!data.empty()) {
        const auto part = data.first(std::min<std::size_t>(data.size(), wire::kHostPieceBytesMax));
        const wire::Piece piece{position, static_cast<std::uint32_t>(part.size())};
        node.host_send(wire::HostTag::push, wire::bytes_of(piece), part);
        position += piece.bytes;
        data = data.subspan(part.size());
    }
}

void count_packet(Kernel& node, std::span<const std::byte> payload) {
    ++node.result().received_packets;
    node.result().received_bytes += static_cast<std::uint32_t>(payload.size());
}

Process run_broadcast(Kernel& node) {
    const wire::Job& job = node.job();
    const BroadcastPlan plan{job.rule, node_at(job.root), job.message_bytes, job.packet_bytes, 1};
    const Cutting cutting = plan.cutting();
    const bool is_root = node.id() == plan.root;
    const std::uint32_t stream = traffic_stream(job.seed, plan.root, 0);
    wire::Result& result = node.result();
    std::uint32_t position = 0;
    do {
        const Cutting::Fragment fragment = cutting.at(position);
        Packet packet = co_await next_broadcast_packet(node, plan, fragment);
        if (!packet)
            co_return Status::no_memory;
        if (is_root && job.has_input != 0)
            static_cast<void>(co_await fetch(node, position, packet.payload()));
        else if (is_root)
            fill_traffic(&stream, position, packet.payload());
        result.crc = wire::crc32(packet.payload(), result.crc);
        count_packet(node, packet.payload());
        put_out(node, position, packet.payload());
        if (is_root)
            node.inject(std::move(packet));
        position += fragment.bytes;
    } while (position < plan.total_bytes);
    result.received_messages = 1;
    co_return Status::ok;
}

// Sends this node's messages, one after the other.
Process send_traffic(Kernel& node) {
    const wire::Job& job = node.job();
    const SendOptions options{1, static_cast<std::uint16_t>(job.packet_bytes)};
    Status worst = Status::ok;
    for (std::uint32_t k = 0; k < job.messages; ++k) {
        const NodeId to = job.target == wire::kRandomTarget
                              ? traffic_target(node.nodes(), job.seed, node.id(), k)
                              : node_at(job.target);
        Status status = Status::ok;
        if (job.has_input != 0) {
            const auto data = node.workspace().first(job.message_bytes);
            if (k == 0)
                static_cast<void>(co_await fetch(node, 0, data));
            status = co_await send(node, to, options, data);
        } else {
            const std::uint32_t stream = traffic_stream(job.seed, node.id(), k);
            status = co_await send(node, to, options, job.message_bytes, {fill_traffic, &stream});
        }
        if (status != Status::ok)
            worst = status;
    }
    co_return worst;
}

Process take_message(Kernel& node, Message& message) {
    std::uint32_t crc = 0;
    std::uint32_t position = 0;
    do {
        Packet packet = co_await next(node, message);
        if (!packet)
            co_return Status::no_memory;
        crc = wire::crc32(packet.payload(), crc);
        count_packet(node, packet.payload());
        put_out(node, position, packet.payload());
        position += static_cast<std::uint32_t>(packet.payload().size());
    } while (!message.finished());
    node.result().crc += crc;
    ++node.result().received_messages;
    co_return Status::ok;
}

Process run_send(Kernel& node) {
    const wire::Job& job = node.job();
    ProcessId sender;
    if (job.has_input != 0 && node.workspace().size() < job.message_bytes)
        co_return Status::no_memory;
    if (!node.spawn(send_traffic(node), sender))
        co_return Status::no_memory;
    for (std::uint32_t got = 0; got < job.expected; ++got) {
        Message message = co_await receive_message(node);
        const Status status = co_await take_message(node, message);
        if (status != Status::ok)
            co_return status;
    }
    co_return co_await node.join(sender);
}

Process refuse(Kernel&) { co_return Status::bad_argument; }

} // namespace
} // namespace mesh

mesh::Process app_main(mesh::Kernel& node) {
    switch (node.job().op) {
    case mesh::wire::Op::bcast: return mesh::run_broadcast(node);
    case mesh::wire::Op::send: return mesh::run_send(node);
    case mesh::wire::Op::barrier: return mesh::barrier(node);
    case mesh::wire::Op::none:
    case mesh::wire::Op::app: break;
    }
    return mesh::refuse(node);
}
