// The vector table of any chip: the core's exceptions, [V7M] B1.5.2, and the chip's interrupts.
// boards/BOARD/vectors.cpp makes it from pairs of interrupt and handler.
#pragma once

#include <array>
#include <cstddef>

extern "C" {
extern std::byte stack_top[]; // sections.ld
[[noreturn]] void reset_handler();
void fault_entry();
}

namespace mesh::board {

/// The handler of SysTick; each board has its own.
void tick_handler();

using Handler = void (*)();
inline constexpr unsigned kFirstInterrupt = 16;

template <unsigned kInterrupts>
struct VectorTable {
    const void* initial_stack;
    std::array<Handler, kFirstInterrupt + kInterrupts - 1> handlers; // of exceptions 1, 2, ...

    /// All interrupts that nobody expects are faults.
    consteval VectorTable() : initial_stack(stack_top), handlers{} {
        handlers.fill(fault_entry);
        handlers[0] = reset_handler;
        handlers[kSysTick - 1] = tick_handler;
    }
    consteval void set(unsigned interrupt, Handler handler) {
        handlers[kFirstInterrupt + interrupt - 1] = handler;
    }

    static constexpr unsigned kSysTick = 15;
};

} // namespace mesh::board
