// The letters of a formula: their meaning, and their values in a run.
#pragma once

#include "recording.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mesh::host {

/// A letter of a formula, or a word of it.
struct Letter {
    std::string_view name;
    std::string_view meaning;
    std::optional<std::uint64_t> value; // nothing where it takes more than network, tree and root
};

/// Those of the run's formula, in their order; none if it has no formula. `tree` is that of the
/// run, if it has one.
std::vector<Letter> letters_of(const Recording& recording, std::optional<Rule> tree, NodeId root);

} // namespace mesh::host
