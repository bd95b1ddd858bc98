// How many packets a node keeps: what the trees of the largest network that the chip is made for
// and its processes that take messages need. board.json says the same where it is fewer than a
// simulation has.
#pragma once

#include "board.hpp"
#include "chip.hpp"
#include "kernel/base/limits.hpp"

#include <cstddef>

namespace mesh::board {

inline constexpr std::size_t kBuffers = limits::pool_buffers_min(
    chip::kPathLinksMax, chip::kMessageReceivers, Board::capabilities().receivers);
static_assert(chip::kMessageReceivers <= chip::kProcesses);

} // namespace mesh::board
