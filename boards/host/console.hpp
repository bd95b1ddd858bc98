// printf of apps that run in a simulation: to the console of the node that is running.
#pragma once

#include "kernel/node/kernel.hpp"

namespace mesh::board {

/// From now on apps' output is this node's; nullptr: no node runs, output is a bug.
void set_console(Kernel* kernel);

} // namespace mesh::board
