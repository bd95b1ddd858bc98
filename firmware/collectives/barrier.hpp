// Barrier: every node waits until all have come. On the cube by pairwise exchange over dimension 0,
// 1, ..., n-1: n steps, n * 2^n packets. Elsewhere by as many rounds as the network's diameter: a
// node sends by every out-port and waits for a packet by every in-port. After r rounds it knows of
// all nodes that are r links away.
#pragma once

#include "kernel/node/kernel.hpp"

namespace mesh {

inline constexpr Tag kBarrierTag = 0x7F00;

/// `co_await barrier(kernel, tag)`: continues when every node has called it, at one model time
/// everywhere: the time of the last node that came, plus the time of the rounds. (Where packets
/// must wait for one port, of other traffic or, beside the cube with one port, of other rounds, a
/// node may be later.) Barriers that may overlap in time need different tags. ok; unreachable: a
/// neighbour is, or some node has missed another one; no_memory.
Task<Status> barrier(Kernel& kernel, Tag tag = kBarrierTag);

} // namespace mesh
