#include "library/turns.hpp"

#include "hal/cycles.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace mesh {

TurnWatch::TurnWatch(Kernel& kernel, Named named)
    : kernel_(kernel),
      scheduler_(kernel.scheduler()),
      named_(named),
      begun_(cycles()) {
    scheduler_.measure(this);
}

TurnWatch::~TurnWatch() { scheduler_.measure(nullptr); }

std::uint32_t TurnWatch::longest_us() const { return kernel_.result().longest_turn_us; }
unsigned TurnWatch::longest_process() const { return kernel_.result().longest_turn_process; }

// A clock that begins anew (hal/cycles.hpp) has measured nothing.
std::uint64_t TurnWatch::turn_so_far() const { return std::max(cycles(), begun_) - begun_; }

void TurnWatch::asks(unsigned slot) {
    for (TurnLimit* limit = limits_; limit != nullptr; limit = limit->next_)
        if (limit->slot_ == slot) {
            limit->since_ = busy_;
            limit->told_ = false;
        }
    begun_ = cycles();
}

void TurnWatch::ended(unsigned slot) {
    const std::uint64_t turn = turn_so_far();
    busy_ += turn;
    wire::Result& result = kernel_.result();
    const auto us = static_cast<std::uint32_t>(turn / kCyclesOfUs);
    if (us > result.longest_turn_us) {
        result.longest_turn_us = us;
        result.longest_turn_process = slot;
    }
    name_late(slot, busy_);
    for (TurnLimit* limit = limits_; limit != nullptr; limit = limit->next_)
        if (limit->slot_ == slot || !scheduler_.is_to_be_asked(limit->slot_))
            limit->since_ = busy_;
}

void TurnWatch::goes_on(unsigned slot) { name_late(slot, busy_ + turn_so_far()); }

void TurnWatch::name_late(unsigned keeper, std::uint64_t busy) {
    for (TurnLimit* limit = limits_; limit != nullptr; limit = limit->next_) {
        const std::uint64_t kept = busy - limit->since_;
        if (kept <= limit->cycles_ || limit->told_ || limit->slot_ == keeper ||
            !scheduler_.is_to_be_asked(limit->slot_))
            continue;
        limit->told_ = true;
        late_ = {limit->slot_, keeper, static_cast<std::uint32_t>(kept / kCyclesOfUs)};
        ++kernel_.counters()[Counter::late_turns];
        named_(kernel_, late_);
    }
}

// Without printf, for which the stack of interrupts has no room.
void TurnWatch::print_late(Kernel& kernel, const LateTurn& late) {
    const auto print = [&kernel](std::string_view words, std::uint32_t number) {
        std::array<char, 10> digits;
        auto first = digits.end();
        do {
            *--first = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        kernel.print(words);
        kernel.print({first, digits.end()});
    };
    print("process ", late.process);
    print(" had no turn for ", late.us);
    print(" us: process ", late.keeper);
    kernel.print(std::string_view{" has the processor\n"});
}

TurnLimit::TurnLimit(TurnWatch& watch, std::uint32_t us)
    : watch_(watch),
      next_(watch.limits_),
      cycles_(std::uint64_t{us} * kCyclesOfUs),
      since_(watch.busy_),
      slot_(static_cast<std::uint8_t>(watch.scheduler_.current())) {
    const CriticalSection section(watch_.scheduler_.critical_depth());
    watch_.limits_ = this;
}

TurnLimit::~TurnLimit() {
    const CriticalSection section(watch_.scheduler_.critical_depth());
    TurnLimit** link = &watch_.limits_;
    while (*link != this)
        link = &(*link)->next_;
    *link = next_;
}

} // namespace mesh
