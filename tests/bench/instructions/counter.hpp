// Counts instructions: under QEMU's -icount every instruction takes the same time, and SysTick
// measures it.
//
// The image must be run with a shift of 7 or more: then an instruction is more than two ticks of
// the 20 MHz processor clock, and a difference of two readings, rounded, is exact. exact() says
// whether that is so.
#pragma once

#include "boards/cortex-m/regs.hpp"

#include <cstdint>
#include <type_traits>

namespace mesh::bench {

using board::regs::kSysTick;
using board::regs::SysTick;
inline constexpr std::uint32_t kTicksMask = 0xFF'FFFF;

/// Counts down, 24 bits.
[[gnu::always_inline]] inline std::uint32_t ticks_left() {
    return board::regs::at<SysTick>(kSysTick).value;
}

/// Two instructions a turn.
[[gnu::noipa]] inline void spin(std::uint32_t turns) {
    asm volatile("1: subs %0, #1\n\tbne 1b" : "+l"(turns)::"cc");
}

/// The least cost of a call: its return, one instruction.
[[gnu::naked, gnu::noinline]] inline void only_return() { asm volatile("bx lr"); }
[[gnu::naked, gnu::noinline]] inline void seven_and_return() {
    asm volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tbx lr");
}

template <class R, class... Arguments>
[[gnu::noipa]] std::uint32_t ticks_of(R (*function)(Arguments...),
                                      std::type_identity_t<Arguments>... arguments) {
    const std::uint32_t begin = ticks_left();
    function(arguments...);
    return (begin - ticks_left()) & kTicksMask;
}

class Counter {
public:
    /// Starts SysTick and finds out how many ticks an instruction is.
    Counter() {
        SysTick& timer = board::regs::at<SysTick>(kSysTick);
        timer.reload = kTicksMask;
        timer.value = 0;
        timer.control = board::regs::kTickProcessorClock | board::regs::kTickEnable;
        const std::uint32_t once = ticks_of(&spin, kCalibrationTurns);
        const std::uint32_t twice = ticks_of(&spin, 2 * kCalibrationTurns);
        calibration_ticks_ = twice - once;
    }

    std::uint32_t instructions(std::uint64_t ticks) const {
        const std::uint64_t scaled = ticks * kCalibrationInstructions + calibration_ticks_ / 2;
        return static_cast<std::uint32_t>(scaled / calibration_ticks_);
    }

    /// Instructions of a function from its first one to its return, both included; the call is not.
    template <class R, class... Arguments>
    std::uint32_t call(R (*function)(Arguments...),
                       std::type_identity_t<Arguments>... arguments) const {
        static const std::uint32_t nothing = instructions(
            ticks_of(reinterpret_cast<R (*)(Arguments...)>(&only_return), arguments...));
        return instructions(ticks_of(function, arguments...)) - nothing + 1;
    }

    /// False if this is not -icount, or its shift too small.
    bool exact() const {
        bool same = calibration_ticks_ > 2 * kCalibrationInstructions;
        for (unsigned turn = 0; turn < 100; ++turn)
            same = same && call(&seven_and_return) == 8;
        return same;
    }

private:
    static constexpr std::uint32_t kCalibrationTurns = 10'000;
    static constexpr std::uint32_t kCalibrationInstructions = 2 * kCalibrationTurns;
    std::uint32_t calibration_ticks_ = 1;
};

/// Counts what runs between resume() and pause(), less what these two cost.
class Meter {
public:
    explicit Meter(const Counter& counter) : counter_(counter) {
        for (unsigned turn = 0; turn < kOverheadTurns; ++turn) {
            resume();
            pause();
        }
        overhead_ticks_ = static_cast<std::uint32_t>(ticks_ / kOverheadTurns);
        clear();
    }

    [[gnu::noinline]] void resume() { begin_ = ticks_left(); }
    [[gnu::noinline]] void pause() {
        ticks_ += (begin_ - ticks_left()) & kTicksMask;
        ++stretches_;
    }
    void clear() {
        ticks_ = 0;
        stretches_ = 0;
    }
    std::uint32_t instructions() const {
        return counter_.instructions(ticks_ - std::uint64_t{stretches_} * overhead_ticks_);
    }

private:
    static constexpr unsigned kOverheadTurns = 1000;
    const Counter& counter_;
    std::uint64_t ticks_ = 0;
    std::uint32_t begin_ = 0;
    std::uint32_t stretches_ = 0;
    std::uint32_t overhead_ticks_ = 0;
};

} // namespace mesh::bench
