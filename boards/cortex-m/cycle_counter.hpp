// Microseconds of a counter that goes by cycles: for chips whose timers of 32 bits have no
// prescaler, and for DWT_CYCCNT.
#pragma once

#include "boards/cortex-m/cpu.hpp"

#include <cstdint>

namespace mesh::board {

/// Divides the cycles of a counter of 32 bits that goes upward at `kHz`, a whole number of MHz, and
/// keeps the rest from one call to the next. To be called at least once in 2^32 cycles (43 s at
/// 100 MHz) while time matters: what is missed is a whole turn of the counter, and a node that
/// waits for no time does not notice. From interrupts as well.
template <std::uint32_t kHz>
class CycleCounter {
public:
    static_assert(kHz % 1'000'000 == 0, "a whole number of MHz");

    std::uint32_t us_at(std::uint32_t cycles) {
        const InterruptGuard guard;
        const std::uint32_t passed = cycles - last_;
        last_ = cycles;
        rest_ += passed % kCyclesOfUs;
        us_ += passed / kCyclesOfUs + rest_ / kCyclesOfUs;
        rest_ %= kCyclesOfUs;
        return us_;
    }

private:
    static constexpr std::uint32_t kCyclesOfUs = kHz / 1'000'000;

    std::uint32_t last_ = 0;
    std::uint32_t us_ = 0;
    std::uint32_t rest_ = 0; // cycles that are no microsecond yet
};

} // namespace mesh::board
