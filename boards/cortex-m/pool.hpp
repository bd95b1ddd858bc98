// How many packets a node keeps: as many as the trees of the largest network that the chip is made
// for, and its processes that take messages, need. board.json says the same where it is fewer than
// a simulation has.
#pragma once

#include "board.hpp"
#include "chip.hpp"
#include "core/network.hpp"
#include "kernel/base/limits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mesh::board {

/// The largest network of a topology that the chip has ports and places for (kNodesMax).
constexpr Network largest(Topology topology) {
    unsigned dim =
        topology == Topology::star ? std::min(Board::kPorts + 1, kSymbolsMax) : Board::kPorts;
    while (dim > 1 && (node_count({topology, static_cast<std::uint8_t>(dim)}) > chip::kNodesMax ||
                       (topology == Topology::uhc && dim % 2 != 0)))
        --dim;
    return {topology, static_cast<std::uint8_t>(dim)};
}

/// The longest way back of an answer in all these networks.
inline constexpr unsigned kWayBackLinksMax =
    std::max({height(largest(Topology::cube), Rule::disjoint),
              height(largest(Topology::uhc), Rule::disjoint),
              height(largest(Topology::star), Rule::disjoint)});
inline constexpr std::size_t kBuffers =
    limits::pool_buffers_min(chip::kPathLinksMax, kWayBackLinksMax, chip::kMessageReceivers,
                             Board::capabilities().receivers);
static_assert(chip::kMessageReceivers <= chip::kProcesses);

} // namespace mesh::board
