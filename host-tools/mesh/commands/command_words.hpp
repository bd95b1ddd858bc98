// A command line as a person types it again.
#pragma once

#include <string>

namespace mesh::host {

/// The program as it was typed if that was a path, else the path where the shell found it.
std::string program_again(const std::string& word);
/// The command line as one could type it again, with the seed.
std::string command_again(int count, const char* const* words);

} // namespace mesh::host
