// --format of commands that list something: lines for people, or JSON for scripts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// True for "json", false for "text". UsageError: any other word.
bool is_json(std::string_view format);

/// Prints one line of JSON: an array with an object for each row, which has the row's words under
/// these keys.
void print_json(std::span<const std::string_view> keys,
                const std::vector<std::vector<std::string>>& rows);

} // namespace mesh::host
