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
    std::string hint;       // where the page says more; "": none
    std::string waits_hint; // for a run that stands still; "": the same
    unsigned orders = 0;    // in which each case runs; 0: in that of the packets' times alone
    std::vector<MatrixCase> cases;
};

/// The keys of a check beside those of a matrix.
std::vector<MatrixKey> check_keys();

/// As they are for an answer in this language. UsageError: what `mesh matrix` refuses, a check
/// without points, a number that is none, a line of `output` that is none.
std::vector<Check> read_checks(const std::string& path, Language language);

/// Gives each run with secrets a seed of its own, of this variant of the lab.
void draw_secrets(std::vector<Check>& checks, std::uint32_t variant);

/// A sentence that names the first of these calls that the check forbids; "" if it forbids none.
std::string forbidden_call(const MatrixCase& made, const std::vector<std::string>& calls);

/// The result of the run: failed also if it was verified, yet is not what the check allows.
CaseResult judged(const MatrixCase& made, CaseResult result);

/// The cause of a failure.
enum class FailureKind : std::uint8_t {
    wrong,   // it ended, and is not what the check wants
    waits,   // nodes wait for each other, or for nothing
    crash,   // a node's program was stopped
    endless, // a node's program computes without end
    refused, // before anything ran
};
FailureKind kind_of(const CaseResult& result);

/// The sentence of a hint for a failure of this kind: the check's own, if the run ended by itself.
std::string hint_for(FailureKind kind, const Check& check);

/// The sentence on a run that failed without its numbers: equal for failures that have one cause.
std::string shape_of(const CaseResult& result);

/// One sentence about a run that failed: its case, what was seen, seed and order. What was expected
/// instead is not in it. `late`: what the order put off.
std::string sentence_of(const MatrixCase& made, const CaseResult& result, const std::string& order,
                        const std::string& late);

} // namespace mesh::host
