#include "deadlines.hpp"

#include <algorithm>

namespace mesh::host {

namespace {
/// A longer time between two ticks is one in which this process was stopped, or starved.
constexpr Deadlines::Seconds kTickMax{1};
constexpr double kLooksPerTimeout = 16;
constexpr Deadlines::Seconds kLookPeriodMax{0.1};
} // namespace

Deadlines::Deadlines(const Rules& rules) : rules_(rules), last_tick_(Clock::now()) {}

void Deadlines::tick(bool moved) {
    const Clock::time_point time = Clock::now();
    now_ += std::min<Seconds>(time - last_tick_, kTickMax);
    last_tick_ = time;
    moved_ = moved;
}

bool Deadlines::late(Seconds since, Seconds after) const {
    if (rules_.held)
        return false;
    return rules_.real_time ? now_ - since > after : !moved_;
}

bool Deadlines::look_due() {
    if (!rules_.real_time)
        return !moved_;
    if (now_ - last_look_ < std::min(kLookPeriodMax, rules_.timeout / kLooksPerTimeout))
        return false;
    last_look_ = now_;
    return true;
}

} // namespace mesh::host
