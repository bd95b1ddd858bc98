// `mesh list`: the names that options take, one a line with a phrase.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

struct ListArguments {
    std::string what;
};

/// The names of the lists.
std::vector<std::string_view> list_names();
/// Prints one list. UsageError.
void list_command(const ListArguments& arguments);

} // namespace mesh::host
