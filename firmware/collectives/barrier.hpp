// Barrier on the cube: every node waits until all have come, by pairwise exchange over dimension
// 0, 1, ..., n-1: n steps, n * 2^n packets.
#pragma once

#include "kernel/kernel.hpp"

namespace mesh {

/// `co_await barrier(kernel, tag)`: continues when every node has called it. Barriers that may
/// overlap in time need different tags (tag .. tag + dim - 1 are used).
Task<Status> barrier(Kernel& kernel, Tag tag = 0x7F00);

} // namespace mesh
