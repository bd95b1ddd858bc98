// STM32F405RG of the Netduino Plus 2 (QEMU: netduinoplus2): six USARTs without FIFOs, a timer of 32
// bits, 128 KB of SRAM.
//
// Registers, by the names of their manuals:
//   [RM0090] STM32F405/407 reference manual, sections 2.3 "Memory map", 12.2 "External interrupts",
//            18.4 "TIM2 to TIM5 registers" and 30.6 "USART registers"
//
// QEMU's USARTs can always send, and block the processor while their socket is full; clocks and
// pins are as a program needs them. On the chip both come first: RCC_APB1ENR and RCC_APB2ENR for
// the USARTs and TIM2, the PLL for 168 MHz, and the alternate functions of two pins a line.
#pragma once

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/regs.hpp"
#include "boards/cortex-m/systick.hpp"
#include "boards/serial/line_interrupt.hpp"
#include "wire/identity.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::board::chip {

/// [RM0090] 30.6.8 USART register map.
struct Usart {
    regs::Register status;
    regs::Register data;
    regs::Register divisor;
    regs::Register control; // CR1
};

struct Place {
    std::uintptr_t address;
    unsigned interrupt;
    std::uint32_t clock_hz; // of its bus
};

inline constexpr std::uint32_t kProcessorHz = 168'000'000;
inline constexpr unsigned kPorts = 5;
/// The USARTs of the ports, 2 to 6, and the host's last, USART1.
inline constexpr std::array<Place, kPorts + 1> kUsarts{{{0x4000'4400, 38, kProcessorHz / 4},
                                                        {0x4000'4800, 39, kProcessorHz / 4},
                                                        {0x4000'4C00, 52, kProcessorHz / 4},
                                                        {0x4000'5000, 53, kProcessorHz / 4},
                                                        {0x4001'1400, 71, kProcessorHz / 2},
                                                        {0x4001'1000, 37, kProcessorHz / 2}}};
inline constexpr auto kLineInterrupts = one_interrupt_a_line(kUsarts);
inline constexpr unsigned kInterrupts = 96;

inline constexpr std::uintptr_t kDevicesStart = 0x4000'0000;
/// With the clocks (RCC), pins and DMA that the chip needs, and QEMU does not.
inline constexpr std::uintptr_t kDevicesEnd = 0x4008'0000;
/// The last 16 bytes of RAM, behind the memory that linker/netduinoplus2.ld gives away.
inline constexpr std::uintptr_t kIdentity = 0x2001'FFF0;

/// Longer paths (of hp, from --dim 4 on) take buffers from messages.
inline constexpr unsigned kPathLinksMax = 7;
/// One climber a port and the program's own; of these only that one, and one that it has for it,
/// take messages.
inline constexpr unsigned kProcesses = 7;
inline constexpr unsigned kMessageReceivers = 2;
inline constexpr std::size_t kNodesMax = 128; // of a mesh, 10 bytes each
inline constexpr std::size_t kArenaBytes = 13 * 1024;
inline constexpr std::size_t kWorkspaceBytes = 18 * 1024;

/// [RM0090] 18.4.21 TIM2 register map, as far as it is used.
struct Timer2 {
    regs::Register control; // CR1
    regs::Register others[4];
    regs::Register event; // 0x14, EGR
    regs::Register more[3];
    regs::Register counter; // 0x24
    regs::Register prescaler;
};
static_assert(offsetof(Timer2, event) == 0x14 && offsetof(Timer2, counter) == 0x24);
inline constexpr std::uintptr_t kTimer2 = 0x4000'0000;
/// The timer's clock in QEMU; on the chip it is half the processor's.
inline constexpr std::uint32_t kTimerHz = 1'000'000'000;

/// See SerialChip in boards/serial/serial_board.hpp.
struct Chip {
    static constexpr unsigned kPorts = chip::kPorts;
    static constexpr std::uint32_t kBitsPerSecond = 500'000;
    static constexpr std::uint32_t kRingBytes = 4096;
    using Guard = InterruptGuard;
    using Timer = SysTick;

    static wire::Mac address() { return *reinterpret_cast<const wire::Mac*>(kIdentity); }

    static void init(unsigned line) {
        if (line == 0)
            start_clock();
        Usart& usart = at(line);
        usart.divisor = kUsarts[line].clock_hz / kBitsPerSecond;
        usart.control = kOn | kSends | kReceives | kTellsReceived;
        // QEMU looks at the line's socket again when a byte is read, not when the receiver is on.
        static_cast<void>(usart.data);
        interrupt_enable(kUsarts[line].interrupt);
    }
    static void listen(unsigned line, bool on) { set(line, kTellsReceived, on); }
    /// An overrun without a byte would keep its interrupt pending until the data register is read.
    /// What is read then is a byte too many, in a frame that has lost one already.
    static unsigned waiting(unsigned line) {
        return (at(line).status & (kReceived | kOverrun)) != 0 ? 1 : 0;
    }
    static std::byte read(unsigned line) { return static_cast<std::byte>(at(line).data); }
    static unsigned room(unsigned line) { return (at(line).status & kHasRoom) != 0 ? 1 : 0; }
    static void write(unsigned line, std::byte byte) {
        at(line).data = std::to_integer<std::uint32_t>(byte);
    }
    static void tell_room(unsigned line, bool on) { set(line, kTellsRoom, on); }
    static bool drained(unsigned line) { return (at(line).status & kAllSent) != 0; }

    static std::uint32_t counter_us() { return regs::at<Timer2>(kTimer2).counter; }
    static void sleep() { wait_for_interrupt(); }
    static void silence() {
        for (const Place& usart : kUsarts)
            interrupt_disable(usart.interrupt);
    }

private:
    static constexpr std::uint32_t kOverrun = 1u << 3;  // [RM0090] 30.6.1 SR: ORE
    static constexpr std::uint32_t kReceived = 1u << 5; // RXNE
    static constexpr std::uint32_t kAllSent = 1u << 6;  // TC
    static constexpr std::uint32_t kHasRoom = 1u << 7;  // TXE
    static constexpr std::uint32_t kReceives = 1u << 2; // 30.6.4 CR1: RE
    static constexpr std::uint32_t kSends = 1u << 3;
    static constexpr std::uint32_t kTellsReceived = 1u << 5;
    static constexpr std::uint32_t kTellsRoom = 1u << 7;
    static constexpr std::uint32_t kOn = 1u << 13;
    static constexpr std::uint32_t kCounts = 1u << 0; // 18.4.1 CR1: CEN
    static constexpr std::uint32_t kUpdate = 1u << 0; // 18.4.6 EGR: UG

    static Usart& at(unsigned line) { return regs::at<Usart>(kUsarts[line].address); }
    static void set(unsigned line, std::uint32_t which, bool on) {
        Usart& usart = at(line);
        usart.control = on ? usart.control | which : usart.control & ~which;
    }
    static void start_clock() {
        Timer2& timer = regs::at<Timer2>(kTimer2);
        timer.prescaler = kTimerHz / 1'000'000 - 1;
        timer.event = kUpdate; // takes the prescaler over
        timer.control = kCounts;
    }
};

} // namespace mesh::board::chip
