// Makes a run of a command line: checked and complete, with every default and every name resolved.
// Made once, before anything is started.
#pragma once

#include "host-tools/mesh/rig/run_plan.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The values of --ports.
std::vector<std::string_view> port_model_names();

class Operation;

/// Checks everything, reads the input and finds the programs. UsageError.
std::unique_ptr<Operation> plan_run(const RunArguments& arguments, const std::string& command);

} // namespace mesh::host
