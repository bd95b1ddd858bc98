// The stacks of an image, and how much of the main one was ever used.
#pragma once

#include <array>
#include <cstddef>

extern "C" {
// sections.ld; the stack limit register has the same limit.
extern std::byte stack_limit[];
extern std::byte stack_top[];
}

namespace mesh::board {

struct Stack {
    const std::byte* limit;
    const std::byte* top;
};

/// All stacks that a program can run on: a fault looks for its frame there.
inline std::array<Stack, 1> stacks() { return {{{stack_limit, stack_top}}}; }

/// High-water mark of the main stack since reset, in bytes (start-up painted it). Walks the unused
/// part: not for the hot path.
std::size_t stack_bytes_used();

} // namespace mesh::board
