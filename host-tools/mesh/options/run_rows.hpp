// The options of `mesh run`: a row for each, which fills its family (rig/run_options.hpp). Help,
// manual, completion, the keys of a matrix and the checks of a lab come from these rows.
#pragma once

#include "series_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mesh::host {

/// The group of the help that has what the nodes do.
inline constexpr const char* kWork = "Work";

template <class Names>
std::string list(const Names& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

inline constexpr const char* kDimension = "dimension N: 2^N nodes of a cube or uhc, N! of a star";
void add_topology(CLI::App& app, std::string& topology);
void add_shard(CLI::App& app, std::string& shard);
/// All options of `mesh run`.
void add_run(CLI::App& app, SeriesArguments& series);

/// An option of `mesh run`, for code that makes command lines.
struct RunOption {
    std::string name; // without its dashes
    std::string phrase;
    bool flag; // has no value
};

/// All options of `mesh run`; the words after -- are none.
std::vector<RunOption> run_options();

/// The first names of those that were given.
std::vector<std::string> given_options(const CLI::App& app);

/// The class of a run for a build server: its op or program, and its topology.
std::string group_of(const RunArguments& arguments);

/// Reads the command line of one run, the program and `run` first. UsageError.
RunArguments parse_run(const std::vector<std::string>& words);

/// The options as they were given, without those that make several runs of one, and those that
/// write the results of all runs; or without those of other limits.
std::vector<std::string> words_of_each(const CLI::App& app, const std::string& program,
                                       unsigned without = kOfSeries);

} // namespace mesh::host
