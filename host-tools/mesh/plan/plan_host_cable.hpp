// --host-at and --serial: a mesh with one host cable.
#pragma once

#include "plan.hpp"

namespace mesh::host {

/// Takes them over. UsageError: what cannot be, or goes with neither.
void plan_host_cable(RunPlan& run, const RunArguments& arguments);

/// Refuses what such a mesh cannot do, when board, faults and lockstep are known. UsageError.
void check_host_cable(const RunPlan& run, const RunArguments& arguments);

} // namespace mesh::host
