// Personalised and all-to-all communication: scatter, gather, allgather, alltoall.
//
// Two ways, by the schedule (core/schedules/cycles.hpp). Single packets: the source sends them in
// the schedule's order, and the kernels on the way route them down the tree by destination; no
// process sees them. Cycles: all nodes move bundles of blocks to their neighbours in cycles that
// all share, each bundle one message. (ho-johnsson-1986, 5; ho-johnsson-1988, 5 and 6)
//
// The cube does both. The UHC and the star send single packets over their disjoint trees
// (core/schedules/path_choice.hpp), all ports at once, each packet over as many trees as there are
// copies: so whichever copies-1 links or nodes are dead, every living node gets every block of a
// living one.
#pragma once

#include "collectives/broadcast.hpp"
#include "core/schedules/cycles.hpp"
#include "core/schedules/path_choice.hpp"
#include "kernel/api/await.hpp"
#include "kernel/api/message.hpp"

#include <cstdint>
#include <span>

namespace mesh {

/// Of a plan: the usual schedule of its operation on the network.
inline constexpr Schedule kUsualSchedule = Schedule::kCount;

/// The plan of a personalised operation, on which all nodes agree before it begins: one block of
/// `block_bytes` for each node (alltoall: for each pair).
struct PersonalPlan {
    Rule tree = kUsualTree;
    Schedule schedule = kUsualSchedule;
    PortModel ports = PortModel::all;
    NodeId root{0}; // of scatter and gather
    std::uint32_t block_bytes = 0;
    /// Of an external packet; 0: unbounded, each bundle is one.
    std::uint32_t packet_bytes = wire::payload_bytes_max();
    Tag tag = 0;
    /// Disjoint trees that each packet takes; more than 1 on the UHC and the star only.
    std::uint8_t copies = 1;
};

/// The plan, with this tree or schedule where it names none.
constexpr PersonalPlan with_names(PersonalPlan plan, Rule tree, Schedule schedule) {
    plan.tree = plan.tree == kUsualTree ? tree : plan.tree;
    plan.schedule = plan.schedule == kUsualSchedule ? schedule : plan.schedule;
    return plan;
}
/// The plan with the usual names where single packets go on the cube.
constexpr PersonalPlan of_packets(const PersonalPlan& plan) {
    return with_names(plan, usual_tree(Topology::cube), Schedule::postorder);
}

// Scatter and gather by single packets, on the cube. Blocks that would fill a late node wait until
// it has begun.
// --------------------------------------------------------

/// At the root: sends every other node its block in the order of the schedule, which must not be
/// one in cycles. `source` fills them; its positions count from node 0's block. ok; bad_argument:
/// see has_schedule(), or all blocks are more than 4 GiB; no_memory: of the processes' arena.
Task<Status> scatter_packets(Kernel& kernel, const PersonalPlan& plan, ByteSource source);

/// At the others: takes this node's block, all that the root sends of it. ok; truncated: the root's
/// is larger; bad_argument: it is smaller; unreachable: some of it cannot come any more; no_memory.
Task<Status> take_scattered(Kernel& kernel, const PersonalPlan& plan, std::span<std::byte> block);

/// The gate of both ends of a gather.
Gate gather_gate(const Kernel& kernel, const PersonalPlan& plan);
/// The `packets` of as_call() for a gather.
std::uint32_t gather_share(const Kernel& kernel, const PersonalPlan& plan);

/// Sends this node's block to the root; it leaves when this completes. Status as above.
Task<Status> gather_packets(Kernel& kernel, const PersonalPlan& plan, ByteSource source);

/// At the root: puts the blocks of all others into `blocks`, each at its node's place. `marks`: a
/// byte for each packet of each node. ok; unreachable: some cannot come any more; no_memory.
Task<Status> take_gathered(Kernel& kernel, const PersonalPlan& plan, std::span<std::byte> blocks,
                           std::span<std::byte> marks);

// All four, on every network -------------------------------------------------------------------

/// The four personalised operations of exchange().
enum class Exchange : std::uint8_t { scatter, gather, allgather, alltoall };

/// Memory that exchange() needs for `nodes` nodes.
constexpr std::uint64_t exchange_bytes(std::uint64_t nodes, std::uint64_t block_bytes) {
    return 3 * nodes * block_bytes + nodes * kPortsMax * sizeof(std::uint32_t);
}

/// The arrivals so far of an exchange by packets. The first copy of a packet counts, the others are
/// compared with it.
struct Arrivals {
    std::uint32_t blocks = 0;   // complete
    std::uint32_t gone = 0;     // incomplete, and no more of them can come
    std::uint32_t copies = 0;   // of all packets
    std::uint32_t disputed = 0; // copies that are not like the first
    std::uint32_t blocks_due = 0;
    std::uint32_t copies_due = 0; // if nothing is dead
    wire::ModelTime last_at = 0;  // when the last of them came
    bool given_up = false;        // this node cannot send what it has to
    /// Called for each block that is complete, with the node it is from. May be nullptr.
    void (*on_block)(void* context, NodeId from, std::span<const std::byte> block) = nullptr;
    void* context = nullptr;
};

/// Moves blocks. `memory` (exchange_bytes() or more) begins with one block for each node c. On the
/// cube c is the relative address, node xor root (allgather, alltoall: xor this node); elsewhere it
/// is the node.
///   scatter    in: at the root all blocks;         out: own block
///   gather     in: own block;                      out: at the root all blocks
///   allgather  in: own block;                      out: the block of node c
///   alltoall   in: the block for node c;           out: the block from node c
/// ok; tag_in_use; no_memory; bad_argument: no such schedule for tree and
/// op, several copies without `arrivals`, or a neighbour's blocks are smaller; truncated: they are
/// larger; on the cube unreachable: a link on the way is dead, or a neighbour misses something.
/// Elsewhere unreachable means that a block cannot come any more, by any copy; `arrivals` says what
/// did. Of several copies (leaves_a_process()) late ones still come after the return, so `memory`
/// and `arrivals` must stay until all have come or the next collective with this tag begins.
Task<Status> exchange(Kernel& kernel, const PersonalPlan& plan, Exchange what,
                      std::span<std::byte> memory, Arrivals* arrivals = nullptr);

/// True if an exchange by packets goes on taking copies when all blocks are complete.
constexpr bool leaves_a_process(const PersonalPlan& plan) {
    return plan.copies > 1 && plan.schedule != Schedule::dfs_ack;
}

/// exchange() on the UHC and the star.
Task<Status> exchange_packets(Kernel& kernel, PersonalPlan plan, Exchange what,
                              std::span<std::byte> memory, Arrivals* told);
/// The `packets` of as_call() for this exchange.
std::uint32_t exchange_share(const Kernel& kernel, const PersonalPlan& plan, Exchange what);

/// True if packets can be sent by this tree and schedule. `network`: UHC or star; `tree`: one of
/// its trees.
constexpr bool has_packet_schedule(Network network, Rule tree, Schedule schedule, Exchange what) {
    if (!has_paths(network.topology, tree))
        return false;
    const bool star = network.topology == Topology::star;
    switch (what) {
    case Exchange::scatter:
    case Exchange::gather: return schedule == Schedule::rbf;
    case Exchange::allgather:
        return schedule == Schedule::queue || (star && schedule == Schedule::dfs_ack);
    case Exchange::alltoall:
        return schedule == Schedule::queue || (star && schedule == Schedule::necklace);
    }
    return false;
}

} // namespace mesh
