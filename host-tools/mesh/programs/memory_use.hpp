// How much of a board's memory a program takes: what the linker has placed, and what the compiler
// has found out about the functions of the program.
#pragma once

#include "kernel/node/node_memory.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The words of a linker that was asked for --print-memory-usage, as lines such as
/// "FLASH     38204 of 4194304 bytes (1 %)".
std::string memory_words(std::string_view linker_said);

/// A function and the bytes that it takes.
struct FrameSize {
    std::string name;
    std::uint64_t bytes = 0;
};

/// The frames that coroutines have in the arena while they run, the largest first: what the
/// compiler tells debuggers of them. `listing`: the debug information of an object, as
/// objdump --dwarf=info shows it.
std::vector<FrameSize> coroutine_frames(const std::string& listing);

/// The coroutines whose frames GCC 12.2 lays out wrongly, so that they jump nowhere when they run:
/// those that have no variable and wait in a condition, as in `if (co_await f() != Status::ok)`.
std::vector<std::string> misplaced_frames(const std::string& listing);
/// False if an object surely has none of these: a search through its bytes, faster than a listing.
bool may_misplace_frames(std::string_view object);

/// The largest frame that a function has on the stack, and "FILE:LINE" for its name; of the text of
/// a file that -fstack-usage has made. 0 bytes: there is none.
FrameSize largest_stack_frame(const std::string& usage);

/// Two lines: the stack and the arena that a node has, and the frames for them.
std::string frame_words(std::uint64_t stack_bytes, const FrameSize& on_stack,
                        const NodeMemoryRecord& memory, std::vector<FrameSize> in_arena);

} // namespace mesh::host
