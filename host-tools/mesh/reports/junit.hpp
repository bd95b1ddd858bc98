// Runs as JUnit's XML, which build servers and editors read: a suite with a case for each run.
#pragma once

#include "case_result.hpp"

#include <span>
#include <string>
#include <string_view>

namespace mesh::host {

/// Writes the file whole or not at all. A refused run is skipped, a failed one has its reason and
/// the command that repeats it. RunError.
void write_junit(const std::string& path, std::string_view suite,
                 std::span<const CaseResult> results, double seconds);

} // namespace mesh::host
