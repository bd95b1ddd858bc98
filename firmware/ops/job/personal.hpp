// mesh run --op scatter, gather, allgather, alltoall.
#pragma once

#include "ops/job/packets.hpp"
#include "ops/job/personal_data.hpp"

#include <algorithm>

namespace mesh::ops {

inline void copy_block(const void* blocks, std::uint32_t position, std::span<std::byte> out) {
    std::copy_n(static_cast<const std::byte*>(blocks) + position, out.size(), out.begin());
}

inline Process run_scatter(Kernel& node) {
    const PersonalPlan plan = personal_plan(node);
    const bool is_root = node.id() == plan.root;
    const std::size_t size = plan.block_bytes;
    const bool cycles = in_cycles(plan.schedule);
    const std::uint32_t mask = cycles ? index(plan.root) : 0;
    Status status = Status::ok;
    if (is_root)
        status = co_await make_all_blocks(node, plan.root, mask, false);
    if (status == Status::ok && cycles)
        status = co_await exchange(node, plan, Exchange::scatter, node.workspace());
    else if (status == Status::ok && is_root)
        status = co_await scatter_packets(node, plan, {copy_block, node.workspace().data()});
    if (status != Status::ok)
        co_return status;
    const std::size_t own = (index(node.id()) ^ mask) * size;
    if (!cycles && !is_root)
        status = co_await take_scattered(node, plan, node.workspace().subspan(own, size));
    if (status != Status::ok)
        co_return status;
    account(node, node.workspace().subspan(own, size), 0);
    co_return Status::ok;
}

inline Process run_gather(Kernel& node) {
    const PersonalPlan plan = personal_plan(node);
    const bool is_root = node.id() == plan.root;
    const std::size_t size = plan.block_bytes;
    const bool cycles = in_cycles(plan.schedule);
    const std::uint32_t mask = cycles ? index(plan.root) : 0;
    const auto own = node.workspace().subspan((index(node.id()) ^ mask) * size, size);
    Status status = co_await make_block(node, node.id(), NodeId{0}, index(node.id()), own);
    if (status == Status::ok && cycles)
        status = co_await exchange(node, plan, Exchange::gather, node.workspace());
    else if (status == Status::ok && !is_root)
        status = co_await gather_packets(node, plan, {copy_block, node.workspace().data()});
    if (status != Status::ok)
        co_return status;
    if (!is_root) {
        node.result().received_messages = 1;
        co_return Status::ok;
    }
    const auto blocks = node.workspace().first(node.nodes() * size);
    const Segmentation segmentation{plan.block_bytes, plan.packet_bytes};
    if (!cycles)
        status = co_await take_gathered(
            node, plan, blocks,
            node.workspace().subspan(blocks.size(), node.nodes() * segmentation.packets()));
    if (status != Status::ok)
        co_return status;
    account(node, blocks, mask);
    co_return Status::ok;
}

inline Process run_all_to_all(Kernel& node, Exchange what) {
    const PersonalPlan plan = personal_plan(node);
    const auto blocks = node.workspace().first(std::size_t{node.nodes()} * plan.block_bytes);
    Status status = Status::ok;
    if (what == Exchange::alltoall)
        status = co_await make_all_blocks(node, node.id(), index(node.id()), true);
    else
        status = co_await make_block(node, node.id(), NodeId{0}, index(node.id()),
                                     blocks.first(plan.block_bytes));
    if (status == Status::ok)
        status = co_await exchange(node, plan, what, node.workspace());
    if (status == Status::ok)
        account(node, blocks, index(node.id()));
    co_return status;
}

inline Process run_personal(Kernel& node, Exchange what) {
    if (node.network().topology != Topology::cube)
        return run_packets(node, what);
    switch (what) {
    case Exchange::scatter: return run_scatter(node);
    case Exchange::gather: return run_gather(node);
    case Exchange::allgather:
    case Exchange::alltoall: break;
    }
    return run_all_to_all(node, what);
}

} // namespace mesh::ops
