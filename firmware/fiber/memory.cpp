// new and delete on a board: from the heap of a program with a main(). A simulated node has those
// of the C++ library that the host tool runs with, and what that library allocates itself.
#include "hal/heap.hpp"

#include <algorithm>
#include <new>

#ifdef __NEWLIB__

namespace {

void* allocate(std::size_t bytes) {
    void* const block = mesh_malloc(bytes);
    if (block == nullptr)
        std::__throw_bad_alloc();
    return block;
}

void* allocate(std::size_t bytes, std::align_val_t alignment) {
    void* const block = mesh_aligned_alloc(static_cast<std::size_t>(alignment), bytes);
    if (block == nullptr)
        std::__throw_bad_alloc();
    return block;
}

} // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t to) { return allocate(bytes, to); }
void* operator new[](std::size_t bytes, std::align_val_t to) { return allocate(bytes, to); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return mesh_malloc(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return mesh_malloc(bytes);
}

void operator delete(void* block) noexcept { mesh_free(block); }
void operator delete[](void* block) noexcept { mesh_free(block); }
void operator delete(void* block, std::size_t) noexcept { mesh_free(block); }
void operator delete[](void* block, std::size_t) noexcept { mesh_free(block); }
void operator delete(void* block, std::align_val_t) noexcept { mesh_free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { mesh_free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { mesh_free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { mesh_free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { mesh_free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { mesh_free(block); }

#endif
