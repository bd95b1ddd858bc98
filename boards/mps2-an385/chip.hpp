// Arm MPS2+ with FPGA image AN385 (QEMU: mps2-an385): five CMSDK UARTs without FIFOs, a counter,
// 8 MB of SSRAM.
//
// Registers, by the names of their manuals:
//   [AN385]  Application Note AN385 (DAI 0385), chapters "Memory map", "Interrupts" and "FPGA
//            system control"
//   [CMSDK]  Cortex-M System Design Kit (DDI 0479), "APB UART"
//
// Both interrupts of a UART tell of an event once: there is no new interrupt for a byte that a
// program leaves in the receiver, nor for room that it was not told of. So they stay on in the
// UART, where they are cleared with each byte, and are held back in the interrupt controller.
#pragma once

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/free_device.hpp"
#include "boards/cortex-m/regs.hpp"
#include "boards/cortex-m/systick.hpp"
#include "boards/serial/line_interrupt.hpp"
#include "kernel/base/limits.hpp"
#include "wire/identity.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::board::chip {

/// [CMSDK] one UART.
struct Uart {
    regs::Register data;
    regs::Register state;
    regs::Register control;
    regs::Register interrupts; // INTSTATUS; written: INTCLEAR
    regs::Register divisor;
};

struct Place {
    std::uintptr_t address;
    unsigned received; // interrupt; the next one says that there is room
};

inline constexpr unsigned kPorts = 4;
/// The UARTs of the ports, and the host's last.
inline constexpr std::array<Place, kPorts + 1> kUarts{
    {{0x4000'5000, 2}, {0x4000'6000, 4}, {0x4000'7000, 18}, {0x4000'9000, 20}, {0x4000'4000, 0}}};

inline constexpr std::array<LineInterrupt, 2 * kUarts.size()> kLineInterrupts = [] {
    std::array<LineInterrupt, 2 * kUarts.size()> all{};
    for (unsigned at = 0; at < all.size(); ++at)
        all[at] = {kUarts[at / 2].received + at % 2, at / 2};
    return all;
}();
inline constexpr unsigned kInterrupts = 32;
/// [AN385] timer 0: a CMSDK "APB timer".
inline constexpr FreeDevice kFreeTimer{0x4000'0000, 8};

inline constexpr std::uint32_t kProcessorHz = 25'000'000;
inline constexpr std::uintptr_t kDevicesStart = 0x4000'0000;
inline constexpr std::uintptr_t kDevicesEnd = 0x4003'0000;
/// The last 16 bytes of RAM, behind the memory that linker/mps2-an385.ld gives away.
inline constexpr std::uintptr_t kIdentity = 0x203F'FFF0;

/// The longest path of any rule is the Hamiltonian path of the 4-cube.
inline constexpr unsigned kPathLinksMax = (1u << kPorts) - 1;
inline constexpr unsigned kProcesses = limits::kProcessesMax;
inline constexpr unsigned kMessageReceivers = limits::kReceiversMax;
inline constexpr std::size_t kNodesMax = 1024; // of a mesh, 8 bytes each
inline constexpr std::size_t kArenaBytes = 26 * 1024;
inline constexpr std::size_t kWorkspaceBytes = limits::kWorkspaceBytes;

/// [AN385] FPGAIO: a counter of 32 bits that goes up each time its prescaler has reached 0.
struct FpgaIo {
    regs::Register others[6];
    regs::Register counter; // 0x18
    regs::Register prescale;
};
static_assert(offsetof(FpgaIo, counter) == 0x18);
inline constexpr std::uintptr_t kFpgaIo = 0x4002'8000;

/// See SerialChip in boards/serial/serial_board.hpp.
struct Chip {
    static constexpr unsigned kPorts = chip::kPorts;
    static constexpr std::uint32_t kBitsPerSecond = 500'000;
    static constexpr std::uint32_t kRingBytes = 8192;
    using Guard = InterruptGuard;
    using Timer = SysTick;

    static wire::Mac address() { return *reinterpret_cast<const wire::Mac*>(kIdentity); }

    static void init(unsigned line) {
        if (line == 0)
            regs::at<FpgaIo>(kFpgaIo).prescale = kProcessorHz / 1'000'000 - 1;
        Uart& uart = at(line);
        uart.divisor = kProcessorHz / kBitsPerSecond;
        uart.control = kSends | kReceives | kTellsRoom | kTellsReceived;
        // QEMU looks at the line's socket again when a byte is read, not when the receiver is on.
        static_cast<void>(uart.data);
        listen(line, true);
    }
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
        for (const LineInterrupt& one : kLineInterrupts)
            interrupt_disable(one.interrupt);
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

    static Uart& at(unsigned line) { return regs::at<Uart>(kUarts[line].address); }
    static void hold(unsigned interrupt, bool on) {
        if (on)
            interrupt_enable(interrupt);
        else
            interrupt_disable(interrupt);
    }
};

} // namespace mesh::board::chip
