// `mesh run`: plan, boot, check, load, run, collect, report.
#pragma once

#include "host-tools/mesh/plan/plan.hpp"

#include <string>

namespace mesh::host {

/// One whole run, alone or with the other ranks of a launch, or the words of `--dry-run`. `command`
/// is what repeats it. The exit status: 0, 1 if it failed, kSignalBase + the signal that ended it.
/// UsageError, Interrupted.
int run_command(RunArguments arguments, const std::string& command);

} // namespace mesh::host
