// Reduction: the same number of elements from every node, combined element by element.
//
// reduce() runs a broadcast backwards: packet p climbs subtree p mod subtree_count, every node
// combines its children's packets into its own and sends the result to its parent, in the mirror
// image of the order in which the broadcast sends. allreduce() broadcasts the result down the same
// tree: under `all` each packet as soon as the root has it; with one port, where up and down would
// be in each other's way, when the root has them all. scan() is recursive doubling: over the
// dimensions of the cube; elsewhere over the numbers of the nodes, by messages.
//
// A packet leaves for the parent when the parent asks for it, as on an occam channel, whose
// transfer begins when both ends are ready. So a node holds at most two packets of each child,
// whatever the tree; where it has one port it asks one child at a time, which keeps the order; and
// the steps of reduce() and scan() do not depend on the order in which frames happen to come.
// (Questions are control and take no model time; over msbt those of one subtree share links with
// the operands of others, so a lost frame may cost steps there.) The results of allreduce() are
// forwarded first come first served; where they meet, over msbt or with one port, steps repeat in
// lockstep only.
//
// No packet can go up the links of a tree of the UHC. There packets climb a tree of their own, bts
// with all links turned round (uhc::collect_parent()); the plan's tree serves for results only.
// Questions go round by three links, so a node asks further ahead, holds up to four packets of each
// child and asks no child in turn: with one port steps repeat in lockstep only.
#pragma once

#include "collectives/broadcast.hpp"
#include "core/base/operators.hpp"
#include "kernel/node/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace mesh {

/// The function that combines two segments: one of combiner(), or the user's own.
struct Combiner {
    /// result = left op right, element by element. All three are of one size, a multiple of
    /// `element_bytes`, and at any address; `result` is also `left` or `right`.
    void (*combine)(const void* context, std::span<const std::byte> left,
                    std::span<const std::byte> right, std::span<std::byte> result) = nullptr;
    std::size_t element_bytes = 0; // 1 .. packet_bytes of the plan
    const void* context = nullptr; // of the user's own; it must say the same at every node
    std::uint32_t operation = 0;   // a number of what it does, on which the nodes agree as well

    /// Calls `combine`. Precondition: it is not nullptr.
    void operator()(std::span<const std::byte> left, std::span<const std::byte> right,
                    std::span<std::byte> result) const {
        combine(context, left, right, result);
    }
};

/// The built-in combiners. nothing: bitwise on f32, or a value that is none of the names.
std::optional<Combiner> combiner(Operator op, ElementType type);

/// The plan of a reduce or an allreduce, on which all nodes agree before it begins. The combiner
/// must be associative and commutative up to what the caller cares for; order and brackets are
/// those of the tree, so the same plan gives the same bits every time, also for f32.
struct ReducePlan {
    Rule tree = kUsualTree; // sbg stands for sbnt_minr, msbt_rot for msbt
    NodeId root{0};
    std::uint32_t total_bytes = 0; // whole elements
    std::uint16_t packet_bytes = wire::payload_bytes_max();
    Tag tag = 0;
    Combiner combiner{};
};

/// The plan of a scan, on which all nodes agree before it begins. The combiner must be associative;
/// it need not be commutative: the operand from the lower addresses is always `left`.
struct ScanPlan {
    std::uint32_t total_bytes = 0;
    std::uint16_t packet_bytes = wire::payload_bytes_max();
    Tag tag = 0;
    Combiner combiner{};
    bool exclusive = false;
};

/// Combines the buffers of all nodes, in place. At the root `buffer` ends with the result; at the
/// others with what their subtrees gave. Elements never straddle packets: they carry the greatest
/// multiple of element_bytes that fits packet_bytes. 2^n - 1 packets for each segment; and before,
/// by each link one that says the plan and takes no model time. bad_argument: the tree is not of
/// this network, the root is not a node, the size is not one of whole elements or more than
/// `buffer`, an element does not fit a packet, or a neighbour has another plan, or a combiner with
/// another `operation`. unreachable: the
/// link to a child or to the parent is dead, or some node cannot do its part. tag_in_use: another
/// collective with this tag is under way here. no_memory: the arena, the pool or the processes (one
/// for each subtree) do not suffice.
Task<Status> reduce(Kernel& kernel, const ReducePlan& plan, std::span<std::byte> buffer);

/// The same, and every node's `buffer` ends with the result.
Task<Status> allreduce(Kernel& kernel, const ReducePlan& plan, std::span<std::byte> buffer);

/// Prefixes in the order of addresses, in place: `buffer` of node i ends with the combination of
/// nodes 0 .. i (exclusive: 0 .. i-1; node 0 keeps what it has). On the cube n steps and n * 2^n
/// packets for each segment; elsewhere messages. bad_argument: as
/// above. unreachable: a link of this node is dead, or a node that has to send.
Task<Status> scan(Kernel& kernel, const ScanPlan& plan, std::span<std::byte> buffer);

} // namespace mesh
