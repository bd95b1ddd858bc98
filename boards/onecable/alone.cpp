#include "image_board.hpp"

#include "boards/cortex-m/crash_record.hpp"
#include "chip.hpp"

namespace mesh::board {

namespace {

// Memory that a reset leaves as it is.
[[gnu::section(".noinit")]] Relay::Kept kept;
[[gnu::section(".noinit")]] AloneMemory memory;

ImageBoard* the_image_board = nullptr;

void restart() {
    if (the_image_board != nullptr)
        the_image_board->remember();
    forget_resets();
    reset_processor();
}

/// To the line that would be the host's, on which nothing else is sent.
void print(std::span<const std::byte> text) {
    constexpr unsigned kLine = Board::kPorts;
    for (const std::byte byte : text) {
        while (chip::Chip::room(kLine) == 0) {
        }
        chip::Chip::write(kLine, byte);
    }
}

} // namespace

ImageBoard::ImageBoard() : CountedBoard(kMadeFor, kept, memory, restart, print) {
    the_image_board = this;
    send_crash_record_as(wire::to_mac(identity()), port_to_host());
}

} // namespace mesh::board
