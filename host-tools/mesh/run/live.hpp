// The picture of --live: a run as it goes, in a terminal of any size.
#pragma once

#include "host-tools/mesh/cables/loom.hpp"
#include "host-tools/mesh/rig/run_plan.hpp"
#include "progress.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace mesh::host {

/// A node as the picture shows it.
struct LiveNode {
    bool done = false;
    bool gone = false;
    std::uint32_t delivered = 0; // frames, since its reset
};

/// The state of a run at one moment, as the host tool knows it.
struct LiveRun {
    std::string work;
    std::string progress; // in words
    double seconds = 0;
    std::uint64_t packets = 0;
    std::vector<LiveNode> nodes;
};

/// Lines that fit a terminal of this size, one row less than it has, each ended: the nodes that are
/// done, those that are gone, and how busy each of the others was since `before`. Many nodes share
/// a place, which shows the busiest. Less than 24 columns or 12 rows have room for a part only.
std::string live_picture(const LiveRun& now, const LiveRun& before, const LoomCounts& loom,
                         TerminalSize size);

} // namespace mesh::host
