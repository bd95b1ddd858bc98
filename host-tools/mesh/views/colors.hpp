// The colours of subtrees in pictures on white; those of the page are in page/page.css.
#pragma once

#include <array>
#include <string_view>

namespace mesh::host {

inline constexpr std::array<std::string_view, 8> kColors{
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#666666"};

} // namespace mesh::host
