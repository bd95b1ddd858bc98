// SysTick: see systick.hpp. Registers: [V7M] B3.3.
#include "boards/cortex-m/systick.hpp"

#include "boards/cortex-m/regs.hpp"
#include "chip.hpp"

#include <algorithm>
#include <utility>

namespace mesh::board {

namespace {
constexpr std::uint32_t kOn = regs::kTickEnable | regs::kTickInterrupt | regs::kTickProcessorClock;
static_assert(chip::kProcessorHz % 1'000'000 == 0, "alarms would be early: a whole number of MHz");
constexpr std::uint32_t kCountsOfUs = chip::kProcessorHz / 1'000'000;
constexpr std::uint32_t kLongestUs = regs::kTickCountMax / kCountsOfUs;
} // namespace

void SysTick::init() {
    regs::Scb& scb = regs::at<regs::Scb>(regs::kScb);
    scb.shpr[2] = scb.shpr[2] | regs::kTickPriorityLowest;
}

void SysTick::stop() {
    regs::at<regs::SysTick>(regs::kSysTick).control = 0;
    regs::at<regs::Scb>(regs::kScb).icsr = regs::kTickClearPending;
}

void SysTick::start(std::uint64_t time_us) {
    reload_us_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(time_us, 1, kLongestUs));
    regs::SysTick& timer = regs::at<regs::SysTick>(regs::kSysTick);
    timer.reload = reload_us_ * kCountsOfUs - 1;
    timer.value = 0;
    timer.control = kOn;
}

void SysTick::start_ticks(std::uint32_t period_us, hal::TickWork work, void* context) {
    context_ = context;
    work_ = work;
    start(period_us_ = period_us);
}

void SysTick::stop_ticks() {
    if (std::exchange(work_, nullptr) != nullptr)
        stop();
}

void SysTick::wake_after(std::uint64_t time_us) {
    if (work_ == nullptr || time_us < reload_us_)
        start(time_us);
}

void SysTick::on_interrupt() {
    if (work_ == nullptr) {
        stop(); // else it would go on with this period
        return;
    }
    if (reload_us_ != period_us_)
        start(period_us_);
    work_(context_);
}

} // namespace mesh::board
