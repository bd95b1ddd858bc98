#include "live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace mesh::host {

namespace {

constexpr std::size_t kColumns = 32;
constexpr std::size_t kRows = 16;
constexpr std::size_t kWideMax = 80;

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
    const auto line = [&](const std::string& words) { text += words.substr(0, kWideMax) + "\n"; };
    line(fmt::format("{}, {:.1f} s", now.work, now.seconds));
    line(now.progress);
    line(fmt::format("rate    {:.0f} packets/s",
                     static_cast<double>(now.packets - before.packets) / since));
    line(fmt::format("nodes   {} done, {} gone, of {}", count(&LiveNode::done),
                     count(&LiveNode::gone), now.nodes.size()));
    line(
        fmt::format("faults  of frames: {}; begun: {}", loom.struck_words(), loom.happened.size()));
    return text;
}

} // namespace

std::string live_picture(const LiveRun& now, const LiveRun& before, const LoomCounts& loom) {
    std::string text = head_of(now, before, loom);
    const std::size_t places = kColumns * kRows;
    const std::size_t share = (now.nodes.size() + places - 1) / places; // nodes of one place
    // Rows of a power of two, so that a dimension is a direction.
    const std::size_t signs = (now.nodes.size() + share - 1) / share;
    const std::size_t columns = std::clamp<std::size_t>(std::bit_ceil(signs) / kRows, 8, kColumns);
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
    return text + "        # done, x gone, . quiet, 1 to 9: frames that came lately\n";
}

} // namespace mesh::host
