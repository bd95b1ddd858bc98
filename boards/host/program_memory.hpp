// The memory of simulated programs, with pages around it that nobody may touch: who writes beyond
// its end, or before its begin, meets a fault, and nobody else's memory.
#pragma once

#include "hal/check.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace mesh::board {

/// More than an array is overrun by in one step.
inline constexpr std::size_t kGuardBytes = std::size_t{256} << 10;

/// Bytes of the heap of each program with a main() that begins from now on.
void set_heap_bytes(std::size_t bytes);

/// Whole pages with a guard before and behind them, which the system backs where they are touched;
/// empty: there are none. `beyond`: what it means to touch the guard behind them.
std::span<std::byte> guarded_memory(std::size_t bytes, CheckId beyond);
/// Makes the whole pages in `pages` a guard.
void guard(std::span<std::byte> pages, CheckId beyond);

/// The CHECK of an access to this address; none if it is in no guard. In a signal handler too.
std::optional<CheckId> guard_at(std::uintptr_t address);

} // namespace mesh::board
