// `mesh list`: the names that options take, one a line with a phrase.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

struct ListArguments {
    std::string what;
    std::string format = "text"; // or json
};

/// The names of the lists.
std::vector<std::string_view> list_names();
/// The names in one list. UsageError: there is none of this name.
std::vector<std::string> names_in(std::string_view what);
/// Prints one list. UsageError.
void list_command(const ListArguments& arguments);

} // namespace mesh::host
