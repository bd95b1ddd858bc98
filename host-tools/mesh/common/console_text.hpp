// What the console of a run showed, to be compared with a file: which node says something first is
// chance, so the lines of each node are compared in their order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

class ConsoleText {
public:
    void add(std::uint32_t node, std::string_view line) { lines_[node].emplace_back(line); }

    /// Keeps a line, unless the node has one line more than expected already: the first difference
    /// is known by then, however many lines come.
    void add_beside(const ConsoleText& expected, std::uint32_t node, std::string_view line);

    /// Reads a file with lines `[node] text`. UsageError: it has others, or cannot be read.
    static ConsoleText read(const std::string& path);
    /// The first difference to what was expected, as `path` has it, in words; nothing if there is
    /// none.
    std::string difference_to(const ConsoleText& expected, const std::string& path) const;

private:
    using Lines = std::vector<std::string>;
    static std::string shown(const Lines& lines, std::size_t at);

    std::map<std::uint32_t, Lines> lines_;
};

} // namespace mesh::host
