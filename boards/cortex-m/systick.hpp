// SysTick, for one of two uses at a time: calls once a millisecond while a process computes
// (hal::HasPreemption), or one wake-up after a short time.
#pragma once

#include <cstdint>

namespace mesh::board {

class SysTick {
public:
    /// Makes its interrupt the lowest in priority: all others go before it.
    static void init();

    /// From now on `work(context)` is called once a millisecond, from the interrupt.
    void start_ticks(void (*work)(void* context), void* context);
    void stop_ticks();
    /// One interrupt after `time_us` at the latest, or the next tick if there are ticks.
    void wake_after(std::uint64_t time_us);

    void on_interrupt();

private:
    static void stop();

    void (*work_)(void* context) = nullptr; // nullptr: no ticks
    void* context_ = nullptr;
};

} // namespace mesh::board
