// What a chip says of its interrupts; boards/serial makes the vector table of it.
#pragma once

namespace mesh::board {

/// An interrupt of the chip, and the line whose bytes or room it tells of. A line may have several.
struct LineInterrupt {
    unsigned interrupt;
    unsigned line;
};

} // namespace mesh::board
