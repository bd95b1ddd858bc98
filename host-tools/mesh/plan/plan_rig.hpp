// The rig of a run: engine, board, memory, image, emulator and wiring.
#pragma once

#include "plan.hpp"

#include <string_view>
#include <vector>

namespace mesh::host {

/// The boards that images are built for.
std::vector<std::string_view> board_names();

/// Finds and checks all that the op's nodes need to come to life. UsageError.
void plan_rig(Operation& op, const RunArguments& arguments);

} // namespace mesh::host
