#include "live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace mesh::host {

namespace {

// Places for nodes: powers of two, so that a dimension is a direction.
constexpr std::size_t kColumnsMin = 8;
constexpr std::size_t kColumnsMax = 32;
constexpr std::size_t kRowsMin = 4;
constexpr std::size_t kRowsMax = 16;
constexpr std::size_t kMargin = 7;     // columns for the number of a row's first node
constexpr std::size_t kOtherLines = 7; // five above the nodes, one below, one for the cursor

/// One sign for the nodes first .. last-1: x gone, # done, else how busy the busiest is, 1 to 9.
char sign_of(const LiveRun& now, const LiveRun& before, std::size_t first, std::size_t last,
             std::uint32_t most) {
    bool done = true;
    std::uint32_t came = 0;
    for (std::size_t node = first; node < last; ++node) {
        if (now.nodes[node].gone)
            return 'x';
        done = done && now.nodes[node].done;
        const std::uint32_t then = node < before.nodes.size() ? before.nodes[node].delivered : 0;
        came =
            std::max(came, now.nodes[node].delivered - std::min(then, now.nodes[node].delivered));
    }
    if (done)
        return '#';
    return came == 0 ? '.' : static_cast<char>('1' + std::uint64_t{8} * came / std::max(most, 1u));
}

std::uint32_t most_of(const LiveRun& now, const LiveRun& before) {
    std::uint32_t most = 0;
    for (std::size_t node = 0; node < now.nodes.size(); ++node) {
        const std::uint32_t then = node < before.nodes.size() ? before.nodes[node].delivered : 0;
        most =
            std::max(most, now.nodes[node].delivered - std::min(then, now.nodes[node].delivered));
    }
    return most;
}

std::string head_of(const LiveRun& now, const LiveRun& before, const LoomCounts& loom) {
    const auto count = [&](auto what) { return std::ranges::count_if(now.nodes, what); };
    const double since = std::max(now.seconds - before.seconds, 1e-3);
    std::string text;
    const auto line = [&](const std::string& words) { text += words + "\n"; };
    line(fmt::format("{}, {:.1f} s", now.work, now.seconds));
    line(now.progress);
    line(fmt::format("rate    {:.0f} packets/s",
                     static_cast<double>(now.packets - before.packets) / since));
    line(fmt::format("nodes   {} done, {} gone, of {}; cuts, kills and the like so far: {}",
                     count(&LiveNode::done), count(&LiveNode::gone), now.nodes.size(),
                     loom.happened.size()));
    line(fmt::format("faults  of frames: {}", loom.struck_words()));
    return text;
}

/// The part of the text that the terminal can show without moving up.
std::string cut_to(std::string_view text, TerminalSize size) {
    std::string shown;
    for (std::size_t row = 1; row < size.rows && !text.empty(); ++row) {
        const std::size_t end = text.find('\n');
        shown += text.substr(0, std::min(end, size.columns));
        shown += '\n';
        text.remove_prefix(end + 1);
    }
    return shown;
}

} // namespace

std::string live_picture(const LiveRun& now, const LiveRun& before, const LoomCounts& loom,
                         TerminalSize size) {
    std::string text = head_of(now, before, loom);
    const std::size_t wide = size.columns > kMargin ? (size.columns - kMargin) / 2 : 1;
    const std::size_t high = size.rows > kOtherLines ? size.rows - kOtherLines : 1;
    const std::size_t columns_max = std::clamp(std::bit_floor(wide), kColumnsMin, kColumnsMax);
    const std::size_t rows_max = std::clamp(std::bit_floor(high), kRowsMin, kRowsMax);
    const std::size_t places = columns_max * rows_max;
    const std::size_t share = (now.nodes.size() + places - 1) / places; // nodes of one place
    const std::size_t signs = (now.nodes.size() + share - 1) / share;
    const std::size_t columns =
        std::clamp(std::bit_ceil(signs) / rows_max, kColumnsMin, columns_max);
    const std::uint32_t most = most_of(now, before);
    for (std::size_t first = 0; first < now.nodes.size(); first += columns * share) {
        fmt::format_to(std::back_inserter(text), "{:>6} ", first);
        const std::size_t end = std::min(now.nodes.size(), first + columns * share);
        for (std::size_t at = first; at < end; at += share) {
            text += ' ';
            text += sign_of(now, before, at, std::min(end, at + share), most);
        }
        text += '\n';
    }
    text += "        # done, x gone, . quiet, 1 to 9: frames that came lately\n";
    return cut_to(text, size);
}

} // namespace mesh::host
