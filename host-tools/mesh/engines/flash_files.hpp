// The flash of emulated nodes: a file for each, which the emulator reads and writes.
#pragma once

#include "host-tools/mesh/rig/rig_plan.hpp"

#include <string>

namespace mesh::host {

/// The file of a node, in the folder that the plan names.
std::string flash_file(const RigPlan& plan, NodeId node);

/// Makes the files that are not there yet, as flash that was never written. UsageError: one cannot
/// be made, or has another size.
void make_flash_files(const RigPlan& plan);

} // namespace mesh::host
