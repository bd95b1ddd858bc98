// From words to options: numbers as people write them, help that fits a terminal, and complaints of
// one line.
#pragma once

#include "options.hpp"

#include <CLI/CLI.hpp>

#include <optional>

namespace mesh::host {

/// Parses the command line with an app that has all its commands and options. Returns the help or
/// the version, if that was asked for instead of a command. UsageError: the words are wrong.
std::optional<HelpText> parse(CLI::App& app, int count, const char* const* words);

} // namespace mesh::host
