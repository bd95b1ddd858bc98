// `mesh merge`: one report of the reports that the shards of a series or a matrix have left.
#pragma once

#include <string>
#include <vector>

namespace mesh::host {

struct MergeArguments {
    std::vector<std::string> files; // of --report, one a shard, in any order
    std::string report;
    std::string junit;
};

/// Prints the runs of all shards, those of a series in the order of their seeds, with totals, and
/// writes report and junit. True if some are verified and none has failed. RunError: a file that is
/// no report of a shard, shards that do not belong together or are not all there.
bool run_merge(const MergeArguments& arguments);

} // namespace mesh::host
