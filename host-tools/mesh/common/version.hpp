// The version of the whole: tool, images and what they tell each other.
#pragma once

#include <string_view>

namespace mesh::host {

inline constexpr std::string_view kVersion = "2.0.0";

} // namespace mesh::host
