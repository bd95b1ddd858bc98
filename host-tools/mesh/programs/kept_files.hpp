// Files that the tool makes by compilers and keeps in the user's cache folder: they can be made
// again from the files in a list beside each.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// Where they are kept: in a folder of this user's own, since programs of it are run; without one,
/// in a folder of this run alone. UsageError.
std::filesystem::path cache_folder();

/// The list beside the file `made`.
std::filesystem::path list_beside(const std::filesystem::path& made);

/// True if `made` is there and none of the files in its list has been written since it was made.
bool is_fresh(const std::filesystem::path& made);

/// Writes the list of `made`: the files that it was made of.
void keep_list(const std::filesystem::path& made, const std::vector<std::string>& sources);

/// The files in a rule of make that a compiler has written to `file`, with their whole paths, but
/// for what the rule makes.
std::vector<std::string> files_in_rule(const std::string& file);

} // namespace mesh::host
