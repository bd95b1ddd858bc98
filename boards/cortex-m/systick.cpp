// SysTick: see systick.hpp. Registers: [V7M] B3.3.
#include "boards/cortex-m/systick.hpp"

#include "boards/cortex-m/regs.hpp"
#include "chip.hpp"

#include <algorithm>

namespace mesh::board {

namespace {
constexpr std::uint32_t kOn = regs::kTickEnable | regs::kTickInterrupt | regs::kTickProcessorClock;
constexpr std::uint32_t kCountsOfUs = chip::kProcessorHz / 1'000'000;
constexpr std::uint32_t kLongestUs = regs::kTickCountMax / kCountsOfUs;

void start(std::uint32_t counts) {
    regs::SysTick& timer = regs::at<regs::SysTick>(regs::kSysTick);
    timer.reload = counts - 1;
    timer.value = 0;
    timer.control = kOn;
}
} // namespace

void SysTick::init() {
    regs::Scb& scb = regs::at<regs::Scb>(regs::kScb);
    scb.shpr[2] = scb.shpr[2] | regs::kTickPriorityLowest;
}

void SysTick::stop() {
    regs::at<regs::SysTick>(regs::kSysTick).control = 0;
    regs::at<regs::Scb>(regs::kScb).icsr = regs::kTickClearPending;
}

void SysTick::start_ticks(void (*work)(void* context), void* context) {
    if (work_ != nullptr)
        return;
    context_ = context;
    work_ = work;
    start(chip::kProcessorHz / 1000);
}

void SysTick::stop_ticks() {
    if (work_ == nullptr)
        return;
    stop();
    work_ = nullptr;
}

void SysTick::wake_after(std::uint64_t time_us) {
    if (work_ != nullptr)
        return;
    const auto us = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(time_us, 1, kLongestUs));
    start(us * kCountsOfUs);
}

void SysTick::on_interrupt() {
    if (work_ != nullptr)
        work_(context_);
    else
        stop(); // else it would go on with this period
}

} // namespace mesh::board
