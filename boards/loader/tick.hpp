// The time of a loader: SysTick, which also ends every sleep in time. Only as good as loaders need:
// it counts periods, and misses some while the processor has much to do.
#pragma once

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/regs.hpp"
#include "chip.hpp"
#include "wire/load.hpp"

#include <cstdint>

namespace mesh::board {

class Tick {
public:
    static constexpr std::uint32_t kPeriodUs = wire::kStartAgainUs / 2;

    Tick() {
        constexpr std::uint32_t kCounts = chip::kProcessorHz / 1'000'000 * kPeriodUs;
        static_assert(kCounts <= regs::kTickCountMax);
        timer().reload = kCounts;
        timer().value = 0;
        timer().control = regs::kTickEnable | regs::kTickInterrupt | regs::kTickProcessorClock;
    }
    std::uint32_t now_us() const { return now_us_; }
    /// Sleeps until an interrupt is pending, at most kPeriodUs.
    void sleep() {
        wait_for_interrupt();
        if ((timer().control & regs::kTickCounted) != 0)
            now_us_ += kPeriodUs;
        regs::at<regs::Scb>(regs::kScb).icsr = regs::kTickClearPending;
    }

private:
    static regs::SysTick& timer() { return regs::at<regs::SysTick>(regs::kSysTick); }

    std::uint32_t now_us_ = 0;
};

} // namespace mesh::board
