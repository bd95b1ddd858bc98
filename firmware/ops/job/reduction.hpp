// mesh run --op reduce, allreduce, scan.
#pragma once

#include "ops/job/data.hpp"
#include "ops/parameters.hpp"
#include "wire/bytes.hpp"

namespace mesh::ops {

inline Task<Status> make_elements(Kernel& node, std::span<std::byte> out) {
    const Status status = co_await make_block(node, node.id(), NodeId{0}, index(node.id()), out);
    if (node.job().has_input == 0)
        for (std::size_t at = 0; at + 4 <= out.size(); at += 4)
            wire::store(out, at,
                        traffic_element(parameters<ReductionParameters>(node.job()).element,
                                        wire::load<std::uint32_t>(out, at)));
    co_return status;
}

inline Process run_reduction(Kernel& node) {
    const wire::Job& job = node.job();
    const auto asked = parameters<ReductionParameters>(job);
    const auto buffer = node.workspace().first(job.message_bytes);
    const auto operation = combiner(asked.reduction, asked.element);
    if (!operation)
        co_return Status::bad_argument;
    Status status = co_await make_elements(node, buffer);
    const auto packet_bytes = static_cast<std::uint16_t>(job.packet_bytes);
    if (status == Status::ok && job.op == wire::Op::scan) {
        const ScanPlan plan{job.message_bytes, packet_bytes, 1, *operation, asked.exclusive != 0};
        status = co_await scan(node, plan, buffer);
    } else if (status == Status::ok) {
        const ReducePlan plan{job.rule, node_at(job.root), job.message_bytes, packet_bytes,
                              1,        *operation};
        if (job.op == wire::Op::reduce)
            status = co_await reduce(node, plan, buffer);
        else
            status = co_await allreduce(node, plan, buffer);
    }
    if (status != Status::ok)
        co_return status;
    if (job.op != wire::Op::reduce || index(node.id()) == job.root)
        account(node, buffer, 0);
    node.result().received_messages = 1;
    co_return Status::ok;
}

} // namespace mesh::ops
