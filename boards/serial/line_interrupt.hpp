// The interrupts of a chip, as it declares them; boards/serial makes the vector table of them.
#pragma once

#include <array>
#include <cstddef>

namespace mesh::board {

/// An interrupt of the chip, and the line whose bytes or room it tells of. A line may have several.
struct LineInterrupt {
    unsigned interrupt;
    unsigned line;
};

/// The interrupts of a chip whose lines have one each, for bytes and room: `places` of the lines
/// say which.
template <class Place, std::size_t kLines>
constexpr std::array<LineInterrupt, kLines>
one_interrupt_a_line(const std::array<Place, kLines>& places) {
    std::array<LineInterrupt, kLines> all{};
    for (unsigned line = 0; line < kLines; ++line)
        all[line] = {places[line].interrupt, line};
    return all;
}

} // namespace mesh::board
