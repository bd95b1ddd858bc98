#include "kernel/base/timebase.hpp"

#include <algorithm>

namespace mesh {

void Timebase::come_to(wire::ModelTime time) {
    if (!lockstep_)
        return;
    if (time < wire::kNextTurn) {
        now_ = std::max(now_, time);
        return;
    }
    ++turns_;
    rests_ += time == wire::kAtRest ? 1 : 0;
}

// A count is behind another one by less than half of all numbers.
bool Timebase::due(std::uint64_t deadline) const {
    std::uint32_t count = turns_;
    switch (order_of(deadline)) {
    case kTurns: break;
    case kRests: count = rests_; break;
    default: return deadline <= now_; // kNever is later than any
    }
    return static_cast<std::int32_t>(count - static_cast<std::uint32_t>(deadline)) >= 0;
}

std::uint64_t Timebase::in_pause(std::uint64_t pause, unsigned in_vain, unsigned most) const {
    return now_ + (pause << std::min(in_vain, most));
}

} // namespace mesh
