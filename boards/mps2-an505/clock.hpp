// Time from the dual timer: one half runs freely, the other is a one-shot alarm. No periodic tick.
//
// Both count at 1.25 MHz (20 MHz / 16). The free half counts down from kPeriodTicks - 1 to 0 and
// starts again: 4 * 10^9 ticks are exactly 3.2 * 10^9 us, so the extension to 64 bits needs no long
// division. Its interrupt, once in 53 minutes, counts the periods; so time is right even if nobody
// asks for it.
#pragma once

#include "boards/mps2-an505/regs.hpp"

#include <cstdint>

namespace mesh::board {

class Clock {
public:
    /// No alarm. Any time far enough away stands for none.
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    static constexpr std::uint32_t kPeriodTicks = 4'000'000'000;
    static constexpr std::uint32_t kPeriodUs = 3'200'000'000;

    void init();

    /// Microseconds since init(), monotonic. Callable from an interrupt.
    std::uint64_t now_us();

    /// Ticks of 16 cycles that the free half has counted in this period. Needs no Clock.
    static std::uint32_t ticks() { return kPeriodTicks - counter().value; }

    /// The alarm for the next arm_alarm(); costs nothing.
    void set_alarm_us(std::uint64_t time_us) { alarm_us_ = time_us; }
    /// Makes the interrupt come at the alarm time or before. False: it is due already, and is
    /// thereby spent. Call with interrupts held back.
    bool arm_alarm();

    /// Interrupt of either half. Both merely wake the processor: a period that ended is counted by
    /// now_us(), an alarm that came too early is armed again by arm_alarm().
    void on_interrupt();

private:
    static regs::Timer& counter() { return regs::at<regs::DualTimer>(regs::kDualTimer).timers[0]; }
    static regs::Timer& alarm() { return regs::at<regs::DualTimer>(regs::kDualTimer).timers[1]; }
    std::uint32_t read_counter();

    volatile std::uint32_t last_value_ = 0; // of the counter, within this period; 0: unknown
    volatile std::uint32_t periods_ = 0;
    std::uint64_t alarm_us_ = kNever;          // wanted
    volatile std::uint64_t armed_us_ = kNever; // in the hardware
};

} // namespace mesh::board
