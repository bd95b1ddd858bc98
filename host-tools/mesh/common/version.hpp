// The version of the whole: tool, images and the messages between them.
#pragma once

#include <string_view>

namespace mesh::host {

inline constexpr std::string_view kVersion = "2.0.0";

} // namespace mesh::host
