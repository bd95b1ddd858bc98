// `mesh debug`: a run whose nodes wait at reset, and one debugger on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mesh::host {

struct DebugArguments {
    std::vector<std::uint32_t> nodes;  // at least one
    std::vector<std::string> commands; // of the debugger, in their order
    std::string gdb = "gdb-multiarch"; // version 11 or later
    std::vector<std::string> run;      // words of `mesh run`
    std::string program;               // this tool, as it was called
};

/// Runs the debugger, with an inferior for each node, until its user leaves it, and the run to its
/// end. The exit status of the run. UsageError: there is no such debugger, or the run is refused.
int run_debug(const DebugArguments& arguments);

} // namespace mesh::host
