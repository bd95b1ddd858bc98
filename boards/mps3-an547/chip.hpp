// Arm MPS3 with FPGA image AN547 (QEMU: mps3-an547): Cortex-M55, six CMSDK UARTs without FIFOs, a
// counter, tightly coupled memory for code, 4 MB of SRAM for data.
//
// Manual: [AN547] Application Note AN547 (DAI 0547), chapters "Memory map" and "Interrupt map";
// boards/serial/mps_lines.hpp has those of UARTs and counter.
//
// The processor stays in the secure state, in which it starts, and leaves the attribution unit off:
// all memory is secure then.
#pragma once

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/systick.hpp"
#include "boards/serial/mps_lines.hpp"
#include "kernel/base/limits.hpp"
#include "wire/identity.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::board::chip {

inline constexpr unsigned kPorts = 5;
/// The UARTs of the ports, 1 to 5, and the host's last, 0.
inline constexpr std::array<CmsdkPlace, kPorts + 1> kUarts{{{0x4930'4000, 35},
                                                            {0x4930'5000, 37},
                                                            {0x4930'6000, 39},
                                                            {0x4930'7000, 41},
                                                            {0x4930'8000, 125},
                                                            {0x4930'3000, 33}}};
inline constexpr auto kLineInterrupts = two_interrupts_a_line(kUarts);
inline constexpr unsigned kInterrupts = 128;

inline constexpr std::uint32_t kProcessorHz = 32'000'000;
inline constexpr std::uintptr_t kDevicesStart = 0x4930'0000;
inline constexpr std::uintptr_t kDevicesEnd = 0x4931'0000;
/// The last 16 bytes of RAM, behind the memory that linker/mps3-an547.ld gives away.
inline constexpr std::uintptr_t kIdentity = 0x213F'FFF0;

/// The longest path of any rule is the Hamiltonian path of the 5-cube.
inline constexpr unsigned kPathLinksMax = (1u << kPorts) - 1;
inline constexpr unsigned kProcesses = limits::kProcessesMax;
inline constexpr unsigned kMessageReceivers = limits::kReceiversMax;
inline constexpr std::size_t kNodesMax = 1024; // of a mesh, 10 bytes each
inline constexpr std::size_t kArenaBytes = 26 * 1024;
inline constexpr std::size_t kWorkspaceBytes = limits::kWorkspaceBytes;

/// See SerialChip in boards/serial/serial_board.hpp.
struct Chip : MpsLines<kUarts, 0x4930'2000> {
    static constexpr unsigned kPorts = chip::kPorts;
    static constexpr std::uint32_t kBitsPerSecond = 500'000;
    static constexpr std::uint32_t kRingBytes = 8192;
    using Guard = InterruptGuard;
    using Timer = SysTick;

    static wire::Mac address() { return *reinterpret_cast<const wire::Mac*>(kIdentity); }
    static void init(unsigned line) {
        if (line == 0)
            start_clock(kCounterHz);
        start_line(line, kUartHz / kBitsPerSecond);
    }

private:
    static constexpr std::uint32_t kCounterHz = 20'000'000; // as QEMU has it
    static constexpr std::uint32_t kUartHz = 25'000'000;
};

} // namespace mesh::board::chip
