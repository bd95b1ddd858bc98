// Aspeed AST1030 (QEMU: ast1030-evb): thirteen 16550 UARTs with FIFOs of 16 bytes, timers, 768 KB
// of SRAM for code and data.
//
// Registers, by the names of their manuals:
//   [16550]  National Semiconductor PC16550D data sheet, section 8; here each in a word of its own
//   [AST]    Aspeed AST1030 data sheet, chapters "Memory map", "Interrupt sources" and "Timer"
//
// QEMU connects its serial lines to UART 5 (line 0), 1 to 4, and 6 to 12; UART 13 to none. It does
// not model how fast a line is: bytes leave at once. Its receiver raises an interrupt when 14 bytes
// have come, or some time after the last one, always as long as on a slow line: so senders fill up
// the last 14.
#pragma once

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/regs.hpp"
#include "boards/cortex-m/systick.hpp"
#include "boards/serial/line_interrupt.hpp"
#include "wire/identity.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::board::chip {

/// One UART: [16550] 8.0, by [AST] with a stride of four bytes.
struct Uart {
    regs::Register data; // RBR, THR; divisor's low byte
    regs::Register interrupts;
    regs::Register identification; // IIR; FCR
    regs::Register line_control;
    regs::Register modem_control;
    regs::Register line_status;
};

struct Place {
    std::uintptr_t address;
    unsigned interrupt;
};

inline constexpr unsigned kPorts = 11;
/// The UARTs of the ports, and the host's last.
inline constexpr std::array<Place, kPorts + 1> kUarts{{{0x7E78'3000, 47},
                                                       {0x7E78'D000, 48},
                                                       {0x7E78'E000, 49},
                                                       {0x7E78'F000, 50},
                                                       {0x7E79'0000, 57},
                                                       {0x7E79'0100, 58},
                                                       {0x7E79'0200, 59},
                                                       {0x7E79'0300, 60},
                                                       {0x7E79'0400, 61},
                                                       {0x7E79'0500, 62},
                                                       {0x7E79'0600, 63},
                                                       {0x7E78'4000, 8}}};

inline constexpr auto kLineInterrupts = one_interrupt_a_line(kUarts);
inline constexpr unsigned kInterrupts = 256;

inline constexpr std::uint32_t kProcessorHz = 200'000'000;
inline constexpr std::uintptr_t kDevicesStart = 0x7E60'0000;
inline constexpr std::uintptr_t kDevicesEnd = 0x7E80'0000;
/// The last 16 bytes of RAM, behind the memory that linker/ast1030-evb.ld gives away.
inline constexpr std::uintptr_t kIdentity = 0x000B'FFF0;

/// Longer paths (of hp, at --dim 7) take buffers from messages; beyond the pool they are refused.
inline constexpr unsigned kPathLinksMax = 63;
inline constexpr unsigned kProcesses = kPorts + 2;
inline constexpr unsigned kMessageReceivers = 8;
inline constexpr std::size_t kNodesMax = 1024; // of a mesh, 10 bytes each
inline constexpr std::size_t kArenaBytes = 26 * 1024;
inline constexpr std::size_t kWorkspaceBytes = 140 * 1024;

/// [AST] "Timer": counts down.
struct Timer1 {
    regs::Register value;
    regs::Register reload;
    regs::Register match[2];
    regs::Register others[8];
    regs::Register control; // 0x30
};
static_assert(offsetof(Timer1, control) == 0x30);
inline constexpr std::uintptr_t kTimers = 0x7E78'2000;
inline constexpr std::uint32_t kTimer1Enable = 1u << 0;
inline constexpr std::uint32_t kTimer1Mhz = 1u << 1; // its clock is the one of 1 MHz

/// See SerialChip in boards/serial/serial_board.hpp.
struct Chip {
    static constexpr unsigned kPorts = chip::kPorts;
    /// The rate with a UART clock of 24 MHz, which is divided by 16 and by the divisor.
    static constexpr std::uint32_t kBitsPerSecond = 500'000;
    static constexpr std::uint32_t kRingBytes = 4096;
    using Guard = InterruptGuard;
    using Timer = SysTick;

    static wire::Mac address() { return *reinterpret_cast<const wire::Mac*>(kIdentity); }

    static void init(unsigned line) {
        if (line == 0)
            start_clock();
        Uart& uart = at(line);
        uart.line_control = kDivisorAccess | kEightBits;
        uart.data = kDivisor;
        uart.interrupts = 0; // divisor's high byte
        uart.line_control = kEightBits;
        uart.identification = kFifosOn | kFifosClear | kTrigger14;
        // Bytes that came before the FIFO was on are gone; QEMU looks at the line's socket again
        // when a byte is read.
        static_cast<void>(uart.data);
        uart.interrupts = kReceived;
        interrupt_enable(kUarts[line].interrupt);
    }
    static void listen(unsigned line, bool on) { set(line, kReceived, on); }
    static unsigned waiting(unsigned line) {
        Uart& uart = at(line);
        switch (uart.identification & kIdentifies) {
        case kReachedTrigger: return kTrigger;
        case kTimedOut: return (uart.line_status & kDataReady) != 0 ? 1 : 0;
        default: return 0;
        }
    }
    static std::byte read(unsigned line) { return static_cast<std::byte>(at(line).data); }
    static unsigned room(unsigned line) {
        return (at(line).line_status & kTransmitterEmpty) != 0 ? kFifo : 0;
    }
    static void write(unsigned line, std::byte byte) {
        at(line).data = std::to_integer<std::uint32_t>(byte);
    }
    static void tell_room(unsigned line, bool on) { set(line, kHasRoom, on); }
    static bool drained(unsigned line) { return (at(line).line_status & kAllSent) != 0; }

    static std::uint32_t counter_us() { return ~regs::at<Timer1>(kTimers).value; }
    static void sleep() { wait_for_interrupt(); }
    static void silence() {
        for (const Place& uart : kUarts)
            interrupt_disable(uart.interrupt);
    }

private:
    static constexpr std::uint32_t kDivisor = 24'000'000 / 16 / kBitsPerSecond;
    static constexpr std::uint32_t kReceived = 1u << 0; // [16550] 8.6 IER
    static constexpr std::uint32_t kHasRoom = 1u << 1;
    static constexpr std::uint32_t kIdentifies = 0x0F; // 8.5 IIR
    static constexpr std::uint32_t kReachedTrigger = 0x04;
    static constexpr std::uint32_t kTimedOut = 0x0C;
    static constexpr std::uint32_t kFifosOn = 1u << 0; // 8.4 FCR
    static constexpr std::uint32_t kFifosClear = 3u << 1;
    static constexpr std::uint32_t kTrigger14 = 3u << 6;
    static constexpr std::uint32_t kEightBits = 3u; // 8.1 LCR
    static constexpr std::uint32_t kDivisorAccess = 1u << 7;
    static constexpr std::uint32_t kDataReady = 1u << 0; // 8.3 LSR
    static constexpr std::uint32_t kTransmitterEmpty = 1u << 5;
    static constexpr std::uint32_t kAllSent = 1u << 6;
    static constexpr unsigned kFifo = 16;
    static constexpr unsigned kTrigger = 14;

    static Uart& at(unsigned line) { return regs::at<Uart>(kUarts[line].address); }
    static void set(unsigned line, std::uint32_t which, bool on) {
        Uart& uart = at(line);
        uart.interrupts = on ? uart.interrupts | which : uart.interrupts & ~which;
    }
    static void start_clock() {
        Timer1& timer = regs::at<Timer1>(kTimers);
        timer.reload = ~0u;
        timer.control = kTimer1Enable | kTimer1Mhz;
    }
};

} // namespace mesh::board::chip
