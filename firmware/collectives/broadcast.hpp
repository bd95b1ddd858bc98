// Broadcast: one node's bytes to all, over any tree of core/; where a rule has m disjoint trees
// packet p takes tree p mod m. (ho-johnsson-1986, 3; huang-yang-tseng-2001, 5;
// fragopoulou-akl-1993, 4.2)
//
// A node that misses packets goes on to the last all the same, so that nothing stays in its pool.
#pragma once

#include "collectives/await.hpp"
#include "collectives/segmentation.hpp"
#include "collectives/tree_flow.hpp"
#include "kernel/node/kernel.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace mesh {

/// The plan of a broadcast, on which all nodes agree before it begins. Each tag of a collective
/// takes 48 bytes of the node's arena for as long as the node runs, so calls in a row have one tag.
/// Calls of the first tags may send a node something that has not begun (TreeFlow::may_be_early()):
/// others begin at a gate, where all nodes wait for each other.
struct BroadcastPlan {
    Rule tree = kUsualTree;
    NodeId root{0};
    std::uint32_t total_bytes = 0;
    std::uint32_t packet_bytes = wire::payload_bytes_max(); // of an external packet
    Tag tag = 0;

    /// How the message is cut. Precondition: packet_bytes is not 0.
    constexpr Segmentation segmentation() const { return {total_bytes, packet_bytes}; }
    /// External packets, 1 for an empty message. Precondition: packet_bytes is not 0.
    constexpr std::uint32_t packets() const { return segmentation().packets(); }
    /// The `packets` of as_call() for this plan.
    constexpr std::uint32_t share() const {
        return packet_bytes != 0 ? segmentation().fragments() : 1;
    }
    /// Payload bytes of external packet `packet`, 0 to packets() - 1.
    constexpr std::uint32_t bytes_of(std::uint32_t packet) const {
        return segmentation().bytes_of(packet);
    }
};

/// The subtree that packet number `packet` of `packets` takes down a tree of this network.
unsigned subtree_of(const Kernel& kernel, Rule tree, std::uint32_t packet, std::uint32_t packets);

/// The way that packet number `packet` of the plan takes to this node.
Path path_of(const Kernel& kernel, const BroadcastPlan& plan, std::uint32_t packet);

/// At the root: the header of the packet for `fragment` of the broadcast.
wire::PacketHeader header_of(const Kernel& kernel, const BroadcastPlan& plan, CallLabel label,
                             const Segmentation::Fragment& fragment);

/// A broadcast under way at one node, packet by packet: use
/// `while (!b.finished())`, at the root packet_to_fill(), elsewhere packet_that_came(). In a call
/// (collectives/call.hpp).
class Broadcast {
public:
    /// The call of plan.tag that is under way.
    Broadcast(Kernel& kernel, const BroadcastPlan& plan);
    /// See broadcast_within().
    Broadcast(Kernel& kernel, const BroadcastPlan& plan, CallLabel label);

    /// True when the last packet has been sent or received here, or was given up.
    bool finished() const { return finished_; }
    /// Where in the message the next packet belongs.
    std::uint32_t position() const { return position_; }
    /// The status so far. Elsewhere than at the root: unreachable: something is missing; truncated:
    /// the root has more bytes than the plan; bad_argument: it has fewer.
    Status status() const;
    /// This node has missed something: packets that it sends as the root are poisoned.
    void fail(Status status) { status_ = first_failure(status_, status); }
    /// Elsewhere than at the root: packets are copied to `room` as they come, also before the next
    /// one of another tree is there. Else they wait in the pool for their turn.
    void take_into(std::span<std::byte> room) { room_ = room; }

private:
    friend Task<OutgoingPacket> packet_to_fill(Kernel& kernel, Broadcast& broadcast);
    friend Task<Awaited> packet_that_came(Kernel& kernel, Broadcast& broadcast);

    void adopt(Kernel& kernel, const Packet& first);
    void count(Kernel& kernel);
    void begin_trees();
    bool belongs(const wire::PacketHeader& header, const Segmentation::Fragment& fragment) const;
    void accept(Awaited& awaited, const Segmentation::Fragment& fragment);
    static void take_others(void* self, Kernel& kernel);
    Taker taker();
    /// The packet whose turn it is has been taken before its turn.
    bool has_next() const { return next_[position_ / roots_.packet_bytes % trees_] > position_; }
    void go_on(const Segmentation::Fragment& fragment);

    BroadcastPlan plan_;
    BroadcastPlan roots_; // as the root's packets say
    TreeFlow flow_;
    CallLabel label_;
    std::uint32_t position_ = 0;
    std::uint32_t lost_ = 0; // subtrees by which nothing comes any more
    std::span<std::byte> room_;
    /// Packet p takes tree p mod trees_. Of each tree: where the next packet that comes by it
    /// belongs.
    std::uint32_t trees_ = 1;
    std::array<std::uint32_t, kPortsMax> next_{};
    Status status_;
    bool is_root_;
    bool finished_ = false;
};

/// At the root: the next packet, empty, to be filled and given to Kernel::inject(), as soon as all
/// nodes have taken enough of the packets before it. No packet: no_memory, and nothing goes on.
Task<OutgoingPacket> packet_to_fill(Kernel& kernel, Broadcast& broadcast);

/// Elsewhere: the next packet; without one, the status says why it is missed, and packets behind it
/// may still come. no_memory: nothing goes on.
Task<Awaited> packet_that_came(Kernel& kernel, Broadcast& broadcast);

/// Broadcasts `buffer` (total_bytes of it) from the root; at the others receives into it. ok;
/// bad_argument: no tree of this network (sbg is none), the root not a node, or the root's plan has
/// fewer bytes; truncated: it has more, and `buffer` their first; unreachable: something is
/// missing; no_memory: of the processes' arena or the pool. `so_far`: what this node has missed
/// before; if not ok, its status, and at the root all that it sends is poisoned.
Task<Status> broadcast(Kernel& kernel, const BroadcastPlan& plan, std::span<std::byte> buffer,
                       Status so_far = Status::ok);

/// The same as a part of a call. `label` is that of the call: CallLabel::beside() in another
/// collective, which all nodes have begun; without a number: the call of plan.tag that is under
/// way.
Task<Status> broadcast_within(Kernel& kernel, CallLabel label, BroadcastPlan plan,
                              std::span<std::byte> buffer, Status so_far = Status::ok);

} // namespace mesh
