#include "console_text.hpp"

#include "clean_text.hpp"
#include "console_line.hpp"
#include "errors.hpp"
#include "text_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesh::host {

namespace {
constexpr std::size_t kLineShownMax = 80;
} // namespace

std::string ConsoleText::shown(const Lines& lines, std::size_t at) {
    return at < lines.size() ? fmt::format("'{}'", lines[at]) : std::string("nothing more");
}

void ConsoleText::add_beside(const ConsoleText& expected, std::uint32_t node,
                             std::string_view line) {
    if (line.starts_with(kNote))
        return;
    const auto wanted = expected.lines_.find(node);
    if (Lines& lines = lines_[node];
        lines.size() <= (wanted == expected.lines_.end() ? 0 : wanted->second.size()))
        lines.emplace_back(line);
}

/// The last line may be empty: editors leave files so.
ConsoleText ConsoleText::read(const std::string& path) {
    ConsoleText expected;
    const std::string text = read_text(path, "--expect");
    std::vector<std::string_view> lines = lines_in(text);
    if (!lines.empty() && lines.back().empty())
        lines.pop_back();
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const auto read = console_line(lines[at]);
        if (!read)
            refuse("--expect {}:{}: '{}' is not `[node] text`", path, at + 1,
                   cleaned(lines[at].substr(0, kLineShownMax)));
        expected.add(read->node, read->text);
    }
    return expected;
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
