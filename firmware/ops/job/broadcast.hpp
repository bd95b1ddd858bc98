// mesh run --op bcast: a packet of the root to all, once or in copies.
#pragma once

#include "ops/job/data.hpp"
#include "ops/parameters.hpp"

namespace mesh::ops {

/// Fills a packet of the root; not ok if the input cannot be read.
inline Task<Status> fill_packet(Kernel& node, std::uint32_t position, std::span<std::byte> out) {
    const wire::Job& job = node.job();
    if (job.has_input != 0)
        co_return co_await read_input(node, position, out);
    const std::uint32_t stream = traffic_stream(job.seed, node.id(), 0);
    fill_traffic(&stream, position, out);
    co_return Status::ok;
}

/// Accounts for a packet of a broadcast.
inline void account_packet(Kernel& node, std::uint32_t position,
                           std::span<const std::byte> payload) {
    node.result().crc = wire::crc32(payload, node.result().crc);
    count_packet(node, payload);
    put_out(node, position, payload);
}

inline Task<Status> stream_broadcast(Kernel& node) {
    const wire::Job& job = node.job();
    const BroadcastPlan plan{job.rule, node_at(job.root), job.message_bytes, job.packet_bytes, 1};
    Broadcast broadcast{node, plan};
    while (!broadcast.finished()) {
        const std::uint32_t position = broadcast.position();
        if (node.id() != plan.root) {
            const Awaited next = co_await packet_that_came(node, broadcast);
            if (next.status == Status::no_memory)
                co_return Status::no_memory;
            if (next.packet)
                account_packet(node, position, next.packet.payload());
            continue;
        }
        OutgoingPacket packet = co_await packet_to_fill(node, broadcast);
        if (!packet)
            co_return Status::no_memory;
        broadcast.fail(co_await fill_packet(node, position, packet.payload()));
        account_packet(node, position, packet.payload());
        node.inject(std::move(packet));
    }
    node.result().received_messages = broadcast.status() == Status::ok ? 1 : 0;
    co_return broadcast.status();
}

/// Puts the outcome of the copies so far into the result.
inline void account_copies(Kernel& node, const CopyReport& copies,
                           std::span<const std::byte> message) {
    node.result().crc = wire::crc32(message);
    node.result().received_copies = copies.copies;
    node.result().disputed_packets = copies.disputed;
    node.result().copies_time = copies.last;
}

/// Keeps the result up to date: copies may go on coming, and a vote may turn.
inline Process watch_copies(Kernel& node, const CopyReport& copies,
                            std::span<const std::byte> message) {
    for (;;) {
        account_copies(node, copies, message);
        const std::uint32_t seen = copies.copies;
        co_await node.wait_until([&copies, seen] { return copies.copies != seen; });
    }
}

inline Process run_stream(Kernel& node) {
    const Status status = co_await as_call(node, 1, stream_broadcast(node));
    co_return status;
}

inline Process run_copies(Kernel& node) {
    const wire::Job& job = node.job();
    const BroadcastPlan plan{job.rule, node_at(job.root), job.message_bytes, job.packet_bytes, 1};
    const auto message = node.workspace().first(plan.total_bytes);
    const auto votes = node.workspace().subspan(plan.total_bytes, vote_bytes(plan));
    const bool is_root = node.id() == plan.root;
    CopyReport* const copies = node.make<CopyReport>();
    if (copies == nullptr)
        co_return Status::no_memory;
    Status status = Status::ok;
    if (is_root && job.has_input != 0)
        status = co_await read_input(node, 0, message);
    else if (is_root) {
        const std::uint32_t stream = traffic_stream(job.seed, plan.root, 0);
        fill_traffic(&stream, 0, message);
    }
    if (status == Status::ok)
        status = co_await broadcast_copies(node, plan, parameters<BroadcastParameters>(job).copies,
                                           message, votes, *copies);
    if (status != Status::ok)
        co_return status;
    node.result().received_packets = plan.packets();
    node.result().received_bytes = plan.total_bytes;
    node.result().received_messages = 1;
    put_out(node, 0, message);
    account_copies(node, *copies, message);
    if (!is_root && !node.spawn_alone(watch_copies(node, *copies, message)))
        co_return Status::no_memory;
    co_return Status::ok;
}

inline Process run_broadcast(Kernel& node) {
    return parameters<BroadcastParameters>(node.job()).copies > 1 ? run_copies(node)
                                                                  : run_stream(node);
}

} // namespace mesh::ops
