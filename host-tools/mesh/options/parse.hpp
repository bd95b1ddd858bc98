// From words to options: numbers as people write them, help that fits a terminal, and complaints of
// one line.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace mesh::host {

struct HelpText {
    std::string text;
};

/// Parses the command line with an app that has all its commands and options. Returns the help or
/// the version, if that was asked for instead of a command. UsageError: the words are wrong.
std::optional<HelpText> parse(CLI::App& app, int count, const char* const* words);

} // namespace mesh::host
