// Waiting for a node, which may be dead by then.
//
// Whoever waits listens first. If nothing comes for as long as it takes to find a dead link, it
// asks: a kernel answers whatever its processes do. So a living node is waited for however late it
// is, and a dead one is not waited for for ever. Questions take no model time; in lockstep they
// leave when everything else is at rest.
#pragma once

#include "kernel/kernel.hpp"

namespace mesh {

/// `Packet p = co_await await_from(kernel, source, match)`: the next packet of `source` that
/// matches (match.source is not read); sets the clock. An empty one means unreachable, or that the
/// arena is full: packet.status() says which. kAnySource is always waited for.
///
/// A single packet comes by one way, so its source is unreachable if the first link on the way to
/// it is dead, or if its kernel does not answer a question that goes that way. A packet of a
/// message can come by any of the disjoint paths: its source is unreachable if it answers by none,
/// or if it says that it does not send this message (any more). A node that dies silently is known
/// to be after some four times kAskPatience of the links' patience; later if it has answered
/// before, since questions become rarer (limits.hpp).
Task<Packet> await_from(Kernel& kernel, NodeId source, Match match);

} // namespace mesh
