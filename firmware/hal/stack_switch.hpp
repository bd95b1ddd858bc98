// Two stacks in one process: the node's own, on which the kernel and all coroutines run, and one
// for a program that is no coroutine. Defined by each board; an image without such a program has
// nothing of it.
#pragma once

#include <cstddef>
#include <span>

namespace mesh {

/// A stack that was left: where its pointer stands, below the registers that were pushed there.
using StackPointer = std::byte*;

/// The memory that the board has for the program's stack, with something below it that no program
/// may touch; empty: none, and the program's stack is a part of the workspace.
std::span<std::byte> program_stack();
/// The memory that the board has for the program's heap; empty: none but the workspace. To be
/// called once.
std::span<std::byte> program_heap();

/// A stack that, when it is entered for the first time, calls `entry`, which must not return.
/// `stack`: 8-byte aligned at its end.
StackPointer new_stack(std::span<std::byte> stack, void (*entry)());

/// Leaves the stack that runs, writes where it stands to `from`, and goes on where `to` was left.
/// What the caller may expect of a function, it may expect of this one, floating point registers
/// included. `limit`: the lowest byte of the stack that is entered; nullptr: the node's own.
void switch_stacks(StackPointer* from, StackPointer to, const std::byte* limit);

} // namespace mesh
