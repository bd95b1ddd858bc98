// The command line of `mesh`.
#pragma once

#include "embed_command.hpp"
#include "list_command.hpp"
#include "plan.hpp"
#include "series.hpp"
#include "tree_command.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mesh::host {

struct HelpText {
    std::string text;
};

using Command = std::variant<HelpText, RunArguments, SeriesArguments, TreeArguments, EmbedArguments,
                             ListArguments>;

/// Reads the command line. UsageError with one line that says what is wrong.
Command parse_command_line(int count, const char* const* words);

/// These words as a shell must be given them.
std::string shell_line(const std::vector<std::string>& words);

/// The command line as one could type it again, with the seed.
std::string command_again(int count, const char* const* words);

} // namespace mesh::host
