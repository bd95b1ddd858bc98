// Words as a shell must be given them, so that a person or make can hand them to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// One word.
std::string shell_word(std::string_view word);

/// A line of words.
std::string shell_line(const std::vector<std::string>& words);

/// The words of such a line.
std::vector<std::string> words_of_line(std::string_view line);

} // namespace mesh::host
