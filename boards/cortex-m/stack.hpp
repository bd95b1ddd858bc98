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

/// The stack of interrupts, also of the one in which the links work while a process computes. The
/// program has the other stack, so each of them runs into a limit of its own.
extern std::array<std::byte, 2048> interrupt_stack;

struct Stack {
    const std::byte* limit;
    const std::byte* top;
};

/// All stacks that a program can run on: a fault looks for its frame there.
inline std::array<Stack, 2> stacks() {
    return {{{stack_limit, stack_top},
             {interrupt_stack.data(), interrupt_stack.data() + interrupt_stack.size()}}};
}

/// High-water mark of the program's stack since reset, in bytes (start-up painted it). Walks the
/// unused part: not for the hot path.
std::size_t stack_bytes_used();

} // namespace mesh::board
