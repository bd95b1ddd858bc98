// Messages for a person, beside the results.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace mesh::host {

/// Writes to standard error. Where that is closed or full the text is lost, and nothing else: the
/// outcome of a run is in its report and its exit status.
template <class... T>
void say(fmt::format_string<T...> text, T&&... values) {
    const std::string words = fmt::format(text, std::forward<T>(values)...);
    static_cast<void>(std::fwrite(words.data(), 1, words.size(), stderr));
}

/// Opens standard input, output and error if the caller of this tool has closed them, since the
/// next file that is opened would be taken for them: an empty input, an output and an error that
/// cannot be written.
void keep_standard_files();

} // namespace mesh::host
