// scatter, gather, allgather and alltoall on the UHC and the star: in packets that may come in
// copies over disjoint trees.
#pragma once

#include "ops/job/personal_data.hpp"

namespace mesh::ops {

/// While blocks are missing the result says which blocks are there: how many, and the sum of their
/// checksums, each with its node's number in front.
inline void account_block(void* context, NodeId from, std::span<const std::byte> block) {
    auto& result = *static_cast<wire::Result*>(context);
    const std::uint32_t number = index(from);
    const std::uint32_t head = wire::crc32(std::as_bytes(std::span{&number, 1}));
    result.crc += wire::crc32(block, head);
    result.received_bytes += static_cast<std::uint32_t>(block.size());
    ++result.received_messages;
}

inline Task<Status> make_blocks_for(Kernel& node, const PersonalPlan& plan, Exchange what) {
    const std::size_t own = std::size_t{index(node.id())} * plan.block_bytes;
    const auto block = node.workspace().subspan(own, plan.block_bytes);
    Status status = Status::ok;
    if (what == Exchange::alltoall)
        status = co_await make_all_blocks(node, node.id(), 0, true);
    else if (what != Exchange::scatter)
        status = co_await make_block(node, node.id(), NodeId{0}, index(node.id()), block);
    else if (node.id() == plan.root)
        status = co_await make_all_blocks(node, plan.root, 0, false);
    co_return status;
}

/// Keeps the result up to date: copies come while blocks are missing, and after.
inline Process watch_packets(Kernel& node, const Arrivals& arrivals) {
    wire::Result& result = node.result();
    for (;;) {
        result.received_copies = arrivals.copies;
        result.disputed_packets = arrivals.disputed;
        result.copies_time = arrivals.last_at;
        const std::uint32_t seen = arrivals.copies;
        co_await node.wait_until([&arrivals, seen] { return arrivals.copies != seen; });
    }
}

inline Process run_packets(Kernel& node, Exchange what) {
    const PersonalPlan plan = personal_plan(node);
    auto* const arrivals = node.make<Arrivals>();
    if (arrivals == nullptr)
        co_return Status::no_memory;
    arrivals->on_block = account_block;
    arrivals->context = &node.result();
    if (!node.spawn_alone(watch_packets(node, *arrivals)))
        co_return Status::no_memory;
    Status status = co_await make_blocks_for(node, plan, what);
    if (status == Status::ok)
        status = co_await exchange(node, plan, what, node.workspace(), arrivals);
    if (status != Status::ok)
        co_return status;
    node.result().crc = 0;
    node.result().received_bytes = 0;
    const std::size_t own = std::size_t{index(node.id())} * plan.block_bytes;
    const std::size_t all = std::size_t{node.nodes()} * plan.block_bytes;
    if (what == Exchange::scatter)
        account(node, node.workspace().subspan(own, plan.block_bytes), 0);
    else
        account(node, node.workspace().first(arrivals->blocks_due == 0 ? 0 : all), 0);
    co_return Status::ok;
}

} // namespace mesh::ops
