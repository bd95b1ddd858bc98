// `mesh list`: the names that options take, one a line with a phrase.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

struct ListArguments {
    std::string what;
};

/// What can be listed.
std::vector<std::string_view> list_names();
/// Prints one list. UsageError.
void list_command(const ListArguments& arguments);

} // namespace mesh::host
