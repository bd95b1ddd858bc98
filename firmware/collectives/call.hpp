// One call of a collective at one node: its number, which all packets of the call say, and how far
// nodes may be apart.
//
// A node may run ahead of a late one by many short collectives, whose packets wait there in the
// pool. So each node counts, from the plans alone, how many packets may have been sent since the
// nodes were last known to be as far, and all count alike. Before there can be more of them than a
// window (collectives/tree_flow.hpp), or after kCallsAhead calls, a call begins at a gate, where
// all nodes wait until all have begun it. It takes no model time.
//
// All nodes make the same calls under a tag, whatever comes of them. If a node leaves calls out,
// the others take it for late, and its packets for old ones.
#pragma once

#include "hal/notes.hpp"
#include "kernel/node/kernel.hpp"

namespace mesh {

inline constexpr unsigned kCallsAhead = 16;
static_assert(2 * kCallsAhead < Calls::kAhead);

/// The next call of this node under `tag`, as long as this lives.
class Call {
public:
    /// `of_group`: of a group of nodes, whose members count apart. `parted`: a bit for each node of
    /// the mesh, none set; the caller's, for as long as the call lives (CallRecord::part()).
    /// `packets`: see as_call().
    Call(Kernel& kernel, Tag tag, bool of_group = false, std::uint32_t* parted = nullptr,
         std::uint32_t packets = 1);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();

    /// ok; tag_in_use: the one before is still under way; no_memory: of the processes' arena.
    Status status() const { return status_; }
    /// The label that all packets of the call say.
    CallLabel label() const;
    /// Nodes may be too far apart to go on.
    bool must_meet() const;
    /// This node leaves the call out: it counts as if it had been made.
    void skip() const {
        if (status_ == Status::ok && must_meet())
            record_->meet();
    }

private:
    Kernel& kernel_;
    CallRecord* record_;
    Status status_ = Status::ok;
};

namespace detail {
#if MESH_NOTES
/// A node, and the collective that a program calls there: see noted().
struct NotedKernel {
    operator Kernel&() const { return kernel; } // NOLINT(google-explicit-constructor)
    Kernel& kernel;
    CallNote note;
    const void* place; // in the program; nullptr: no program has called it
};
/// `as_call(noted(kernel, {"barrier"}), tag, ...)`: in a simulation the call is compared with those
/// of the other nodes under its number, and told if it is another collective or has another root,
/// or if a node never calls it. Elsewhere this is `kernel`.
NotedKernel noted(Kernel& kernel, const CallNote& note);
#else
[[gnu::always_inline]] inline Kernel& noted(Kernel& kernel, const CallNote& /*note*/) {
    return kernel;
}
#endif
} // namespace detail

/// Runs `collective` as the next call under `tag`; there it finds its number by
/// kernel.calls().label(tag). Status of the collective; tag_in_use: another one is under way on
/// this node, and nothing is done; no_memory. `packets`: that may be sent to a node before it has
/// begun, as the plan says (CallRecord::set_share()).
///
/// It may be given up (kernel/api/within.hpp) like a node may end: all that wait for it hear so,
/// and the next call under the tag begins as if it had come to its end.
Task<Status> as_call(Kernel& kernel, Tag tag, Task<Status> collective, std::uint32_t packets = 1);
#if MESH_NOTES
/// The same in a simulation, which compares the call with those of the other nodes:
/// detail::noted().
Task<Status> as_call(const detail::NotedKernel& noted, Tag tag, Task<Status> collective,
                     std::uint32_t packets = 1);
#endif

} // namespace mesh
