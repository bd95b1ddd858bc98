// The file of `mesh matrix`: TOML, a scenario a section. Every list in it is a dimension, and the
// scenario is the product of them all.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

/// A key that a scenario can have beside the options of `mesh run`.
struct MatrixKey {
    std::string name;
    std::string phrase;
};

/// All keys: the options of `mesh run` that make sense for several runs, and those of the matrix.
std::vector<MatrixKey> matrix_keys();

/// One run of a scenario.
struct MatrixCase {
    std::string name; // the section, and what distinguishes it from its siblings; of no other
    std::string section;
    std::vector<std::string> options; // of `mesh run`, and the words behind --
    std::vector<std::string> words;   // these alone
    std::string expect_steps;         // apart from the options; a student is not to see it
    bool allow_refused = false;
    std::map<std::string, std::string> more; // of the keys that the caller has added
};

/// Reads the file, in which these keys may stand, too. UsageError with file, line and what is
/// allowed.
std::vector<MatrixCase> read_matrix(const std::string& path,
                                    const std::vector<MatrixKey>& more = {});

} // namespace mesh::host
