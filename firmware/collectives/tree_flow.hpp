// Flow control: a node that is late is sent no more packets than it has room for.
//
// Of a broadcast: its root never runs further ahead of the slowest node than a window. A node may
// be late for calls of several tags at a time, so the root of a broadcast of more packets than an
// early window has (limits::early_half()) sends nothing before all nodes have begun it; and calls
// of more tags than have room for their early windows begin at a gate.
//
// Every node tells its parent that it and all nodes below it have begun, and then how many packets
// they have taken, in whole half windows; on the words of its children the root may rely. So a node
// that first waits for something else holds at most a window of the broadcast, and its pool has
// room for the packets that it waits for. The word travels over a tree of its own that goes up on
// every network (sbt; spt; the tree by which the UHC collects), takes no model time and moves no
// clock. A broadcast no longer than the early window needs none, with the packets of the calls
// before (collectives/call.hpp) that may still lie at a late node. Children behind dead links do
// not count.
//
// Single packets to single nodes: a node that has begun takes every packet until it has all, so
// only a node that has not begun can be filled. Where such a node could get more than a window, the
// senders first wait at a gate until all receivers have begun. Each node sends word that it has
// begun up the same tree, and one packet for all comes down it.
#pragma once

#include "collectives/await.hpp"
#include "kernel/node/kernel.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace mesh {

/// The flow control of one call at one node: what it owes its parent and has heard of its children.
/// A call owns it; FlowWait sends and receives its packets.
class TreeFlow {
public:
    /// No flow control.
    TreeFlow() = default;
    /// `begun`: all nodes are known to have begun the call.
    TreeFlow(const Kernel& kernel, NodeId root, CallLabel label, bool begun = false);
    /// True if so many packets are more than a node may be sent that has begun, or has not.
    static bool needed(const Kernel& kernel, std::uint32_t packets, bool begun = false) {
        const unsigned buffers = kernel.pool().capacity();
        return packets > 2 * (begun ? half_window(kernel) : limits::early_half(buffers));
    }
    /// True if a call of this tag may send a late node something: the first tags of programs, and
    /// those of the library, which count as one. The same at all nodes, which have equal pools.
    static bool may_be_early(const Kernel& kernel, Tag tag) {
        return tag > kProgramTagMax || tag + 1u < limits::early_tags(kernel.pool().capacity());
    }
    /// The flow by which each node says once that it, and all nodes below it, have begun; for
    /// pass().
    static TreeFlow of_beginning(const Kernel& kernel, NodeId root, CallLabel label,
                                 std::uint32_t word);
    /// Half of the window, in packets.
    static std::uint32_t half_window(const Kernel& kernel);

    /// At the root: true if the next packet may leave.
    bool open() const {
        const std::uint32_t slowest = slowest_child();
        return taken_ < slowest || taken_ - slowest < 2 * half_behind(slowest);
    }
    /// This node has taken one packet more.
    void take() { ++taken_; }
    /// It has taken so many that it owes its parent word, if the nodes below it have as well.
    bool owes() const { return up_ != kNoPort && taken_ - told_ >= half_behind(told_); }
    /// Nothing has come for long: the last word to the parent may have been lost with a link.
    void tell_again() { again_ = up_ != kNoPort && told_ != 0; }
    /// This node has all that the root sends, so the counts of nodes below it do not matter any
    /// more: the next FlowWait tells the parent all that is owed. A parent that missed packets that
    /// this node got waits for that word, and would do so for as long as this node is in the call.
    void end() { children_ = 0; }
    /// True if the root of a broadcast of `packets` needs no more word of this node.
    bool settled(std::uint32_t packets) const {
        return up_ == kNoPort || packets + kBegun + 1 <= told_ + 2 * half_behind(told_);
    }

private:
    friend class FlowWait;

    /// That it has begun is told as one packet. The root counts one more, which it has not sent: so
    /// it sends nothing to a child that has told nothing, and then as many as its window has.
    static constexpr std::uint32_t kBegun = 1;

    /// Half of the window behind a node that has told of so many packets.
    std::uint32_t half_behind(std::uint32_t told) const { return told == 0 ? kBegun : half_; }
    Match word_of(const Kernel& kernel, unsigned child) const;
    std::uint32_t slowest_child() const;
    std::uint32_t slow_children() const;
    void hear(Kernel& kernel);
    bool tell_parent(Kernel& kernel, std::uint32_t packets);

    CallLabel label_;
    Port up_ = kNoPort;
    std::uint32_t half_ = 1;     // of the window, in packets
    std::uint32_t word_ = 0;     // number of its words
    std::uint32_t children_ = 0; // ports
    std::uint32_t taken_ = 0;
    std::uint32_t told_ = 0;
    bool again_ = false; // it tells the parent that once more
    std::array<std::uint32_t, kPortsMax> taken_below_{};
};

/// Takes packets of a broadcast that come while it waits for another one.
struct Taker {
    void (*take)(void* context, Kernel& kernel) = nullptr;
    void* context = nullptr;
};

/// `Status s = co_await FlowWait{...}`: waits in a broadcast of `packets`, and tells the parent
/// meanwhile what is owed; at the root for room for the next packet, elsewhere for a packet, or at
/// the end until the root needs no more word of this node. When nothing has come for long, it asks
/// whether the nodes that it waits for are there; children that are not do not count any more. ok;
/// unreachable: the packet cannot come.
class MESH_AWAITED FlowWait : public Waiting {
public:
    /// The end of the wait: room in the window, the packet, or no word owed to the root any more.
    enum class Until : std::uint8_t { room, packet, settled };
    /// `match` and `path`: of the packet, whose source `match` names. `first`: of the broadcast,
    /// for which the root may wait for a word of this node though by this node's plan it needs
    /// none.
    FlowWait(Kernel& kernel, TreeFlow& flow, std::uint32_t packets, Until until,
             const Match& match = {}, Path path = {}, Taker taker = {}, bool first = false);
    [[gnu::warn_unused_result]] Status await_resume() const { return status_; }

private:
    friend struct FlowWaitPlaces;
    static bool ask(Waiting& self) { return static_cast<FlowWait&>(self).go_on(); }

    bool go_on();
    bool looks();
    bool is_there() const;

    Kernel& kernel_;
    TreeFlow& flow_;
    std::uint32_t packets_;
    Until until_;
    Match match_;
    Path path_;
    Taker taker_;
    Watch watch_;
    bool first_;
    bool listens_ = false;
    std::optional<SourceWait> look_;  // for a child, or for the packet's source
    std::uint32_t child_ = kPortsMax; // that it looks for
    std::uint32_t slow_ = 0;          // children to be looked for
    bool look_up_ = false;            // then for the source
    Status status_ = Status::ok;
};

/// The nodes that wait before an operation of single packets. `up`: the root waits until all others
/// have begun. `down`: the others wait until the root has begun. Both: all wait until all have
/// begun.
struct Gate {
    NodeId root{0};
    CallLabel label; // of the operation; the gate works beside it
    bool up = false;
    bool down = false;
    /// The most packets that a node is sent. If these, with those that the calls before may have
    /// sent it, are not more than a window the gate is open.
    std::uint32_t packets = 0;
    static constexpr std::uint32_t kAlways = 1u << 30; // always more: the gate before a call
    /// Every node hears of every other one behind it: CallRecord::meet().
    bool meets = false;

    /// The `packets` of as_call() for a call with such a gate: behind one that was closed no node
    /// is late.
    static std::uint32_t share(const Kernel& kernel, std::uint32_t packets) {
        return packets <= 2 * TreeFlow::half_window(kernel) ? packets : 1;
    }
};

/// `Status s = co_await pass(kernel, gate)`: waits until this node may send. All nodes pass the
/// gate; nodes that may be sent something before it opens take packets meanwhile. Moves no clock.
/// `gate` must stay until then. ok; unreachable: the root is, so it is unknown which nodes have
/// begun; no_memory.
Task<Status> pass(Kernel& kernel, const Gate& gate);

} // namespace mesh
