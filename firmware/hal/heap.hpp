// The heap of a program that has a main(). The kernel, the collectives and programs of coroutines
// have none: an image in which nobody calls these has nothing of them.
//
// `mesh build` gives calls of malloc() and its kin these names on boards, whose C library has no
// memory to give; a simulated node takes what the machine has.
#pragma once

#include <cstddef>
#include <span>

namespace mesh {

/// The memory of the heap, at least 64 bytes, from now on. To be called once, before the others.
void give_heap(std::span<std::byte> memory);

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
