// Arm MPS2+ with FPGA image AN385 (QEMU: mps2-an385): five CMSDK UARTs without FIFOs, a counter,
// 8 MB of SSRAM.
//
// Manual: [AN385] Application Note AN385 (DAI 0385), chapters "Memory map" and "Interrupts";
// boards/serial/mps_lines.hpp has those of UARTs and counter.
#pragma once

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/free_device.hpp"
#include "boards/cortex-m/systick.hpp"
#include "boards/serial/mps_lines.hpp"
#include "kernel/base/limits.hpp"
#include "wire/identity.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::board::chip {

inline constexpr unsigned kPorts = 4;
/// The UARTs of the ports, and the host's last.
inline constexpr std::array<CmsdkPlace, kPorts + 1> kUarts{
    {{0x4000'5000, 2}, {0x4000'6000, 4}, {0x4000'7000, 18}, {0x4000'9000, 20}, {0x4000'4000, 0}}};

inline constexpr auto kLineInterrupts = two_interrupts_a_line(kUarts);
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
inline constexpr std::size_t kNodesMax = 1024; // of a mesh, 10 bytes each
inline constexpr std::size_t kArenaBytes = 26 * 1024;
inline constexpr std::size_t kWorkspaceBytes = limits::kWorkspaceBytes;

/// See SerialChip in boards/serial/serial_board.hpp.
struct Chip : MpsLines<kUarts, 0x4002'8000> {
    static constexpr unsigned kPorts = chip::kPorts;
    static constexpr std::uint32_t kBitsPerSecond = 500'000;
    static constexpr std::uint32_t kRingBytes = 8192;
    using Guard = InterruptGuard;
    using Timer = SysTick;

    static wire::Mac address() { return *reinterpret_cast<const wire::Mac*>(kIdentity); }
    static void init(unsigned line) {
        if (line == 0)
            start_clock(kProcessorHz);
        start_line(line, kProcessorHz / kBitsPerSecond);
    }
};

} // namespace mesh::board::chip
