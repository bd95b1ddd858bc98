// Runs as JUnit's XML, which build servers and editors read: a suite with a case for each run.
#pragma once

#include "case_result.hpp"

#include <span>
#include <string>
#include <string_view>

namespace mesh::host {

/// Writes the file whole or not at all, for the schemas of Ant and of Jenkins. A refused run is
/// skipped; a failed one has its reason, what a compiler has said, and the command that repeats it.
/// One that a signal has ended is an error: nothing is known of it. Cases of one name are numbered.
/// RunError.
void write_junit(const std::string& path, std::string_view suite,
                 std::span<const CaseResult> results, double seconds);

/// A command has failed: writes the --junit of its words, unless that is written already, with one
/// case for all that there might have been. `said` is what a compiler has said.
void leave_junit(std::span<const char* const> words, const std::string& reason,
                 std::string_view kind, const std::string& said);

} // namespace mesh::host
