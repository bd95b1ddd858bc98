// The order of console lines in lockstep. Emulators run side by side, so that their lines come in
// any order; what nodes print between two rounds of the loom depends on the seed alone. So the
// lines of a round are kept until it is over, and go out by the number of their node.
#pragma once

#include "core/base/types.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

class ConsoleOrder {
public:
    using Print = std::function<void(NodeId, std::string_view)>;

    explicit ConsoleOrder(Print print) : print_(std::move(print)) {}
    ConsoleOrder(const ConsoleOrder&) = delete;
    ConsoleOrder& operator=(const ConsoleOrder&) = delete;
    /// No line is lost, however the run ends.
    ~ConsoleOrder() { flush(); }

    /// A line that `from` printed in this round. A round of more than bounds::kRoundBytesMax goes
    /// out in parts.
    void add(std::uint64_t round, NodeId from, std::string_view line);
    /// The rounds before this one are over.
    void begin(std::uint64_t round);
    void flush();

private:
    Print print_;
    std::vector<std::pair<NodeId, std::string>> lines_;
    std::size_t bytes_ = 0;
    std::uint64_t round_ = 0;
};

} // namespace mesh::host
