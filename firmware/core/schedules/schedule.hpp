// The orders in which blocks of a personalised operation may leave their sources, by name. What an
// order means is said by scatter_order.hpp and cycles.hpp, for the other networks by
// path_choice.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mesh {

/// In which order a source sends. The first five send single packets that find their way; the next
/// two move bundles of blocks in cycles that all nodes share. On the UHC and the star: rbf, and the
/// last three (path_choice.hpp).
enum class Schedule : std::uint8_t {
    gray,       // destinations in descending order: ports as in the Gray code
    port,       // one port after the other, each in postorder
    postorder,  // every port has its own list, in postorder
    rbf,        // the same, farthest first (reverse breadth-first)
    roundrobin, // the ports in turn, each list in postorder
    level,      // bundles, the farthest level first; all ports at once
    subtree,    // bundles, each for a whole subtree
    queue,      // everything at once; what shares a link queues
    necklace,   // in rounds of rotated packets that never meet
    dfs_ack,    // allgather: depth first, every node waits for its child's acknowledgement
    kCount
};

constexpr std::string_view name(Schedule schedule) {
    constexpr std::array<std::string_view, 10> kNames{"gray",       "port",   "postorder", "rbf",
                                                      "roundrobin", "level",  "subtree",   "queue",
                                                      "necklace",   "dfs-ack"};
    return kNames[static_cast<std::size_t>(schedule)];
}

constexpr bool in_cycles(Schedule schedule) {
    return schedule == Schedule::level || schedule == Schedule::subtree;
}

} // namespace mesh
