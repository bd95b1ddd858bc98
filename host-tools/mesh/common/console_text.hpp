// The console of a run, to be compared with a file. Nodes print in any order, so the lines of each
// node are compared in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The first line in which a console is not what was expected.
struct ConsoleDifference {
    std::uint32_t node = 0;
    std::size_t line = 0; // of this node, from 1
    std::string said;     // in quotes, or "nothing more"
    std::string expected; // the same
    std::string file;     // that has what was expected

    std::string words() const;
};

class ConsoleText {
public:
    void add(std::uint32_t node, std::string_view line) { lines_[node].emplace_back(line); }

    /// Keeps a line, unless the node has one line more than expected already: the first difference
    /// is known by then, however many lines come. A note (console_line.hpp) is not kept.
    void add_beside(const ConsoleText& expected, std::uint32_t node, std::string_view line);

    /// Reads a file with lines `[node] text`. UsageError: it has others, or cannot be read.
    static ConsoleText read(const std::string& path);
    /// The first difference to what was expected, as `path` has it; nothing if there is none.
    std::optional<ConsoleDifference> difference_to(const ConsoleText& expected,
                                                   const std::string& path) const;

private:
    using Lines = std::vector<std::string>;
    static std::string shown(const Lines& lines, std::size_t at);

    std::map<std::uint32_t, Lines> lines_;
};

} // namespace mesh::host
