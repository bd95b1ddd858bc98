// The heap of a simulated node: that of the machine.
#include "hal/heap.hpp"

#include <cstdlib>

void mesh::give_heap(std::span<std::byte>) {}

extern "C" {
void* mesh_malloc(std::size_t bytes) { return std::malloc(bytes); }
void* mesh_calloc(std::size_t count, std::size_t bytes) { return std::calloc(count, bytes); }
void* mesh_realloc(void* block, std::size_t bytes) { return std::realloc(block, bytes); }
void mesh_free(void* block) { std::free(block); }
void* mesh_aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return std::aligned_alloc(alignment, bytes);
}
}
