#include "node_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mesh::host {

namespace {
constexpr std::size_t kNamedMax = 16;
}

std::string name_nodes(const NodeNumbers& nodes) {
    const std::size_t named = std::min(nodes.size(), kNamedMax);
    const std::string list = fmt::format(
        "{} {}", nodes.size() == 1 ? "node" : "nodes",
        fmt::join(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(named), " "));
    return named == nodes.size() ? list : fmt::format("{} and {} more", list, nodes.size() - named);
}

} // namespace mesh::host
