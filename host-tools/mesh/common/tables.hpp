// Values that are chosen from a table by their names on the command line. All functions refuse
// other names and say which are allowed.
#pragma once

#include "errors.hpp"
#include "nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
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

/// Refuses a name that is none of these. UsageError.
template <class Names>
[[noreturn]] void refuse_name(std::string_view option, std::string_view name, const Names& names) {
    refuse("{} '{}': {}allowed: {}", option, name, did_you_mean(name, names),
           fmt::join(names, ", "));
}

/// The value beside this name in a table of pairs. UsageError.
template <class Table>
auto look_up(const Table& table, std::string_view name, std::string_view option) {
    for (const auto& [known, value] : table)
        if (known == name)
            return value;
    refuse_name(option, name, names_of(table));
}

/// Refuses a name that is none of these; if it is one of `all`, it may go with other options.
template <class Names, class All>
[[noreturn]] void refuse_name(std::string_view option, std::string_view name, const Names& names,
                              const All& all) {
    if (std::find(std::begin(all), std::end(all), name) == std::end(all))
        refuse_name(option, name, names);
    refuse(kCombination, "{} '{}': allowed: {}", option, name, fmt::join(names, ", "));
}

/// The place of a name in a list of them. UsageError.
template <class Names>
std::size_t place_of(const Names& names, std::string_view name, std::string_view option) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        refuse_name(option, name, names);
    return static_cast<std::size_t>(found - names.begin());
}

} // namespace mesh::host
