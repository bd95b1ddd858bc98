#include "console_text.hpp"

#include "console_line.hpp"
#include "errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace mesh::host {

std::string ConsoleText::shown(const Lines& lines, std::size_t at) {
    return at < lines.size() ? fmt::format("'{}'", lines[at]) : std::string("nothing more");
}

void ConsoleText::add_beside(const ConsoleText& expected, std::uint32_t node,
                             std::string_view line) {
    const auto wanted = expected.lines_.find(node);
    if (Lines& lines = lines_[node];
        lines.size() <= (wanted == expected.lines_.end() ? 0 : wanted->second.size()))
        lines.emplace_back(line);
}

/// Lines may end as those of other systems do, and the last line may be empty: editors leave files
/// so.
ConsoleText ConsoleText::read(const std::string& path) {
    ConsoleText text;
    std::ifstream file(path);
    unsigned number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.ends_with('\r'))
            line.pop_back();
        if (line.empty() && file.peek() == std::ifstream::traits_type::eof())
            break;
        const auto read = console_line(line);
        if (!read)
            refuse("--expect {}:{}: is not `[node] text`", path, number);
        text.add(read->node, read->text);
    }
    if (!file.eof() || file.bad())
        refuse("--expect '{}': cannot be read", path);
    return text;
}

std::string ConsoleDifference::words() const {
    return fmt::format("node {} says {} in its line {}, not {} as in {}", node, said, line,
                       expected, file);
}

std::optional<ConsoleDifference> ConsoleText::difference_to(const ConsoleText& expected,
                                                            const std::string& path) const {
    std::map<std::uint32_t, Lines> all = expected.lines_;
    for (const auto& [node, lines] : lines_)
        all[node]; // nothing, if it is not there
    for (const auto& [node, wanted] : all) {
        const auto found = lines_.find(node);
        const Lines said = found == lines_.end() ? Lines{} : found->second;
        const auto place = std::ranges::mismatch(wanted, said);
        const auto at = static_cast<std::size_t>(place.in1 - wanted.begin());
        if (at != std::max(wanted.size(), said.size()))
            return ConsoleDifference{node, at + 1, shown(said, at), shown(wanted, at), path};
    }
    return std::nullopt;
}

} // namespace mesh::host
