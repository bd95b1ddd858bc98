// The rig of a run: engine, board, memory, image, emulator and wiring.
#pragma once

#include "plan.hpp"

namespace mesh::host {

/// Finds and checks all that the op's nodes need to come to life. UsageError.
void plan_rig(Operation& op, const RunArguments& arguments);

} // namespace mesh::host
