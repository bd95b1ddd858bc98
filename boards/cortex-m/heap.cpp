// The heap of a program that has a main() (hal/heap.hpp).
//
// Blocks lie one behind the other, each with its size and that of the block before it. So a block
// that is given back is joined with its neighbours at once. A search begins where the last one
// ended, and finds the first that is large enough.
#include "hal/heap.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace {

struct Block {
    std::uint32_t before; // bytes of the block before it, 0: the first
    std::uint32_t bytes;  // with this head, a multiple of 8; the lowest bit: it is in use

    std::uint32_t size() const { return bytes & ~1u; }
    bool used() const { return (bytes & 1u) != 0; }
    Block* next() { return reinterpret_cast<Block*>(reinterpret_cast<std::byte*>(this) + size()); }
    Block* previous() {
        return reinterpret_cast<Block*>(reinterpret_cast<std::byte*>(this) - before);
    }
    void* data() { return this + 1; }
};
static_assert(sizeof(Block) == 8);

constexpr std::size_t kBytesMax = std::size_t{1} << 30;

Block* first = nullptr;
Block* last = nullptr; // no block: the end, which is always in use
Block* rover = nullptr;

Block* block_of(void* data) { return static_cast<Block*>(data) - 1; }

/// Sets the size of a block, and says it to the block behind it.
void resize(Block& block, std::uint32_t size, bool used) {
    block.bytes = size | (used ? 1u : 0u);
    block.next()->before = size;
}

/// The block becomes used; what it has beyond `size` becomes a free block.
void take(Block& block, std::uint32_t size) {
    const std::uint32_t rest = block.size() - size;
    if (rest < 2 * sizeof(Block)) {
        resize(block, block.size(), true);
        return;
    }
    const bool joins = !block.next()->used();
    const std::uint32_t more = joins ? block.next()->size() : 0;
    resize(block, size, true);
    Block* const left = block.next();
    left->before = size;
    resize(*left, rest + more, false);
    rover = left;
}

std::uint32_t size_for(std::size_t bytes) {
    return static_cast<std::uint32_t>((std::max<std::size_t>(bytes, 1) + 7) / 8 * 8 +
                                      sizeof(Block));
}

} // namespace

void mesh::give_heap(std::span<std::byte> memory) {
    const std::size_t odd = reinterpret_cast<std::uintptr_t>(memory.data()) % 8;
    std::byte* const start = memory.data() + (odd == 0 ? 0 : 8 - odd);
    const auto room = static_cast<std::size_t>(memory.data() + memory.size() - start) / 8 * 8;
    first = rover = reinterpret_cast<Block*>(start);
    *first = {0, static_cast<std::uint32_t>(room - sizeof(Block))};
    last = first->next();
    *last = {first->size(), sizeof(Block) | 1u};
}

extern "C" {

void* mesh_malloc(std::size_t bytes) {
    if (bytes > kBytesMax || first == nullptr)
        return nullptr;
    const std::uint32_t size = size_for(bytes);
    Block* const from = rover;
    for (Block* block = from;;) {
        if (!block->used() && block->size() >= size) {
            rover = block;
            take(*block, size);
            return block->data();
        }
        block = block == last ? first : block->next();
        if (block == from)
            return nullptr;
    }
}

void mesh_free(void* data) {
    if (data == nullptr)
        return;
    Block* block = block_of(data);
    std::uint32_t size = block->size();
    Block* const behind = block->next();
    if (!behind->used())
        size += behind->size();
    if (block->before != 0 && !block->previous()->used()) {
        block = block->previous();
        size += block->size();
    }
    resize(*block, size, false);
    rover = block;
}

// What lies in front of the first place that is aligned becomes a block of its own, and free.
void* mesh_aligned_alloc(std::size_t alignment, std::size_t bytes) {
    if (alignment <= sizeof(Block) || bytes > kBytesMax || alignment > kBytesMax)
        return mesh_malloc(bytes);
    void* const data = mesh_malloc(bytes + alignment + sizeof(Block));
    const auto place = reinterpret_cast<std::uintptr_t>(data);
    if (data == nullptr || place % alignment == 0)
        return data;
    const std::uintptr_t least = place + 2 * sizeof(Block);
    const std::uintptr_t aligned = (least + alignment - 1) / alignment * alignment;
    Block* const block = block_of(data);
    const std::uint32_t whole = block->size();
    const auto front = static_cast<std::uint32_t>(aligned - place);
    resize(*block, front, true);
    resize(*block->next(), whole - front, true);
    mesh_free(data);
    return static_cast<std::byte*>(data) + front;
}

void* mesh_calloc(std::size_t count, std::size_t bytes) {
    if (bytes != 0 && count > kBytesMax / bytes)
        return nullptr;
    void* const data = mesh_malloc(count * bytes);
    if (data != nullptr)
        std::memset(data, 0, count * bytes);
    return data;
}

void* mesh_realloc(void* data, std::size_t bytes) {
    if (data == nullptr || bytes > kBytesMax)
        return mesh_malloc(bytes);
    Block* const block = block_of(data);
    const std::uint32_t has = block->size();
    if (size_for(bytes) <= has)
        return data;
    void* const larger = mesh_malloc(bytes);
    if (larger != nullptr) {
        std::memcpy(larger, data, has - sizeof(Block));
        mesh_free(data);
    }
    return larger;
}
}
