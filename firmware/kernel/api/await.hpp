// Waiting for a node, which may be dead by then.
//
// Whoever waits listens first. If nothing comes for as long as it takes to find a dead link, it
// asks: a kernel answers whatever its processes do. So a living node is waited for however late it
// is, and a dead one is not waited for for ever. Questions take no model time; in lockstep they
// leave when everything else is at rest.
//
// A question goes by the shortest way and, if that is lost or nobody answers, by all disjoint
// paths. About a message it says which one, and the answer comes as the question went. About a
// single packet the answer comes by the way of the packet itself and keeps its place there: what
// left before it is here before it. So if no answer comes, the packet cannot either, whatever has
// died; and a node that answers that no process is left there sends no more.
#pragma once

#include "kernel/node/kernel.hpp"

namespace mesh {

/// A wait for a packet of `source` that matches (match.source is not read). A single packet
/// (Service::packet) comes by `path`; those of a message by any path. kAnySource is always waited
/// for. The waiting process owns the object and calls over() until that returns true.
class SourceWait {
public:
    SourceWait(Kernel& kernel, NodeId source, const Match& match, Path path = {});

    /// Does not listen first, and is over as soon as the node, which must be one, has answered.
    void ask_now() {
        asks_now_ = true;
        peer_.ask_at = 0;
    }

    /// True when it has come, or cannot come any more.
    bool over();
    /// ok; unreachable: it cannot come any more.
    Status status() const { return status_; }
    /// What has come, or an empty packet; sets the clock.
    Packet take();

private:
    friend struct WaitPlaces;

    bool asks_now_ = false;
    Status status_ = Status::ok;
    Kernel& kernel_;
    Match match_;
    Outgoing peer_;
};

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
/// That is so if `source` is a neighbour behind a link that is dead. Of a node that dies silently
/// it is known after some three times kAskRtos times the least RTO of the links; of one that is
/// no neighbour after four times that; later if it has answered before, since questions become
/// rarer (limits.hpp, kAsksMax).
inline PacketAwait await_packet(Kernel& kernel, NodeId source, const Match& match, Path path = {}) {
    return {kernel, source, match, path};
}

/// `Status s = co_await look_for(kernel, node, path, match)`: asks `node` at once. ok: it is there,
/// and packets that come by `path` get here; or one that matches has come meanwhile. unreachable.
inline Look look_for(Kernel& kernel, NodeId node, Path path, const Match& match) {
    return {kernel, node, path, match};
}

} // namespace mesh
