// Lines and time of the FPGA images for Arm's MPS boards: CMSDK UARTs without FIFOs, and the
// counter of FPGAIO.
//
// Registers, by the names of their manuals:
//   [CMSDK]  Cortex-M System Design Kit (DDI 0479), "APB UART"
//   [AN385]  Application Note AN385 (DAI 0385), chapter "FPGA system control"
//
// Both interrupts of a UART tell of an event once: there is no new interrupt for a byte that a
// program leaves in the receiver, nor for room that it was not told of. So they stay on in the
// UART, where they are cleared with each byte, and are held back in the interrupt controller.
#pragma once

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/regs.hpp"
#include "boards/serial/line_interrupt.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::board {

/// [CMSDK] one UART.
struct CmsdkUart {
    regs::Register data;
    regs::Register state;
    regs::Register control;
    regs::Register interrupts; // INTSTATUS; written: INTCLEAR
    regs::Register divisor;
};

struct CmsdkPlace {
    std::uintptr_t address;
    unsigned received; // interrupt; the next one says that there is room
};

/// The interrupts of lines that have two each.
template <std::size_t kLines>
constexpr std::array<LineInterrupt, 2 * kLines>
two_interrupts_a_line(const std::array<CmsdkPlace, kLines>& places) {
    std::array<LineInterrupt, 2 * kLines> all{};
    for (unsigned at = 0; at < all.size(); ++at)
        all[at] = {places[at / 2].received + at % 2, at / 2};
    return all;
}

/// [AN385] FPGAIO: a counter of 32 bits that goes up each time its prescaler has reached 0.
struct FpgaIo {
    regs::Register others[6];
    regs::Register counter; // 0x18
    regs::Register prescale;
};
static_assert(offsetof(FpgaIo, counter) == 0x18);

/// A part of a SerialChip: its lines are at `kUarts`, its counter at `kFpgaIo`.
template <const auto& kUarts, std::uintptr_t kFpgaIo>
class MpsLines {
public:
    static void listen(unsigned line, bool on) { hold(kUarts[line].received, on); }
    static unsigned waiting(unsigned line) { return (at(line).state & kReceiverFull) != 0 ? 1 : 0; }
    static std::byte read(unsigned line) {
        at(line).interrupts = kReceived;
        return static_cast<std::byte>(at(line).data);
    }
    static unsigned room(unsigned line) { return (at(line).state & kTransmitterFull) != 0 ? 0 : 1; }
    static void write(unsigned line, std::byte byte) {
        at(line).interrupts = kHasRoom;
        at(line).data = std::to_integer<std::uint32_t>(byte);
    }
    static void tell_room(unsigned line, bool on) { hold(kUarts[line].received + 1, on); }
    /// The UART does not say whether the last byte has left its shift register, too.
    static bool drained(unsigned line) { return room(line) != 0; }

    static std::uint32_t counter_us() { return regs::at<FpgaIo>(kFpgaIo).counter; }
    static void sleep() { wait_for_interrupt(); }
    static void silence() {
        for (const CmsdkPlace& uart : kUarts) {
            interrupt_disable(uart.received);
            interrupt_disable(uart.received + 1);
        }
    }

protected:
    /// `counter_hz`: of the clock that FPGAIO divides.
    static void start_clock(std::uint32_t counter_hz) {
        regs::at<FpgaIo>(kFpgaIo).prescale = counter_hz / 1'000'000 - 1;
    }
    static void start_line(unsigned line, std::uint32_t divisor) {
        CmsdkUart& uart = at(line);
        uart.divisor = divisor;
        uart.control = kSends | kReceives | kTellsRoom | kTellsReceived;
        // QEMU looks at the line's socket again when a byte is read, not when the receiver is on.
        static_cast<void>(uart.data);
        listen(line, true);
    }

private:
    static constexpr std::uint32_t kTransmitterFull = 1u << 0; // [CMSDK] STATE
    static constexpr std::uint32_t kReceiverFull = 1u << 1;
    static constexpr std::uint32_t kSends = 1u << 0; // CTRL
    static constexpr std::uint32_t kReceives = 1u << 1;
    static constexpr std::uint32_t kTellsRoom = 1u << 2;
    static constexpr std::uint32_t kTellsReceived = 1u << 3;
    static constexpr std::uint32_t kHasRoom = 1u << 0; // INTSTATUS, INTCLEAR
    static constexpr std::uint32_t kReceived = 1u << 1;

    static CmsdkUart& at(unsigned line) { return regs::at<CmsdkUart>(kUarts[line].address); }
    static void hold(unsigned interrupt, bool on) {
        if (on)
            interrupt_enable(interrupt);
        else
            interrupt_disable(interrupt);
    }
};

} // namespace mesh::board
