// Stellaris LM3S6965 of its evaluation kit (QEMU: lm3s6965evb): three UARTs with FIFOs of 16 bytes,
// a watchdog whose counter can be read, 64 KB of SRAM.
//
// Registers, by the names of the manuals:
//   [LM3S]   Stellaris LM3S6965 data sheet, chapters "System Control", "General-Purpose
//            Input/Outputs", "Watchdog Timer" and "UART"
//   [PL011]  Arm PrimeCell UART (DDI 0183), which those UARTs are
//
// QEMU's UART tells of each byte, whatever its trigger is; it can always send, and blocks the
// processor while its socket is full. Its general-purpose timers cannot be read.
#pragma once

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/cycle_counter.hpp"
#include "boards/cortex-m/regs.hpp"
#include "boards/cortex-m/systick.hpp"
#include "boards/serial/line_interrupt.hpp"
#include "wire/identity.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::board::chip {

/// [PL011] 3.2, as far as it is used.
struct Uart {
    regs::Register data;
    regs::Register others[5];
    regs::Register flags; // 0x18, UARTFR
    regs::Register more[2];
    regs::Register divisor; // 0x24, UARTIBRD
    regs::Register divisor_64ths;
    regs::Register line_control; // UARTLCR_H
    regs::Register control;
    regs::Register trigger;    // UARTIFLS
    regs::Register interrupts; // 0x38, UARTIMSC: those that are on
};
static_assert(offsetof(Uart, flags) == 0x18 && offsetof(Uart, interrupts) == 0x38);

/// A UART, its interrupt, and the port of pins (by its letter) that has its two.
struct Place {
    std::uintptr_t address;
    unsigned interrupt;
    std::uintptr_t pins;
    std::uint32_t pin_bits;
};

inline constexpr unsigned kPorts = 2;
/// The UARTs of the ports, 1 and 2, and the host's last, UART0.
inline constexpr std::array<Place, kPorts + 1> kUarts{
    {{0x4000'D000, 6, 0x4000'7000, 0b1100},   // pins D2, D3
     {0x4000'E000, 33, 0x4002'6000, 0b0011},  // G0, G1
     {0x4000'C000, 5, 0x4000'4000, 0b0011}}}; // A0, A1
inline constexpr auto kLineInterrupts = one_interrupt_a_line(kUarts);
inline constexpr unsigned kInterrupts = 44;

inline constexpr std::uint32_t kProcessorHz = 50'000'000;
inline constexpr std::uintptr_t kDevicesStart = 0x4000'0000;
inline constexpr std::uintptr_t kDevicesEnd = 0x4010'0000;
/// The last 16 bytes of RAM, behind the memory that linker/lm3s6965evb.ld gives away.
inline constexpr std::uintptr_t kIdentity = 0x2000'FFF0;

inline constexpr unsigned kPathLinksMax = 3;
/// One climber a port and the program's own, and one that it has for it; of these only two take
/// messages.
inline constexpr unsigned kProcesses = 4;
inline constexpr unsigned kMessageReceivers = 2;
inline constexpr std::size_t kNodesMax = 8; // a mesh of two ports has 6 at most
inline constexpr std::size_t kArenaBytes = 10 * 1024;
inline constexpr std::size_t kWorkspaceBytes = 18 * 1024;

/// [LM3S] "System Control": the clock.
struct SystemControl {
    regs::Register others[20];
    regs::Register raw_interrupts; // 0x050, RIS
    regs::Register more[3];
    regs::Register clock; // 0x060, RCC
    regs::Register rest[39];
    regs::Register gates[3]; // 0x100, RCGC0 to RCGC2: which devices have a clock
};
static_assert(offsetof(SystemControl, raw_interrupts) == 0x50);
static_assert(offsetof(SystemControl, clock) == 0x60 && offsetof(SystemControl, gates) == 0x100);
inline constexpr std::uintptr_t kSystemControl = 0x400F'E000;

/// [LM3S] "Watchdog Timer": counts cycles down, round and round.
struct Watchdog {
    regs::Register load;
    regs::Register value;
    regs::Register control;
};
inline constexpr std::uintptr_t kWatchdog = 0x4000'0000;

/// [LM3S] "General-Purpose Input/Outputs", from the first address of a port of pins.
inline constexpr std::uintptr_t kPinsOfDevice = 0x420; // GPIOAFSEL
inline constexpr std::uintptr_t kPinsDigital = 0x51C;  // GPIODEN

inline constinit CycleCounter<kProcessorHz> cycles_of_chip;

/// See SerialChip in boards/serial/serial_board.hpp.
struct Chip {
    static constexpr unsigned kPorts = chip::kPorts;
    static constexpr std::uint32_t kBitsPerSecond = 500'000;
    static constexpr std::uint32_t kRingBytes = 2048;
    using Guard = InterruptGuard;
    using Timer = SysTick;

    static wire::Mac address() { return *reinterpret_cast<const wire::Mac*>(kIdentity); }

    static void init(unsigned line) {
        if (line == 0)
            start_clocks();
        const Place& place = kUarts[line];
        for (const std::uintptr_t reg : {kPinsOfDevice, kPinsDigital}) {
            regs::Register& pins = regs::at<regs::Register>(place.pins + reg);
            pins = pins | place.pin_bits;
        }
        Uart& uart = at(line);
        uart.control = 0;
        uart.divisor = kDivisor64ths / 64;
        uart.divisor_64ths = kDivisor64ths % 64;
        uart.line_control = kEightBits | kFifosOn; // takes the divisor over
        uart.trigger = kAtHalf;
        uart.control = kOn | kSends | kReceives;
        // QEMU looks at the line's socket again when a byte is read, not when the receiver is on.
        static_cast<void>(uart.data);
        uart.interrupts = kReceived;
        interrupt_enable(place.interrupt);
    }
    static void listen(unsigned line, bool on) { set(line, kReceived, on); }
    static unsigned waiting(unsigned line) {
        const Uart& uart = at(line);
        return (uart.interrupts & kReceived) != 0 && (uart.flags & kNothingCame) == 0 ? 1 : 0;
    }
    static std::byte read(unsigned line) { return static_cast<std::byte>(at(line).data); }
    static unsigned room(unsigned line) {
        const std::uint32_t flags = at(line).flags;
        return (flags & kEmpty) != 0 ? kFifo : (flags & kFull) != 0 ? 0 : 1;
    }
    static void write(unsigned line, std::byte byte) {
        at(line).data = std::to_integer<std::uint32_t>(byte);
    }
    static void tell_room(unsigned line, bool on) { set(line, kHasRoom, on); }
    static bool drained(unsigned line) { return (at(line).flags & (kEmpty | kBusy)) == kEmpty; }

    static std::uint32_t counter_us() {
        return cycles_of_chip.us_at(~regs::at<Watchdog>(kWatchdog).value);
    }
    static void sleep() { wait_for_interrupt(); }
    static void silence() {
        for (const Place& uart : kUarts)
            interrupt_disable(uart.interrupt);
    }

private:
    /// [PL011] 3.3.6: the clock is divided by 16 and by this, in 64ths.
    static constexpr std::uint32_t kDivisor64ths = kProcessorHz * 4 / kBitsPerSecond;
    static constexpr std::uint32_t kBusy = 1u << 3; // 3.3.3 UARTFR
    static constexpr std::uint32_t kNothingCame = 1u << 4;
    static constexpr std::uint32_t kFull = 1u << 5;
    static constexpr std::uint32_t kEmpty = 1u << 7;
    static constexpr std::uint32_t kFifosOn = 1u << 4; // 3.3.7 UARTLCR_H
    static constexpr std::uint32_t kEightBits = 3u << 5;
    static constexpr std::uint32_t kOn = 1u << 0; // 3.3.8 UARTCR
    static constexpr std::uint32_t kSends = 1u << 8;
    static constexpr std::uint32_t kReceives = 1u << 9;
    static constexpr std::uint32_t kAtHalf = (2u << 3) | 2u; // 3.3.9 UARTIFLS: both FIFOs
    /// 3.3.10 UARTIMSC: the trigger is reached, or bytes lie there for 32 bits' time.
    static constexpr std::uint32_t kReceived = (1u << 4) | (1u << 6);
    static constexpr std::uint32_t kHasRoom = 1u << 5;
    static constexpr unsigned kFifo = 16;

    static constexpr std::uint32_t kBypass = 1u << 11; // [LM3S] RCC: the PLL is not used
    static constexpr std::uint32_t kPllOff = 1u << 13;
    static constexpr std::uint32_t kDivides = 1u << 22;
    static constexpr std::uint32_t kBy4 = 3u << 23; // the PLL's 200 MHz
    static constexpr std::uint32_t kCrystal8Mhz = 0xEu << 6;
    static constexpr std::uint32_t kPllReady = 1u << 6; // RIS
    static constexpr std::uint32_t kWatchdogGate = 1u << 3;
    static constexpr std::uint32_t kUartGates = 0b111;
    static constexpr std::uint32_t kPinGates = 0b100'1001; // A, D, G
    static constexpr unsigned kTurnsMax = 100'000;         // of a loop; the PLL takes 0.5 ms

    static Uart& at(unsigned line) { return regs::at<Uart>(kUarts[line].address); }
    static void set(unsigned line, std::uint32_t which, bool on) {
        Uart& uart = at(line);
        uart.interrupts = on ? uart.interrupts | which : uart.interrupts & ~which;
    }
    /// [LM3S] "System Control", initialization and configuration.
    static void start_clocks() {
        SystemControl& system = regs::at<SystemControl>(kSystemControl);
        constexpr std::uint32_t kSlow = kBypass | kCrystal8Mhz;
        system.clock = kSlow | kPllOff;
        system.clock = kSlow | kDivides | kBy4;
        for (unsigned turn = 0; turn < kTurnsMax && (system.raw_interrupts & kPllReady) == 0;
             ++turn) {
        }
        system.clock = kCrystal8Mhz | kDivides | kBy4;
        system.gates[0] = system.gates[0] | kWatchdogGate;
        system.gates[1] = system.gates[1] | kUartGates;
        system.gates[2] = system.gates[2] | kPinGates;
        static_cast<void>(system.gates[2]); // a device may be used three cycles later
        Watchdog& watchdog = regs::at<Watchdog>(kWatchdog);
        watchdog.load = ~0u;
        watchdog.control = 1; // it interrupts, for which nobody listens, and never resets
    }
};

} // namespace mesh::board::chip
