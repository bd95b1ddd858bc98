// What words and numbers of the command line stand for: networks, nodes, cables, and whatever is
// chosen from a table by name. All refuse with what is allowed.
#pragma once

#include "core/network.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/links/loom.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The names in a table of pairs.
template <class Table>
std::vector<std::string_view> names_of(const Table& table) {
    std::vector<std::string_view> names;
    names.reserve(std::size(table));
    for (const auto& entry : table)
        names.push_back(entry.first);
    return names;
}

/// What stands beside this name in a table of pairs. UsageError.
template <class Table>
auto look_up(const Table& table, std::string_view name, std::string_view option) {
    for (const auto& [known, value] : table)
        if (known == name)
            return value;
    refuse("{} '{}': allowed: {}", option, name, fmt::join(names_of(table), ", "));
}

/// The place of a name in a list of them. UsageError.
template <class Names>
std::size_t place_of(const Names& names, std::string_view name, std::string_view option) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        refuse("{} '{}': allowed: {}", option, name, fmt::join(names, ", "));
    return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string_view> topology_names();
/// The trees of a topology, whatever the dimension.
std::vector<std::string_view> tree_names(Topology topology);

/// A number between two others, both included. UsageError.
std::uint32_t in_range(std::int64_t value, std::int64_t low, std::int64_t high,
                       std::string_view option);
/// The network of a topology's name and a dimension. UsageError.
Network network_of(std::string_view topology, std::int64_t dim);
/// The tree with this name. UsageError.
Rule tree_of(Network network, std::string_view name);
/// "NODE/PORT", a port that sends. UsageError.
Far cable_end(Network network, const std::string& text, std::string_view option);
/// The node with this number; `option` is what to complain about. UsageError.
NodeId node_of(Network network, std::int64_t number, std::string_view option);

} // namespace mesh::host
