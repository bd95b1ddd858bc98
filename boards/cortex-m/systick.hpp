// SysTick: calls at regular times while processes run (hal::HasPreemption), and a wake-up after a
// short time, which brings the next of those calls that early.
#pragma once

#include "hal/concepts.hpp"

#include <cstdint>

namespace mesh::board {

class SysTick {
public:
    /// Makes its interrupt the lowest in priority: all others go before it.
    static void init();

    /// From now on `work(context)` is called every `period_us`, from the interrupt.
    void start_ticks(std::uint32_t period_us, hal::TickWork work, void* context);
    void stop_ticks();
    /// One interrupt after `time_us` at the latest.
    void wake_after(std::uint64_t time_us);

    void on_interrupt();

private:
    void start(std::uint64_t time_us);
    static void stop();

    void (*work_)(void* context) = nullptr; // nullptr: no ticks
    void* context_ = nullptr;
    std::uint32_t period_us_ = 0;
    std::uint32_t reload_us_ = 0; // what the hardware counts from
};

} // namespace mesh::board
