// Waiting for a node, which may be dead by then.
//
// A process that waits listens first. If nothing comes for as long as it takes to find a dead link,
// it asks: a kernel answers whatever its processes do. So a process waits for a living node however
// late that is, and not for ever for a dead one. Questions take no model time; in lockstep they
// leave when everything else is at rest.
//
// A question goes by the shortest way and, if that is lost or nobody answers, by all disjoint
// paths. A question about a message names the message, and its answer comes as the question went.
// The answer to a question about a single packet comes by the way of the packet itself and keeps
// its place there: packets that left before it are here before it. So if no answer comes, the
// packet cannot come either, whatever has died; and a node that answers that no process is left
// there sends no more.
#pragma once

#include "kernel/node/kernel.hpp"

#include <cstddef>

namespace mesh {

/// A wait for a packet of `source` that matches (match.source is not read). A single packet
/// (Service::packet) comes by `path`; packets of a message by any path. kAnySource is always waited
/// for. The waiting process owns the object and calls over() until that returns true.
class SourceWait {
public:
    /// Begins to listen. `kernel` must outlive the wait.
    SourceWait(Kernel& kernel, NodeId source, const Match& match, Path path = {});

    /// Asks at once instead of listening first. The wait is over as soon as the node has answered.
    /// It must be a wait for one node.
    void ask_now() {
        asks_now_ = true;
        peer_.ask_at = 0;
    }

    /// True when the packet has come, or cannot come any more.
    bool over();
    /// True if the offer that has come is for a process that began to wait before this one.
    bool is_behind() const { return kernel_.messages().is_for_older(peer_, match_); }
    /// The packets that it waits for.
    const Match& match() const { return match_; }
    /// ok; unreachable: the packet cannot come any more.
    Status status() const { return status_; }
    /// The packet that has come, or an empty one; sets the clock.
    Packet take();
    /// Where it keeps the Match, for tables of what is waited for: bytes from its beginning.
    static constexpr std::size_t match_offset();

private:
    friend struct WaitPlaces;

    bool asks_now_ = false;
    Status status_ = Status::ok;
    Kernel& kernel_;
    Match match_;
    Outgoing peer_;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
constexpr std::size_t SourceWait::match_offset() { return offsetof(SourceWait, match_); }
#pragma GCC diagnostic pop

/// See await_packet().
class MESH_AWAITED PacketAwait : public Waiting {
public:
    PacketAwait(Kernel& kernel, NodeId source, const Match& match, Path path);
    Packet await_resume() { return wait_.take(); }

protected:
    SourceWait wait_;

private:
    friend struct WaitPlaces;
    static bool ask(Waiting& self) { return static_cast<PacketAwait&>(self).wait_.over(); }
};

/// See look_for().
class MESH_AWAITED Look : public PacketAwait {
public:
    Look(Kernel& kernel, NodeId node, Path path, const Match& match)
        : PacketAwait(kernel, node, match, path) {
        wait_.ask_now();
    }
    [[gnu::warn_unused_result]] Status await_resume() const { return wait_.status(); }
};

/// `Packet p = co_await await_packet(kernel, source, match)`: the next packet of `source` that
/// matches (match.source is not read), which comes by `path`; sets the clock. An empty one means
/// unreachable.
///
/// A neighbour is unreachable if it is behind a dead link. A node that dies silently is known to be
/// unreachable after some three times kAskRtos times the least RTO of the links; one that is no
/// neighbour after four times that; later if it has answered before, since questions become rarer
/// (limits.hpp, kAsksMax).
inline PacketAwait await_packet(Kernel& kernel, NodeId source, const Match& match, Path path = {}) {
    return {kernel, source, match, path};
}

/// `Status s = co_await look_for(kernel, node, path, match)`: asks `node` at once. ok: the node is
/// there, and packets that come by `path` get here; or a packet that matches has come meanwhile.
/// Else unreachable.
inline Look look_for(Kernel& kernel, NodeId node, Path path, const Match& match) {
    return {kernel, node, path, match};
}

} // namespace mesh
