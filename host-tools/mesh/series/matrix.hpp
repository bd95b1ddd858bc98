// `mesh matrix FILE`: many runs from a file, several at once, within the memory there is.
//
// At most `jobs` run at a time. A simulated run counts for one job, a rig of QEMUs for one a node,
// since each of them wants a core; a run that counts for more than `jobs` has the machine to
// itself. Runs start in the order of the file, so that none waits for ever.
#pragma once

#include "matrix_file.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace mesh::host {

struct MatrixArguments {
    std::string file;
    std::optional<std::uint32_t> jobs;
    std::optional<std::uint64_t> memory_mbyte;
    std::string report;
    std::string junit;
    std::string shard;   // see shard.hpp; "": all runs
    std::string program; // that runs them, as it was called
};

/// The keys of the file, for the help.
std::string describe_matrix_keys();

/// Why the steps of a run's report are not those that the case expects; "" if they are.
std::string wrong_steps(const MatrixCase& made, const nlohmann::ordered_json& report);

/// True if all runs are verified, but those that may be refused. UsageError before the first one.
bool run_matrix(const MatrixArguments& arguments);

} // namespace mesh::host
