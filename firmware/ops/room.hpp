// The workspace that the programs of the ops take of a node; boards differ in how much they have. A
// node refuses a job that does not fit (no_memory); the host tool asks the same rules for the
// workspace of the image before anything boots.
#pragma once

#include "collectives/ascend.hpp"
#include "collectives/copies.hpp"
#include "collectives/personalised.hpp"
#include "collectives/segmentation.hpp"
#include "kernel/base/limits.hpp"
#include "ops/parameters.hpp"
#include "wire/host_messages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mesh {

/// Bytes of the blocks of all nodes, with the memory of exchange() where the op uses it: everywhere
/// but in packets of the cube.
constexpr std::uint64_t blocks_room_bytes(Network network, const wire::Job& job) {
    const std::uint64_t nodes = node_count(network);
    const bool rooted = job.op == wire::Op::scatter || job.op == wire::Op::gather;
    if (network.topology != Topology::cube ||
        in_cycles(parameters<PersonalParameters>(job).schedule) || !rooted)
        return exchange_bytes(nodes, job.message_bytes);
    const Segmentation segmentation{job.message_bytes, job.packet_bytes};
    const bool marked = job.op == wire::Op::gather && job.packet_bytes != 0; // 0: the op refuses it
    return nodes * (job.message_bytes + std::uint64_t{marked ? segmentation.packets() : 0});
}

/// Workspace that a job takes. Of ASCEND and its kin see ascend_room_bytes().
constexpr std::uint64_t workspace_needed(Network network, const wire::Job& job) {
    const BroadcastPlan plan{.total_bytes = job.message_bytes, .packet_bytes = job.packet_bytes};
    switch (job.op) {
    case wire::Op::bcast:
        return parameters<BroadcastParameters>(job).copies > 1
                   ? job.message_bytes + vote_bytes(plan)
                   : 0;
    case wire::Op::scatter:
    case wire::Op::gather:
    case wire::Op::allgather:
    case wire::Op::alltoall: return blocks_room_bytes(network, job);
    case wire::Op::send: return job.has_input != 0 ? job.message_bytes : 0;
    case wire::Op::reduce:
    case wire::Op::allreduce:
    case wire::Op::scan: return job.message_bytes;
    case wire::Op::barrier:
    case wire::Op::ascend:
    case wire::Op::descend:
    case wire::Op::sort:
    case wire::Op::fft:
    case wire::Op::none:
    case wire::Op::app: break;
    }
    return 0;
}

/// The most bytes that a node lends to the values of ASCEND and DESCEND; the rest of its workspace
/// is for tables.
inline constexpr std::size_t kAscendMemoryBytes = 3 * limits::kMessageBytesMax;

/// The bytes that it lends them if it has so much workspace, of which the program keeps a part.
constexpr std::size_t ascend_memory_bytes(std::size_t workspace_bytes, std::size_t kept_bytes) {
    const std::size_t left = workspace_bytes - std::min(workspace_bytes, kept_bytes);
    return std::min(left, kAscendMemoryBytes);
}

/// Most bytes of a value.
constexpr std::size_t ascend_room_bytes(Network network, std::size_t workspace_bytes,
                                        std::size_t kept_bytes = 0) {
    const std::size_t memory = ascend_memory_bytes(workspace_bytes, kept_bytes);
    const std::size_t room = memory / ascend_places(network) / 8 * 8;
    return std::min<std::size_t>(room, limits::kMessageBytesMax);
}

/// A complex number, as the Fourier transform takes them.
struct Point {
    float re, im;
};
/// Every root of unity whose number divides by this is kept, and those between the first two of
/// them.
inline constexpr std::size_t kRootsApart = 256;
/// The bytes of the workspace that the transform keeps for the table of roots.
inline constexpr std::size_t kRootsBytes =
    (2 * kRootsApart + limits::kMessageBytesMax / sizeof(Point) / kRootsApart) * sizeof(Point);

} // namespace mesh
