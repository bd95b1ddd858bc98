// The rig of a run: engine, board, memory, image, emulator and wiring.
#pragma once

#include "plan.hpp"

namespace mesh::host {

/// All that is known of the board; checks --engine, too. UsageError.
BoardFacts plan_board(const RigPlan& rig);
/// Refuses a --dim that no network has, with those that a node of the board has ports for.
/// UsageError.
void check_dimension(const RigPlan& rig);
/// The emulator of --qemu, the board as that version of it has it, and whether nodes are forked:
/// `boot` is fork, exec, or "" for what the emulator is known to allow. UsageError.
void plan_emulator(RigPlan& rig, const std::string& boot);

/// The rig of a run whose op is planned: what its nodes need to come to life, found and checked.
/// UsageError.
RigPlan plan_rig(const Operation& op);

} // namespace mesh::host
