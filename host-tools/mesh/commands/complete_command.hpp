// `mesh complete`: what a shell offers for the last word of a command line (host-tools/install/).
#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>

namespace mesh::host {

inline constexpr const char* kComplete = "complete";

/// The words, one a line, that may stand where the last of `words` is begun; they are those behind
/// `mesh`. "" where a file may stand, which shells know better. `app` has all commands and options.
std::string completions(const CLI::App& app, std::span<const char* const> words);

} // namespace mesh::host
