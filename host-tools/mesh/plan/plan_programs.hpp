// The programs of a run, from --app and --image: which node runs which, and where it is.
#pragma once

#include "host-tools/mesh/ops/operation.hpp"
#include "plan.hpp"

#include <string>

namespace mesh::host {

/// Bytes of a node's workspace while it does an op of this kind: of the image that a board runs, or
/// of a simulation.
std::size_t workspace_for(const OpKind& kind, const RunPlan& run);

/// Finds the programs of `rig` for the op, or of --app and --image, builds those that are source
/// files, and checks that they are for this engine and board. UsageError.
void plan_programs(const Operation& op, RigPlan& rig);

} // namespace mesh::host
