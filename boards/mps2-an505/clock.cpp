// Clock on the CMSDK dual timer: see clock.hpp. Registers: [TIMER].
#include "boards/mps2-an505/clock.hpp"

#include "boards/cortex-m/cpu.hpp"
#include "hal/cycles.hpp"

#include <algorithm>

namespace mesh::board {

namespace {
namespace reg = regs::timer;

constexpr std::uint32_t kCounting =
    reg::kEnable | reg::kPeriodic | reg::kInterrupt | reg::kPrescale16 | reg::k32Bits;
constexpr std::uint32_t kAlarmIdle =
    reg::kPeriodic | reg::kInterrupt | reg::kPrescale16 | reg::k32Bits | reg::kOneShot;
static_assert(regs::kTimerClockHz / 16 == 1'250'000, "five ticks are four microseconds");
static_assert(std::uint64_t{Clock::kPeriodTicks} * 4 / 5 == Clock::kPeriodUs);

/// Reads of the counter in one tick, generously.
constexpr unsigned kReadsMax = 1000;
} // namespace

void Clock::init() {
    counter().control = 0;
    counter().int_clear = 1;
    counter().load = kPeriodTicks - 1;
    counter().control = kCounting;
    alarm().control = kAlarmIdle;
    alarm().int_clear = 1;
    interrupt_enable(regs::kDualTimerIrq);
}

/// The counter, with a period that has ended counted. 0 is where one period ends and the next one
/// begins, told apart only by the status bit that may come a moment late: wait for the next value.
std::uint32_t Clock::read_counter() {
    std::uint32_t value = counter().value;
    if (value != 0 && value <= last_value_)
        return value; // still the same period: the interrupt at its end sets last_value_ to 0
    for (unsigned reads = 0; reads < kReadsMax; ++reads) {
        value = counter().value;
        if (counter().raw_status != 0) {
            counter().int_clear = 1;
            periods_ = periods_ + 1;
        } else if (value != 0) {
            break;
        }
    }
    return value;
}

std::uint64_t Clock::now_us() {
    const InterruptGuard guard;
    last_value_ = read_counter();
    const std::uint32_t ticks = kPeriodTicks - last_value_;
    return std::uint64_t{periods_} * kPeriodUs + (ticks - ticks / 5);
}

bool Clock::arm_alarm() {
    if (alarm_us_ >= armed_us_)
        return true; // none wanted, or the hardware wakes us no later
    const std::uint64_t now = now_us();
    if (alarm_us_ <= now) {
        alarm_us_ = kNever;
        return false;
    }
    const auto wait_us =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(alarm_us_ - now, kPeriodUs));
    alarm().control = kAlarmIdle;
    alarm().int_clear = 1;
    alarm().load = wait_us + wait_us / 4 + 1; // five ticks are four microseconds, rounded up
    alarm().control = kAlarmIdle | reg::kEnable;
    armed_us_ = now + wait_us;
    return true;
}

void Clock::on_interrupt() {
    if (alarm().raw_status != 0) {
        alarm().int_clear = 1;
        armed_us_ = kNever;
    }
    if (counter().raw_status != 0) {
        last_value_ = 0;
        (void)now_us();
        last_value_ = 0;
    }
}

} // namespace mesh::board

std::uint64_t mesh::cycles() { return std::uint64_t{board::Clock::ticks()} * 16; }

const std::uint32_t mesh::kCyclesOfUs = board::regs::kTimerClockHz / 1'000'000;
