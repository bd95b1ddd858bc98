#include "console_text.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

namespace mesh::host {

namespace {

using Lines = std::vector<std::string>;

std::string shown(const Lines& lines, std::size_t at) {
    return at < lines.size() ? fmt::format("'{}'", lines[at]) : std::string("nothing more");
}

std::map<std::uint32_t, Lines> read(const std::string& path) {
    std::map<std::uint32_t, Lines> lines;
    std::ifstream file(path);
    unsigned number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        std::uint32_t node = 0;
        const auto [end, error] = std::from_chars(line.data() + 1, line.data() + line.size(), node);
        const std::string_view rest(end, static_cast<std::size_t>(line.data() + line.size() - end));
        if (!line.starts_with('[') || error != std::errc{} || !rest.starts_with("] "))
            throw RunError(fmt::format("--expect {}:{}: is not `[node] text`", path, number));
        lines[node].emplace_back(rest.substr(2));
    }
    return lines;
}

} // namespace

std::string ConsoleText::difference_to(const std::string& path) const {
    auto expected = read(path);
    for (const auto& [node, lines] : lines_)
        expected[node]; // nothing, if it is not there
    for (const auto& [node, wanted] : expected) {
        const auto found = lines_.find(node);
        const Lines said = found == lines_.end() ? Lines{} : found->second;
        const auto place = std::ranges::mismatch(wanted, said);
        const auto at = static_cast<std::size_t>(place.in1 - wanted.begin());
        if (at != std::max(wanted.size(), said.size()))
            return fmt::format("node {} says {} in its line {}, not {} as in {}", node,
                               shown(said, at), at + 1, shown(wanted, at), path);
    }
    return {};
}

} // namespace mesh::host
