// What a person reads beside the results.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace mesh::host {

/// Writes to standard error. Where that is closed or full the text is lost, and nothing else: what
/// a run has come to is in its report and its exit status.
template <class... T>
void say(fmt::format_string<T...> text, T&&... values) {
    const std::string words = fmt::format(text, std::forward<T>(values)...);
    static_cast<void>(std::fwrite(words.data(), 1, words.size(), stderr));
}

/// Whoever starts this tool may have closed its standard input, output or error. They get a file
/// all the same, since the next one that is opened would be taken for them: an empty input, an
/// output and an error that cannot be written.
void keep_standard_files();

} // namespace mesh::host
