// The rig of a run: engine, board, memory, image, emulator and wiring.
#pragma once

#include "plan.hpp"

namespace mesh::host {

/// The engine, and the board with all that is known of it. UsageError.
void plan_board(RunPlan& run, const RunArguments& arguments);
/// The emulator of this name or path, the board as that version of it has it, and whether nodes are
/// forked: `boot` is fork, exec, or "" for what the emulator is known to allow. UsageError.
void plan_emulator(RigPlan& rig, const std::string& name, const std::string& boot);

/// Finds and checks all that the op's nodes need to come to life. UsageError.
void plan_rig(Operation& op, const RunArguments& arguments);

} // namespace mesh::host
