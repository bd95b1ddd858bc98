// The memory that a simulated node has, for the code that plans a run.
#pragma once

#include "core/network.hpp"

#include <cstddef>

namespace mesh::host {

/// Packets that a node of this network can keep. `board_buffers`: those of a small board, which its
/// nodes have as well; 0: no such board.
std::size_t simulated_buffers(Network network, unsigned board_buffers);

} // namespace mesh::host
