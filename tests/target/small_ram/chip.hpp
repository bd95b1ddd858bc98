// Sizes for 64 KiB of RAM: what boards/mps2-an505/chip.hpp says, for a 4-cube whose programs use
// the tree sbt and messages. Four processes, one of which may receive a message at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mesh::board::chip {

inline constexpr std::uint32_t kProcessorHz = 20'000'000;
inline constexpr std::uintptr_t kDevicesStart = 0x4000'0000;
inline constexpr std::uintptr_t kDevicesEnd = 0x6000'0000;

inline constexpr unsigned kPathLinksMax = 4;
inline constexpr unsigned kProcesses = 4;
inline constexpr unsigned kMessageReceivers = 1;
inline constexpr std::size_t kNodesMax = 16; // of a mesh, 8 bytes each
inline constexpr std::size_t kArenaBytes = 5 * 1024;
inline constexpr std::size_t kWorkspaceBytes = 4 * 1024;

} // namespace mesh::board::chip
