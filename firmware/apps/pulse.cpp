// pulse: a clock that does not drift and, on a board, an interrupt of the program's own beside it.
// Words: how many, and the board whose timer is to beat. Without a board only the clock ticks.
#include "meshputer.hpp"

#include <array>

using namespace mesh;

namespace {

/// Arm's CMSDK TRM (DDI 0479), "APB timer": counts down, again and again.
struct Timer {
    volatile std::uint32_t control; // bit 0: counts; bit 3: interrupts at 0
    volatile std::uint32_t value;
    volatile std::uint32_t reload;
    volatile std::uint32_t interrupt; // written with 1: is over
};
struct TimerOf {
    std::string_view board;
    std::uintptr_t address;
    unsigned interrupt;
    unsigned counts; // a beat, of 5 ms
};
/// Timer 0 of each board, by its application note.
constexpr std::array<TimerOf, 2> kPlaces{
    {{"mps2-an505", 0x5000'0000, 3, 100'000}, {"mps2-an385", 0x4000'0000, 8, 125'000}}};

Kernel* node_of_handler;
Timer* timer;
volatile std::uint32_t beats, beats_wanted;

void on_beat() {
    timer->interrupt = 1;
    beats = beats + 1;
    if (beats == beats_wanted)
        timer->control = 0;
    node_of_handler->wake(); // ends the wait for beats below
}

} // namespace

Process app_main(Kernel& node) {
    const auto ticks = word(node, 0, 10u);
    for (const TimerOf& place : kPlaces)
        if (node.arguments().size() > 1 && node.arguments()[1] == place.board) {
            node_of_handler = &node;
            beats_wanted = ticks;
            node.on_interrupt(place.interrupt, on_beat);     // a check fails where there is none
            timer = reinterpret_cast<Timer*>(place.address); // NOLINT(performance-no-int-to-ptr)
            timer->value = place.counts - 1;
            timer->reload = place.counts - 1;
            timer->control = 1u << 3 | 1u;
        }
    unsigned ticked = 0;
    for (Ticker ticker{node, 5 * wire::kTicksPerUnit}; ticked < ticks;)
        ticked += co_await ticker.next(); // more than 1 if the node was held up
    co_await node.wait_until([] { return beats == beats_wanted; });
    print("{} ticks, {} beats\n", ticks, beats_wanted + 0);
    co_return Status::ok;
}
