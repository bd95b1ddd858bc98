#include "image_board.hpp"

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/crash_record.hpp"
#include "boards/cortex-m/regs.hpp"

namespace mesh::board {

namespace {

/// "BOARD/relay KERNEL".
constexpr std::string_view kMadeFor =
#include "made_for.inc"
    ;

/// Memory of the relay that a reset leaves as it is.
[[gnu::section(".noinit")]] Relay::Kept kept;

/// [V7M] B3.2.6 AIRCR: the key, and SYSRESETREQ.
constexpr std::uint32_t kResetRequest = 0x05FA'0004;

void restart() {
    regs::at<regs::Scb>(regs::kScb).aircr = kResetRequest;
    for (;;)
        wait_for_interrupt();
}

} // namespace

ImageBoard::ImageBoard() : RelayBoard(kMadeFor, kept, restart) {
    send_crash_record_as(wire::to_mac(identity()), port_to_host());
}

} // namespace mesh::board
