// A clock of a process's own, which does not drift: `co_await ticker.next()`.
#pragma once

#include "core/base/order.hpp"
#include "kernel/base/limits.hpp"
#include "kernel/node/kernel.hpp"

#include <cstdint>

namespace mesh {

/// Ticks every `period`, in ticks of model time (wire::kTicksPerUnit are a millisecond of a node
/// that runs free), from when it is made. Each tick is due at a multiple of the period, however
/// long the process was busy: a loop around Kernel::sleep() would add that time at each turn.
///   Ticker ticker{node, 5 * wire::kTicksPerUnit};
///   for (;;) { co_await ticker.next(); ... }
/// It may be used in a simulation and in lockstep, and takes no timer of the chip.
class Ticker {
public:
    /// `period`: one microsecond at least, else it is one.
    Ticker(Kernel& node, wire::ModelTime period)
        : node_(node),
          period_(greatest(period, limits::kTicksPerUs)),
          begin_(node.deadline_in(0)),
          clock_(node.now()) {}

    /// Waits for the next tick. Gives the number of ticks that were due since the last call: 1 for
    /// a process that is in time. Those that it was late for are over, so the next one is in step.
    auto next() {
        passed_ += period_;
        const std::uint64_t due = begin_ + passed_ / unit();
        return detail::wait(
            node_, detail::TimeCome{node_, due}, [this, due] { return catch_up(due); }, due);
    }

private:
    /// Ticks in the unit of the kernel's time, which counts microseconds where a node runs free.
    wire::ModelTime unit() const { return node_.lockstep() ? 1 : limits::kTicksPerUs; }
    std::uint32_t catch_up(std::uint64_t due) {
        const wire::ModelTime late = (node_.deadline_in(0) - due) * unit();
        const wire::ModelTime missed = late / period_;
        passed_ += missed * period_;
        node_.advance_clock(clock_ + passed_);
        return static_cast<std::uint32_t>(missed + 1);
    }

    Kernel& node_;
    wire::ModelTime period_;
    std::uint64_t begin_;
    wire::ModelTime clock_; // of the process, when it began
    wire::ModelTime passed_ = 0;
};

} // namespace mesh
