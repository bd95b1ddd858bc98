// Texts that people write, by whatever editor of whatever system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The text without a byte order mark before it, and with lines that end as they do here.
std::string plain_text(std::string_view text);

/// plain_text() of a file. UsageError, with `hint` behind it: it cannot be read.
std::string read_text(const std::string& path, std::string_view option, std::string_view hint = {});

/// The lines of a plain text, for as long as it lives. What ends the last line begins none.
std::vector<std::string_view> lines_in(std::string_view text);

} // namespace mesh::host
