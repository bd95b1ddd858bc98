// --expect-steps: a run whose steps are others has failed.
#pragma once

#include "formulas.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mesh::host {

/// "formula", or a number.
bool is_expected_steps(std::string_view text);
/// Why these are not the steps that `expected` says; "" if they are, or it says nothing.
std::string wrong_steps(std::string_view expected, std::uint64_t steps,
                        const std::optional<Formula>& formula);

} // namespace mesh::host
