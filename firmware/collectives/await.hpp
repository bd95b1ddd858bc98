// How collectives end beside a dead node. They wait for packets of known nodes only as long as
// these can still come. A node that misses something goes through the rest of its collective all
// the same, but the packets that it sends are poisoned then. So a failure travels to all nodes that
// depend on it, and no node waits in vain.
//
// kernel/api/await.hpp says how a process waits for a node.
#pragma once

#include "kernel/api/await.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace mesh {

/// Tells a wait when to look for the nodes that it waits for. A wait that is no Search uses it so:
class Watch {
public:
    /// Neither listens nor has looked. `kernel` must outlive it.
    explicit Watch(Kernel& kernel)
        : kernel_(kernel),
          peer_(kernel.messages(), kNoNode, Rule::kCount) {}

    /// Begins to listen.
    void listen() { peer_.ask_at = kernel_.ask_time(looks_); }
    /// True if it has listened long enough.
    bool over() const { return kernel_.due(peer_.ask_at); }
    /// Ends listening. True if that was in vain for long enough.
    bool tired() {
        const bool in_vain = over();
        peer_.ask_at = wire::kNever;
        peer_.alive = in_vain || peer_.alive; // as far as is known; then only time can tell more
        looks_ += in_vain ? 1 : 0;
        return in_vain;
    }

private:
    Kernel& kernel_;
    Outgoing peer_;
    unsigned looks_ = 0;
};

/// kernel.end_of(id), for callers that join in several places: one copy of its code for all of
/// them.
[[gnu::noinline]] inline auto end_of(Kernel& kernel, ProcessId id) { return kernel.end_of(id); }

/// Waits for packets of several nodes. When nothing has come for long, it looks for the nodes that
/// still have to send something, one after the other, and begins anew. A derived class says which
/// nodes these are.
class Search : public Waiting {
public:
    void await_resume() const {}

protected:
    Search(Kernel& kernel, CallLabel label)
        : Waiting(kernel.scheduler(), ask),
          kernel_(kernel),
          label_(label),
          watch_(kernel) {}
    ~Search() = default;

    struct Subject {
        NodeId node = kNoNode;
        Path path{}; // of the packets that it sends
    };
    /// True if there is nothing to wait for any more. Not asked while it looks for a node.
    virtual bool is_over() const { return true; }
    /// A count of arrivals. If it changes, the search listens anew.
    virtual std::uint32_t heard() const { return 0; }
    /// Chooses the node to look for next, `first` in this round; false: no more nodes.
    virtual bool choose(bool, Subject&) { return false; }
    /// The outcome of looking for the chosen node. ok: the node is there, or a packet of it has
    /// come.
    virtual void found(Status) {}

    Kernel& kernel_;
    const CallLabel label_;

private:
    static bool ask(Waiting& self) { return static_cast<Search&>(self).go_on(); }
    bool go_on();
    bool look_for_next(bool first);

    Watch watch_;
    bool listens_ = false;
    std::uint32_t heard_ = 0;
    std::optional<SourceWait> look_;
};

/// A packet that a collective has waited for, and the verdict on it.
struct Awaited {
    Status status = Status::no_memory;
    Packet packet{};

    /// True if nothing comes from that node any more: not even a poisoned packet came.
    bool absent() const { return !packet; }
};

/// The verdict on what await_packet() gives: unreachable also for a poisoned packet, whose sender
/// has missed something itself.
inline Awaited judged(Packet&& packet) {
    const bool is_poisoned = packet && (packet.header().flags & wire::packet_flag::kPoisoned) != 0;
    return {is_poisoned ? Status::unreachable : packet.status(), std::move(packet)};
}

/// The first of two verdicts that is not ok; else ok.
constexpr Status first_failure(Status one, Status other) { return one == Status::ok ? other : one; }

} // namespace mesh
