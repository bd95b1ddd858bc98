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

    /// The first difference to what a file with lines `[node] text` has, in words; nothing if there
    /// is none. RunError: it has other lines.
    std::string difference_to(const std::string& path) const;

private:
    std::map<std::uint32_t, std::vector<std::string>> lines_;
};

} // namespace mesh::host
