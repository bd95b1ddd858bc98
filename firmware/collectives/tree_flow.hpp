// Flow control of a broadcast: its root never runs further ahead of the slowest node than a window.
//
// Every node tells its parent how many packets it and all nodes below it have taken, in whole half
// windows, and what the children of the root say is what the root may rely on. So a node that
// first waits for something else holds at most a window of the broadcast, and its pool has room for
// what it waits for. The word travels over a tree of its own that goes up on every network (sbt;
// spt; the tree by which the UHC collects), takes no model time and moves no clock. A broadcast no
// longer than the window needs none. Children behind dead links do not count.
#pragma once

#include "kernel/kernel.hpp"

#include <array>
#include <cstdint>

namespace mesh {

class TreeFlow {
public:
    /// No flow control.
    TreeFlow() = default;
    TreeFlow(const Kernel& kernel, NodeId root, Tag tag);
    /// A broadcast of `packets` is longer than the window.
    static bool needed(const Kernel& kernel, std::uint32_t packets) {
        return packets > 2 * half_window(kernel);
    }

    /// At the root: packet number `packet` may leave.
    bool open(std::uint32_t packet) const {
        const std::uint32_t slowest = slowest_child();
        return packet < slowest || packet - slowest < 2 * half_;
    }
    /// A child has said something, or is no longer there: hear() changes what is known.
    bool has_news(const Kernel& kernel) const;
    void hear(Kernel& kernel);

    /// This node has taken one packet more.
    void take() { ++taken_; }
    std::uint32_t taken() const { return taken_; }
    /// There is something to tell the parent of a broadcast of `packets`.
    bool owes(std::uint32_t packets) const { return !settled(packets) && due() != told_; }
    /// The root needs no more word of this node.
    bool settled(std::uint32_t packets) const {
        return up_ == kNoPort || packets <= 2 * half_ || told_ >= packets - 2 * half_;
    }

private:
    friend Task<Status> tell_parent(Kernel& kernel, TreeFlow& flow);
    friend Task<Status> look_for_slow(Kernel& kernel, TreeFlow& flow);

    static std::uint32_t half_window(const Kernel& kernel);
    Match word_of(const Kernel& kernel, Port child) const;
    std::uint32_t slowest_child() const;
    std::uint32_t due() const;

    Tag tag_ = 0;
    Port up_ = kNoPort;
    std::uint32_t half_ = 1;     // of the window, in packets
    std::uint32_t children_ = 0; // ports
    std::uint32_t taken_ = 0;
    std::uint32_t told_ = 0;
    std::array<std::uint32_t, kPortsMax> taken_below_{};
};

/// Tells the parent of `flow` what it owes. ok; no_memory.
Task<Status> tell_parent(Kernel& kernel, TreeFlow& flow);
/// Asks whether the children are there that hold up this node; those that are not do not count any
/// more. ok; no_memory.
Task<Status> look_for_slow(Kernel& kernel, TreeFlow& flow);

} // namespace mesh
