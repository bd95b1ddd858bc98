// The heap of a program that has a main(). The kernel, the collectives and programs of coroutines
// have none: an image in which nobody calls these has nothing of them.
//
// `mesh build` gives calls of malloc() and its kin these names on both engines: no C library has
// memory for a node. Each block has a head, which is looked at when the block is given back, and
// when the program ends: what a program has overwritten ends its node, by a CHECK.
#pragma once

#include "hal/notes.hpp"

#include <cstddef>
#include <span>

namespace mesh {

/// The memory of the heap, at least 64 bytes, from now on. To be called before the others.
void give_heap(std::span<std::byte> memory);

/// CHECKs the heads of all blocks; nothing if there is no heap.
void check_heap();

#if MESH_NOTES
/// A block of so many bytes is given back at `place`. There only in a program that has calls which
/// need memory for longer than they take (mpi/buffers/claims.hpp).
[[gnu::weak]] void note_freed(const void* data, std::size_t bytes, const void* place);
#endif

} // namespace mesh

extern "C" {
/// As C says, aligned for any type; nullptr if there is no memory left.
void* mesh_malloc(std::size_t bytes);
void* mesh_calloc(std::size_t count, std::size_t bytes);
void* mesh_realloc(void* block, std::size_t bytes);
void mesh_free(void* block);
/// `alignment`: a power of 2.
void* mesh_aligned_alloc(std::size_t alignment, std::size_t bytes);
}
