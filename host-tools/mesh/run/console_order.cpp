#include "console_order.hpp"

#include "host-tools/mesh/cables/bounds.hpp"

#include <algorithm>

namespace mesh::host {

void ConsoleOrder::add(std::uint64_t round, NodeId from, std::string_view line) {
    begin(round);
    lines_.emplace_back(from, line);
    bytes_ += line.size() + sizeof lines_.back();
    if (bytes_ > bounds::kRoundBytesMax)
        flush();
}

void ConsoleOrder::begin(std::uint64_t round) {
    if (std::exchange(round_, round) != round)
        flush();
}

void ConsoleOrder::flush() {
    std::stable_sort(lines_.begin(), lines_.end(), [](const auto& one, const auto& other) {
        return index(one.first) < index(other.first);
    });
    for (const auto& [from, line] : std::exchange(lines_, {}))
        print_(from, line);
    bytes_ = 0;
}

} // namespace mesh::host
