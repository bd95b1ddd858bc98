// The demand of DMA on the memory that it reads and writes: no other data of the CPU may lie in a
// cache line of a packet, else writing the line back would spoil what the DMA has put beside it.
#pragma once

#include <cstddef>

namespace mesh::hal {

/// Alignment of the bytes of packets, and of what follows them. A board whose DMA works beside a
/// data cache has `-DMESH_DMA_ALIGN=32` (the length of a line) among its CPU_FLAGS; without a cache
/// a word is enough. transmit() and lend() say what a board does with the cache, and when.
#ifdef MESH_DMA_ALIGN
inline constexpr std::size_t kDmaAlign = MESH_DMA_ALIGN;
#else
inline constexpr std::size_t kDmaAlign = 4;
#endif
static_assert(kDmaAlign >= 4 && (kDmaAlign & (kDmaAlign - 1)) == 0);

} // namespace mesh::hal
