// The board of an image: serial lines of the chip that it is built for.
#pragma once

#include "boards/cortex-m/systick.hpp"
#include "boards/serial/serial_board.hpp"
#include "chip.hpp"

namespace mesh::board {

/// The only one of its kind in an image.
class Board : public SerialBoard<chip::Chip> {
public:
    Board();
};

/// The board whose interrupts are on.
Board& the_board();

static_assert(hal::Board<Board> && hal::HasPreemption<Board>);

} // namespace mesh::board
