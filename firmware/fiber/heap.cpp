// The heap of a program that has a main() (hal/heap.hpp).
//
// Blocks lie one behind the other, each with its size and that of the block before it. So a block
// that is given back is joined with its neighbours at once. A search begins where the last one
// ended, and finds the first that is large enough. Who writes beyond a block changes a size, which
// then does not agree with that of the neighbour.
#include "hal/heap.hpp"
#include "hal/check.hpp"
#include "hal/notes.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace {

using mesh::ProgramEnd;

/// The order of the fields: who writes beyond the block before it meets `before` first, who writes
/// in front of its data `bytes`.
struct Block {
    std::uint32_t before; // bytes of the block before it, 0: the first
#if MESH_NOTES
    std::int32_t taken_at; // behind the call that took it, seen from give_heap()
    std::uint32_t asked;   // bytes; behind them the block has kPadding
#endif
    std::uint32_t bytes; // with this head, a multiple of kAlign; the lowest bit: it is in use

    std::uint32_t size() const { return bytes & ~1u; }
    bool used() const { return (bytes & 1u) != 0; }
    std::byte* begin() { return reinterpret_cast<std::byte*>(this); }
    Block* next() { return reinterpret_cast<Block*>(begin() + size()); }
    Block* previous() { return reinterpret_cast<Block*>(begin() - before); }
    std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};

constexpr std::size_t kAlign = alignof(std::max_align_t);
static_assert(sizeof(Block) % kAlign == 0);
constexpr std::size_t kBytesMax = UINT32_MAX / 2;

Block* first = nullptr;
Block* last = nullptr; // no block: the end, which is always in use
Block* rover = nullptr;

Block* block_of(void* data) { return static_cast<Block*>(data) - 1; }

#if MESH_NOTES
constexpr std::byte kPadding{0xA5};

std::intptr_t origin() { return reinterpret_cast<std::intptr_t>(&mesh::give_heap); }

void note(Block& block, std::size_t asked, const void* after) {
    block.taken_at = static_cast<std::int32_t>(reinterpret_cast<std::intptr_t>(after) - origin());
    block.asked = static_cast<std::uint32_t>(asked);
    std::fill(block.data() + asked, block.next()->begin(), kPadding);
}

bool has_padding(Block& block) {
    return block.asked <= block.size() - sizeof(Block) &&
           std::all_of(block.data() + block.asked, block.next()->begin(),
                       [](std::byte byte) { return byte == kPadding; });
}

/// Where the block was taken, which is what a person looks for.
const void* place_of(const Block& block, const void* /*after*/) {
    return std::bit_cast<const void*>(origin() + block.taken_at);
}
#else
void note(Block&, std::size_t, const void*) {}
bool has_padding(Block&) { return true; }
const void* place_of(const Block&, const void* after) { return after; }
#endif

/// Nothing has been written over the end of the block.
bool is_whole(Block& block) {
    const auto room = static_cast<std::size_t>(last->begin() - block.begin());
    return block.size() >= sizeof(Block) && block.size() % kAlign == 0 && block.size() <= room &&
           block.next()->before == block.size() && (!block.used() || has_padding(block));
}

/// The block that `wanted` lies in; nullptr: in none. Fails at the first block on the way there
/// that has been written over; `after`: behind the call of the program that looks.
Block* find(const Block* wanted, const void* after) {
    for (Block* block = first; block != last; block = block->next()) {
        if (!is_whole(*block))
            mesh::check_failed(ProgramEnd::heap_overrun, place_of(*block, after));
        if (block <= wanted && wanted < block->next())
            return block;
    }
    return nullptr;
}

/// The block of `data`, which a program gives back.
Block& block_in_use(void* data, const void* after) {
    Block* const block = block_of(data);
    const bool is_within = first <= block && block < last &&
                           static_cast<std::size_t>(block->begin() - first->begin()) % kAlign == 0;
    if (is_within && is_whole(*block) && block->used() &&
        (block->before == 0 || block->previous()->size() == block->before))
        return *block;
    const Block* const around = first == nullptr ? nullptr : find(block, after);
    const bool is_free = around != nullptr && !around->used();
    mesh::check_failed(is_free ? ProgramEnd::heap_freed_twice : ProgramEnd::heap_no_block, after);
}

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
    return static_cast<std::uint32_t>(
        (std::max<std::size_t>(bytes, 1) + kAlign - 1) / kAlign * kAlign + sizeof(Block));
}

void* allocate(std::size_t bytes, const void* after) {
    if (bytes > kBytesMax || first == nullptr)
        return nullptr;
    const std::uint32_t size = size_for(bytes);
    Block* const from = rover;
    for (Block* block = from;;) {
        if (block != last && !is_whole(*block))
            find(last, after); // the first one of those that are not
        if (!block->used() && block->size() >= size) {
            rover = block;
            take(*block, size);
            note(*block, bytes, after);
            return block->data();
        }
        block = block == last ? first : block->next();
        if (block == from)
            return nullptr;
    }
}

void give_back(Block* block) {
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

} // namespace

void mesh::give_heap(std::span<std::byte> memory) {
    const std::size_t odd = reinterpret_cast<std::uintptr_t>(memory.data()) % kAlign;
    std::byte* const start = memory.data() + (odd == 0 ? 0 : kAlign - odd);
    const auto room =
        static_cast<std::size_t>(memory.data() + memory.size() - start) / kAlign * kAlign;
    first = rover = reinterpret_cast<Block*>(start);
    first->before = 0;
    first->bytes = static_cast<std::uint32_t>(room - sizeof(Block));
    last = first->next();
    last->before = first->size();
    last->bytes = sizeof(Block) | 1u;
}

void mesh::check_heap() {
    if (first != nullptr)
        find(last, __builtin_return_address(0));
}

extern "C" {

void* mesh_malloc(std::size_t bytes) { return allocate(bytes, __builtin_return_address(0)); }

void mesh_free(void* data) {
    if (data == nullptr)
        return;
    const void* const after = __builtin_return_address(0);
    Block& block = block_in_use(data, after);
#if MESH_NOTES
    if (mesh::note_freed != nullptr)
        mesh::note_freed(data, block.asked, after);
#endif
    give_back(&block);
}

// The memory in front of the first aligned place becomes a block of its own, and free.
void* mesh_aligned_alloc(std::size_t alignment, std::size_t bytes) {
    const void* const after = __builtin_return_address(0);
    if (alignment <= kAlign)
        return allocate(bytes, after);
    if (alignment > kBytesMax || bytes > kBytesMax)
        return nullptr;
    void* const data = allocate(bytes + alignment + sizeof(Block), after);
    const auto place = reinterpret_cast<std::uintptr_t>(data);
    if (data == nullptr || place % alignment == 0)
        return data;
    const std::uintptr_t least = place + 2 * sizeof(Block);
    const std::uintptr_t aligned = (least + alignment - 1) / alignment * alignment;
    const auto front = static_cast<std::uint32_t>(aligned - place);
    Block& block = *block_of(data);
    const std::uint32_t whole = block.size();
    resize(block, front, true);
    resize(*block.next(), whole - front, true);
    note(*block.next(), bytes, after);
    give_back(&block);
    return static_cast<std::byte*>(data) + front;
}

void* mesh_calloc(std::size_t count, std::size_t bytes) {
    if (bytes != 0 && count > kBytesMax / bytes)
        return nullptr;
    void* const data = allocate(count * bytes, __builtin_return_address(0));
    if (data != nullptr)
        std::memset(data, 0, count * bytes);
    return data;
}

void* mesh_realloc(void* data, std::size_t bytes) {
    const void* const after = __builtin_return_address(0);
    if (data == nullptr)
        return allocate(bytes, after);
    Block& block = block_in_use(data, after);
    if (bytes > kBytesMax)
        return nullptr;
    if (size_for(bytes) <= block.size()) {
        note(block, bytes, after);
        return data;
    }
    void* const larger = allocate(bytes, after);
    if (larger != nullptr) {
        std::memcpy(larger, data, block.size() - sizeof(Block));
        give_back(&block);
    }
    return larger;
}
}
