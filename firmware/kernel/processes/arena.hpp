// The process arena: memory of coroutine frames, from a static block, without a heap.
//
// Frames come back in any order, so the arena keeps free lists by size class (multiples of
// kGrain). A block is never split or joined: a node runs the same few coroutines again and again,
// so every size settles after its first use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh {

class Arena {
public:
    static constexpr std::size_t kGrain = 128;
    static constexpr std::size_t kBlockBytesMax = 8192;

    /// `memory` stays the caller's and must outlive the arena; aligned to 8 bytes.
    explicit Arena(std::span<std::byte> memory) : memory_(memory) {}

    /// `bytes` bytes aligned to 8, or nullptr when the arena has none left (or bytes >
    /// kBlockBytesMax minus a header). O(1). Not interrupt safe.
    void* allocate(std::size_t bytes);
    /// Returns a block of any arena to the one it came from. O(1). A second time is a bug (CHECK).
    static void release(void* block);

    std::size_t high_water_bytes() const { return taken_; }
    /// A coroutine was refused memory and cannot go on without it.
    void fail() { failed_ = true; }
    bool failed() const { return failed_; }

private:
    struct Block {
        Arena* owner; // nullptr: free
        union {
            std::size_t size_class;
            Block* next;
        };
    };
    static_assert(alignof(Block) <= 8);
    static constexpr std::size_t kHeaderBytes = 16;
    static_assert(sizeof(Block) <= kHeaderBytes);

    std::span<std::byte> memory_;
    std::size_t taken_ = 0;
    bool failed_ = false;
    std::array<Block*, kBlockBytesMax / kGrain + 1> free_{};
};

} // namespace mesh
