// The checks of a lab: how they are written, when a run is good, and the words for one that is not.
#pragma once

#include "host-tools/mesh/reports/case_result.hpp"
#include "host-tools/mesh/series/matrix_file.hpp"
#include "labs.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mesh::host {

/// A section of check.toml.
struct Check {
    std::string name;
    unsigned points = 0;
    std::string hint;    // where the page says more; "": none
    unsigned orders = 0; // in which each case runs; 0: in that of the packets' times alone
    std::vector<MatrixCase> cases;
};

/// The keys of a check beside those of a matrix.
std::vector<MatrixKey> check_keys();

/// As they are for an answer in this language. UsageError: what `mesh matrix` refuses, a check
/// without points, a number that is none, a line of `output` that is none.
std::vector<Check> read_checks(const std::string& path, Language language);

/// Gives each run with secrets a seed of its own, of this variant of the lab.
void draw_secrets(std::vector<Check>& checks, std::uint32_t variant);

/// What the check forbids of these calls of a program, in a sentence; "" if nothing.
std::string forbidden_call(const MatrixCase& made, const std::vector<std::string>& calls);

/// The result of the run: failed also if it was verified, yet is not what the check allows.
CaseResult judged(const MatrixCase& made, CaseResult result);

/// One sentence about a run that failed: its case, what was seen, seed and order. What was expected
/// instead is not in it. `late`: what the order put off.
std::string sentence_of(const MatrixCase& made, const CaseResult& result, const std::string& order,
                        const std::string& late);

} // namespace mesh::host
