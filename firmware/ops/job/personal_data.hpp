// The data that scatter, gather, allgather and alltoall send, on every network.
#pragma once

#include "ops/job/data.hpp"
#include "ops/parameters.hpp"

namespace mesh::ops {

inline PersonalPlan personal_plan(const Kernel& node) {
    const wire::Job& job = node.job();
    const auto asked = parameters<PersonalParameters>(job);
    return {job.rule,          asked.schedule,   job.ports, node_at(job.root),
            job.message_bytes, job.packet_bytes, 1,         asked.copies};
}

/// All blocks of a scatter, by node; block c at c * size, for node c xor `mask`.
inline Task<Status> make_all_blocks(Kernel& node, NodeId from, std::uint32_t mask,
                                    bool each_its_own) {
    const std::size_t size = node.job().message_bytes;
    for (std::uint32_t c = 0; c < node.nodes(); ++c) {
        const NodeId to = node_at(c ^ mask);
        const auto out = node.workspace().subspan(c * size, size);
        const std::uint32_t number =
            each_its_own ? index(from) * node.nodes() + index(to) : index(to);
        const NodeId stream_from = each_its_own ? from : to;
        const Status status =
            co_await make_block(node, stream_from, each_its_own ? to : NodeId{0}, number, out);
        if (status != Status::ok)
            co_return status;
    }
    co_return Status::ok;
}

} // namespace mesh::ops
