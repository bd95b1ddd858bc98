// Personalised and all-to-all communication on the cube: scatter, gather, allgather, alltoall.
//
// Two ways, by the schedule (core/cube_cycles.hpp). Single packets: the source sends them in the
// schedule's order, and the kernels on the way route them down the tree by destination; no process
// sees them. Cycles: all nodes move bundles of blocks to their neighbours in cycles that all share,
// each bundle one message. (ho-johnsson-1986, 5; ho-johnsson-1988, 5 and 6)
#pragma once

#include "collectives/broadcast.hpp"
#include "core/cube_cycles.hpp"
#include "kernel/message.hpp"

#include <cstdint>
#include <span>

namespace mesh {

/// What all nodes agree on before a personalised operation: one block of `block_bytes` for each
/// node (alltoall: for each pair).
struct PersonalPlan {
    Rule tree = Rule::sbt;
    Schedule schedule = Schedule::postorder;
    PortModel ports = PortModel::all;
    NodeId root{0}; // of scatter and gather
    std::uint32_t block_bytes = 0;
    /// Of an external packet; 0: unbounded, each bundle is one.
    std::uint32_t packet_bytes = wire::kPayloadBytesMax;
    Tag tag = 0;
};

// Scatter and gather by single packets --------------------------------------------------------

/// At the root: sends every other node its block in the order of the schedule, which must not be
/// one in cycles. `source` fills them; its positions count from node 0's block. ok; bad_argument:
/// see has_schedule().
Task<Status> scatter_packets(Kernel& kernel, const PersonalPlan& plan, ByteSource source);

/// At the others: the fragment of its own block that begins at `position`, in order.
inline auto next_scatter_packet(Kernel& kernel, const PersonalPlan& plan) {
    return kernel.receive({.tag = plan.tag, .source = plan.root});
}

/// Sends this node's block to the root; it leaves when this completes.
Task<Status> gather_packets(Kernel& kernel, const PersonalPlan& plan, ByteSource source);

/// At the root: the next fragment of anybody's block: header().source, header().position.
inline auto next_gather_packet(Kernel& kernel, const PersonalPlan& plan) {
    return kernel.receive({.tag = plan.tag});
}

// In cycles ------------------------------------------------------------------------------------

enum class Exchange : std::uint8_t { scatter, gather, allgather, alltoall };

/// Memory that exchange() needs for `nodes` nodes.
constexpr std::uint64_t exchange_bytes(std::uint64_t nodes, std::uint64_t block_bytes) {
    return 3 * nodes * block_bytes + nodes * kPortsMax * sizeof(std::uint32_t);
}

/// Moves blocks in cycles. `memory` (exchange_bytes() or more) begins with one
/// block for each node c, by relative address c = node xor root (allgather, alltoall: xor this
/// node):
///   scatter    in: at the root all blocks;         out: own block
///   gather     in: own block;                      out: at the root all blocks
///   allgather  in: own block (c = 0);              out: the block of node c
///   alltoall   in: the block for node c;           out: the block from node c
/// ok; no_memory; bad_argument: see has_schedule(); unreachable: a link on the way is dead.
Task<Status> exchange(Kernel& kernel, const PersonalPlan& plan, Exchange what,
                      std::span<std::byte> memory);

} // namespace mesh
