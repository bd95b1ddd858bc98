// Waiting for a packet of one node, which may be dead by then.
//
// Whoever waits listens first. If nothing comes for as long as it takes to find a dead link, it
// probes the way to the node now and then: a kernel answers probes whatever its processes do. So a
// living node is waited for however late it is, and a dead one is not waited for for ever. Probes
// take no model time; in lockstep they leave when everything else is at rest.
#pragma once

#include "kernel/kernel.hpp"

namespace mesh {

/// `Packet p = co_await await_from(kernel, source, match)`: the next packet of `source` that
/// matches (match.source is not read); sets the clock. An empty one means unreachable: the first
/// link on the way to `source` is dead, or its kernel does not answer; or the arena is full. That
/// is known after some kAskPatience times the patience of the links, three times that at most if
/// `source` died silently, longer if it has answered before (limits.hpp, kAsksMax).
Task<Packet> await_from(Kernel& kernel, NodeId source, Match match);

} // namespace mesh
