// The runs of a matrix that have failed the last time, kept in the user's cache folder.
#pragma once

#include "host-tools/mesh/reports/case_result.hpp"

#include <set>
#include <span>
#include <string>

namespace mesh::host {

/// Their names, of the matrix in this file. UsageError: none of its runs was ever done.
std::set<std::string> failed_before(const std::string& file);

/// Notes which of these have failed; of the others what is known stays. Where nothing can be
/// written nothing is.
void keep_failed(const std::string& file, std::span<const CaseResult> results);

} // namespace mesh::host
