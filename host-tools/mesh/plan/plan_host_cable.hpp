// --host-at and --serial: a mesh with one host cable.
#pragma once

#include "plan.hpp"

namespace mesh::host {

/// Takes --host-at and --serial into `run`. UsageError: their values are impossible, or another
/// option does not go with them.
void plan_host_cable(RunPlan& run, const RunArguments& arguments);

/// Takes --keep and --flash into `run`, and refuses options that such a mesh cannot obey, when
/// board, faults and lockstep are known. UsageError.
void check_host_cable(RunPlan& run, const RunArguments& arguments);

} // namespace mesh::host
