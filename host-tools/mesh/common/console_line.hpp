// A line of a console, as a run prints it and a file of --expect has it: `[node] text`.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace mesh::host {

/// A line whose text begins so is shown, and compared with nothing.
inline constexpr std::string_view kNote = "note: ";

struct ConsoleLine {
    std::uint32_t node = 0;
    std::string_view text; // of the line that was read
};

/// Nothing if it is no such line. A line of no text may be without its blank.
inline std::optional<ConsoleLine> console_line(std::string_view line) {
    ConsoleLine read;
    if (!line.starts_with('['))
        return std::nullopt;
    const auto [end, error] =
        std::from_chars(line.data() + 1, line.data() + line.size(), read.node);
    read.text = {end, static_cast<std::size_t>(line.data() + line.size() - end)};
    if (error != std::errc{} || (read.text != "]" && !read.text.starts_with("] ")))
        return std::nullopt;
    read.text.remove_prefix(std::min<std::size_t>(2, read.text.size()));
    return read;
}

} // namespace mesh::host
