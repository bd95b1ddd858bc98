// `mesh run --dry-run`: all that is known of a run before anything boots.
#pragma once

#include "host-tools/mesh/ops/operation.hpp"

namespace mesh::host {

/// Prints the plan, the expected figures, the wiring, the memory, and how node 0 is started.
void dry_run(const Operation& op);

} // namespace mesh::host
