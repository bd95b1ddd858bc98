#include "image_board.hpp"

#include "boards/cortex-m/crash_record.hpp"

namespace mesh::board {

namespace {

/// Memory of the relay that a reset leaves as it is.
[[gnu::section(".noinit")]] Relay::Kept kept;

/// Where power has just come it holds anything; of resets that are forgotten the run stays.
Relay::Kept& known() {
    if (resets() == 0)
        kept.life = 0;
    return kept;
}

void restart() {
    forget_resets();
    reset_processor();
}

} // namespace

ImageBoard::ImageBoard() : CountedBoard(kMadeFor, known(), restart) {
    send_crash_record_as(wire::to_mac(identity()), port_to_host());
}

} // namespace mesh::board
