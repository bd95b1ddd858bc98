// Makes a run of a command line: checked and complete, with every default and every name resolved.
// Made once, before anything is started.
#pragma once

#include "host-tools/mesh/rig/run_plan.hpp"

#include <memory>
#include <string>

namespace mesh::host {

class Operation;

/// Checks everything, reads the input and finds the programs. UsageError.
std::unique_ptr<Operation> plan_run(const RunArguments& arguments, const std::string& command);

} // namespace mesh::host
