// The facts of this chip for the shared floor (boards/cortex-m): clock, devices, and how its memory
// is shared out.
#pragma once

#include "boards/cortex-m/free_device.hpp"
#include "boards/mps2-an505/regs.hpp"
#include "kernel/base/limits.hpp"

#include <cstddef>
#include <cstdint>

namespace mesh::board::chip {

inline constexpr std::uint32_t kProcessorHz = 20'000'000; // [AN505]
/// [AN505] memory map: all devices in use, by either name.
inline constexpr std::uintptr_t kDevicesStart = 0x4000'0000;
inline constexpr std::uintptr_t kDevicesEnd = 0x6000'0000;

/// [AN505] interrupt map: 32 of the subsystem, 92 more.
inline constexpr unsigned kInterrupts = 92 + 32;
/// [AN505] timer 0, by its secure name: a CMSDK "APB timer".
inline constexpr FreeDevice kFreeTimer{0x5000'0000, 3};

/// The longest path of any rule is the Hamiltonian path of the 8-cube.
inline constexpr unsigned kPathLinksMax = (1u << regs::kDmaChannels) - 1;
inline constexpr unsigned kProcesses = limits::kProcessesMax;
inline constexpr unsigned kMessageReceivers = limits::kReceiversMax;
inline constexpr std::size_t kNodesMax = 5040; // of a mesh, 10 bytes each: the star of 7
inline constexpr std::size_t kArenaBytes = 26 * 1024;
inline constexpr std::size_t kWorkspaceBytes = limits::kWorkspaceBytes;

} // namespace mesh::board::chip
