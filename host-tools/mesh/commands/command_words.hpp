// Command lines as a person types them again.
#pragma once

#include <string>
#include <vector>

namespace mesh::host {

/// These words as a shell must be given them.
std::string shell_line(const std::vector<std::string>& words);

/// The command line as one could type it again, with the seed.
std::string command_again(int count, const char* const* words);

} // namespace mesh::host
