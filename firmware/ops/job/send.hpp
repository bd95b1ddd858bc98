// mesh run --op send: messages of one node to another, or of all nodes to random ones.
#pragma once

#include "ops/job/data.hpp"
#include "ops/parameters.hpp"

namespace mesh::ops {

/// Sends this node's messages, one after the other.
inline Process send_traffic(Kernel& node) {
    const wire::Job& job = node.job();
    const auto asked = parameters<SendParameters>(job);
    const SendOptions options{.tag = 1,
                              .packet_bytes = static_cast<std::uint16_t>(job.packet_bytes),
                              .route = asked.route,
                              .synchronous = false}; // the op is to load the mesh
    Status worst = Status::ok;
    for (std::uint32_t k = 0; k < asked.messages; ++k) {
        const NodeId to = asked.target == kRandomTarget
                              ? traffic_target(node.nodes(), job.seed, node.id(), k)
                              : node_at(asked.target);
        Status status = Status::ok;
        if (job.has_input != 0) {
            const auto data = node.workspace().first(job.message_bytes);
            if (k == 0)
                status = co_await read_input(node, 0, data);
            if (status == Status::ok)
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

/// Accounts for one message. unreachable: its sender is gone, or has given it up.
inline Process take_message(Kernel& node, Message& message) {
    std::uint32_t crc = 0;
    std::uint32_t position = 0;
    do {
        Packet packet = co_await next(node, message);
        if (!packet)
            co_return message.status();
        crc = wire::crc32(packet.payload(), crc);
        count_packet(node, packet.payload());
        put_out(node, position, packet.payload());
        position += static_cast<std::uint32_t>(packet.payload().size());
    } while (!message.finished());
    node.result().crc += crc;
    ++node.result().received_messages;
    co_return Status::ok;
}

/// Takes all messages that are expected, also if one of the senders is gone.
inline Process run_send(Kernel& node) {
    ProcessId sender;
    if (!node.spawn(send_traffic(node), sender))
        co_return Status::no_memory;
    Status status = Status::ok;
    const std::uint32_t expected = parameters<SendParameters>(node.job()).expected;
    for (std::uint32_t got = 0; got < expected; ++got) {
        Message message = co_await receive_message(node);
        status = first_failure(status, co_await take_message(node, message));
    }
    co_return first_failure(status, co_await node.end_of(sender));
}

} // namespace mesh::ops
