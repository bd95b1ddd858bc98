// How many packets a node keeps: what the trees of the largest network that the chip is made for
// and its processes that take messages need. board.json says the same where it is fewer than a
// simulation has.
#pragma once

#include "board.hpp"
#include "chip.hpp"
#include "core/network.hpp"
#include "kernel/base/limits.hpp"

#include <algorithm>
#include <cstddef>

namespace mesh::board {

/// Of the answers of all networks that the chip has ports for.
inline constexpr unsigned kWayBackLinksMax =
    std::max({height({Topology::cube, Board::kPorts}, Rule::disjoint),
              height({Topology::uhc, Board::kPorts & ~1u}, Rule::disjoint),
              height({Topology::star, std::min(Board::kPorts + 1, 6u)}, Rule::disjoint)});
inline constexpr std::size_t kBuffers =
    limits::pool_buffers_min(chip::kPathLinksMax, kWayBackLinksMax, chip::kMessageReceivers,
                             Board::capabilities().receivers);
static_assert(chip::kMessageReceivers <= chip::kProcesses);

} // namespace mesh::board
