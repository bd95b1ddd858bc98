// `mesh matrix FILE`: many runs from a file, several at once, within the memory there is.
//
// At most `jobs` run at a time. A simulated run counts for one job, a rig of QEMUs for one a node,
// since each of them wants a core; a run that counts for more than `jobs` has the machine to
// itself. Runs start in the order of the file, so that none waits for ever. Which of them have
// failed the last time is kept in the cache folder.
#pragma once

#include "matrix_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mesh::host {

struct MatrixArguments {
    std::string file;
    std::optional<std::uint32_t> jobs;
    std::optional<std::uint64_t> memory_mbyte;
    std::vector<std::string> only; // words of names; none: all runs
    bool list = false;             // names alone
    std::string format = "text";   // of that list, or json
    bool rerun_failed = false;     // those that have failed the last time
    std::string log;               // a new folder, with one for each run
    std::string report;
    std::string junit;
    std::string shard;   // see shard.hpp; "": all runs
    std::string program; // that runs them, as it was called
};

/// The keys of the file, for the help.
std::string describe_matrix_keys();

/// True if all runs are verified, but those whose options may not go together. A case that is wrong
/// by itself, names a file that is not there, or does not build, has failed before the first run.
/// UsageError before that: the file cannot be read.
bool run_matrix(const MatrixArguments& arguments);

} // namespace mesh::host
