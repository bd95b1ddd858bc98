#include "wrap.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesh::host {

namespace {

/// Where a line that is too long is broken: at its last blank with words before it that leaves no
/// more than `columns`, else at the next blank; its end if there is none.
std::size_t break_of(std::string_view line, std::size_t columns, std::size_t indent) {
    const std::size_t first = line.find_first_not_of(' ', indent);
    const std::size_t last = line.rfind(' ', columns);
    if (last != std::string_view::npos && first != std::string_view::npos && last > first)
        return last;
    return std::min(line.find(' ', std::max(columns, first)), line.size());
}

} // namespace

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
    std::string shown;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string line(text.substr(0, end));
        while (line.size() > columns) {
            const std::size_t at = break_of(line, columns, indent);
            const std::size_t next = line.find_first_not_of(' ', at);
            shown += line.substr(0, at);
            if (next == std::string::npos) {
                line.clear();
                break;
            }
            shown += '\n';
            line = std::string(indent, ' ') + line.substr(next);
        }
        shown += line;
        if (end < text.size())
            shown += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return shown;
}

std::string in_columns(const std::string& name, const std::string& meaning) {
    constexpr std::size_t kMeaningColumn = 30;
    if (meaning.empty())
        return name + "\n";
    const std::string row = name.size() < kMeaningColumn
                                ? fmt::format("{:<{}}", name, kMeaningColumn)
                                : name + "\n" + std::string(kMeaningColumn, ' ');
    return wrapped(row + meaning, kTextColumns, kMeaningColumn) + "\n";
}

std::string counted(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

} // namespace mesh::host
