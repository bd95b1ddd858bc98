// The process arena: memory of coroutine frames, from a static block, without a heap.
//
// Frames come back in any order, so the arena keeps free lists by size class (multiples of
// kGrain). A block is never split or joined: a node runs the same few coroutines again and again,
// so every size settles after its first use.
//
// In a simulation a frame is filled when it is first taken, and when it comes back. The filling is
// looked at when the frame is taken again, or when the program ends: a process that has kept a
// reference to a variable of a coroutine that has ended is found out if it writes. If it reads, or
// reads a variable that was never set, it finds the filling, which print() tells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// Decided by the machine and not by an option, so that programs and kernel always agree.
#define MESH_FILLS_FRAMES (__SIZEOF_POINTER__ == 8)

namespace mesh {

namespace detail {
/// In a simulation: what is in a frame that is taken, and in one that has come back.
inline constexpr std::byte kFrameFill{0xDB};
} // namespace detail

/// Memory of one node's coroutine frames. It owns the blocks, not the memory that they lie in.
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

    /// Bytes of the memory that were ever in use, headers included.
    std::size_t high_water_bytes() const { return taken_; }
    /// A coroutine was refused memory and cannot go on without it.
    void fail() { failed_ = true; }
    /// True if fail() was called: the node ends its program with no_memory.
    bool failed() const { return failed_; }
#if MESH_FILLS_FRAMES
    /// CHECK: nothing has written into a frame that has come back and is not taken again. Only a
    /// simulation can tell; images have no code for it.
    void check_free_frames() const;
#else
    void check_free_frames() const {}
#endif
    /// True if allocate() has given nullptr.
    bool refused() const { return refused_; }

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
    static std::span<std::byte> frame_of(Block& block, std::size_t size_class);
    static void fill(std::span<std::byte> frame);
    static void check_filled(std::span<const std::byte> frame);

    std::span<std::byte> memory_;
    std::size_t taken_ = 0;
    bool failed_ = false;
    bool refused_ = false;
    std::array<Block*, kBlockBytesMax / kGrain + 1> free_{};
};

} // namespace mesh
