// How collectives end beside a dead node: they wait for packets of known nodes only as long as
// these can still come, and whoever misses something goes through the rest of its collective all
// the same, but what it sends is void then. So a failure travels to all who depend on it, and
// nobody waits for them in vain.
//
// A node that only listens does not learn that a link has died, so it asks, now and then, when
// nothing has come for as long as it takes to find a dead link. The question goes by every way that
// there is until one is good; the answer comes by the way of the packet itself, and keeps its place
// there: what left before it is here before it. A kernel answers whatever its processes do. So a
// living node is waited for however late it is; one whose answer does not come is unreachable,
// whatever has died; and one that answers that no process is left there sends no more. Questions
// take no model time; in lockstep they leave when everything else is at rest.
#pragma once

#include "kernel/kernel.hpp"

#include <cstdint>
#include <utility>

namespace mesh {

/// `Packet p = co_await await_packet(kernel, source, match)`: the next packet of `source` that
/// matches (match.source is not read), which comes by `path`; sets the clock. Of an empty one
/// status() says why: unreachable, it cannot come any more; no_memory, the arena is full. That is
/// known after some kAskPatience times the patience of the links, three times that if a neighbour
/// died silently, so much again for each of the node's disjoint trees if another one did, longer if
/// it has answered before (limits.hpp, kAsksMax).
Task<Packet> await_packet(Kernel& kernel, NodeId source, Match match, Path path = {});

/// Asks `node` once. ok: it is there, and packets that come by `path` get here; or one that matches
/// has come meanwhile. unreachable; no_memory.
Task<Status> look_for(Kernel& kernel, NodeId node, Path path, Match match);

/// The patience of a wait that looks for those who have to come, for waits of other shapes:
/// `w.listen(); co_await wait_until(... || w.over()); if (w.tired()) look_for(...)`.
class Watch {
public:
    explicit Watch(Kernel& kernel, NodeId node = kNoNode, Rule rule = Rule::kCount)
        : kernel_(kernel),
          peer_(kernel.messages(), node, rule) {}

    /// Begins to listen.
    void listen() { peer_.ask_at = kernel_.ask_time(looks_); }
    /// It has listened long enough, or the link is dead by which packets of `rule` go to `node`.
    bool over() const { return peer_.lost || kernel_.due(peer_.ask_at); }
    /// Ends listening. True if that was in vain for long enough.
    bool tired();
    bool lost() const { return peer_.lost; }

private:
    Kernel& kernel_;
    Outgoing peer_;
    unsigned looks_ = 0;
};

/// What a collective has waited for.
struct Awaited {
    Status status = Status::no_memory;
    Packet packet{};

    /// Nothing comes from there any more: not even a void packet came.
    bool absent() const { return !packet; }
};

/// The verdict on what await_packet() gives: unreachable also for a void packet, whose sender has
/// missed something itself.
inline Awaited judged(Packet&& packet) {
    const bool is_void = packet && (packet.header().flags & wire::packet_flag::kVoid) != 0;
    return {is_void ? Status::unreachable : packet.status(), std::move(packet)};
}

/// The first of two verdicts that is not ok.
constexpr Status worse(Status first, Status second) { return first == Status::ok ? second : first; }

} // namespace mesh
