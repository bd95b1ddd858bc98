#include "expected_steps.hpp"

#include "host-tools/mesh/common/text.hpp"

#include <fmt/format.h>

namespace mesh::host {

namespace {
constexpr std::string_view kFormula = "formula";
} // namespace

bool is_expected_steps(std::string_view text) {
    return text == kFormula || number_in<std::uint64_t>(text).has_value();
}

std::string wrong_steps(std::string_view expected, std::uint64_t steps,
                        const std::optional<Formula>& formula) {
    if (expected.empty())
        return {};
    if (expected != kFormula)
        return steps == number_in<std::uint64_t>(expected)
                   ? std::string{}
                   : fmt::format("{} steps, not {}", steps, expected);
    if (!formula)
        return "expect-steps = \"formula\": there is no formula for this run";
    return steps == formula->steps
               ? std::string{}
               : fmt::format("{} steps, not {} = {}", steps, formula->text, formula->steps);
}

} // namespace mesh::host
