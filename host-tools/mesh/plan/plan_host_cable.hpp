// --host-at and --serial: a mesh with one host cable.
#pragma once

#include "plan.hpp"

namespace mesh::host {

/// True if node 0 alone has a host cable, by --host-at, --serial, or mesh load. Precondition: the
/// network is known. UsageError: their values are impossible, or another option does not go with
/// them.
bool plan_host_cable(const RunPlan& run);

/// Gives the board the flash that --keep asks for, and refuses options that such a mesh cannot
/// obey, when board, faults and lockstep are known. UsageError.
void check_host_cable(RunPlan& run);

} // namespace mesh::host
