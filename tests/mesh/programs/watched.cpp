// A process that is to have a turn every 10 ms beside one that computes for so many milliseconds as
// the first word says; then what the node says of itself: turns, counters, log.
#include "meshputer.hpp"

#include <cstdlib>

using namespace mesh;

constexpr std::uint32_t kLimitUs = 10'000;

void compute(unsigned ms) {
    const std::uint64_t begin = cycles();
    while (cycles() - begin < std::uint64_t{1000} * ms * kCyclesOfUs)
        continue;
}

Process beats(Kernel& node, TurnWatch& watch) {
    TurnLimit limit{watch, kLimitUs};
    bool computed = false;
    co_await node.wait_until([&computed] { return std::exchange(computed, true); });
    print("beats\n");
    co_return Status::ok;
}

Process computes(Kernel&, unsigned ms) {
    compute(ms);
    print("computed\n");
    co_return Status::ok;
}

Process app_main(Kernel& node) {
    if (index(node.id()) != 0)
        co_return Status::ok;
    Log<LogLevel::info, 3> log{node};
    Log<> off{node, true};
    TurnWatch watch{node};
    co_await node.yield(); // what begins now is measured
    const unsigned ms = static_cast<unsigned>(std::atoi(node.arguments()[0].data()));
    const Status all = co_await par(node, beats(node, watch), computes(node, ms));
    const LateTurn& late = watch.late();
    print("late: {} behind {}, {}\n", late.process, late.keeper, late.us >= kLimitUs);
    print("longest: {}, {}\n", watch.longest_process(), watch.longest_us() >= 1000 * ms);
    if (const Count count = count_of(node, "late_turns").value(); count.value != 0)
        print("{}: {}\n", count.name, count.reason);
    print("{} counters, no {}\n", kCounterCount, count_of(node, "sheep").has_value());

    log(LogLevel::error, "is lost");
    log(LogLevel::info, "took {} of {}", 3u, node.nodes());
    log(LogLevel::debug, "is none");
    off(LogLevel::error, "is none either");
    co_await node.sleep(5 * wire::kTicksPerUnit / 2);
    log(LogLevel::warning, "{} says {}: {}", node.id(), Status::unreachable, -7);
    log.set_level(LogLevel::error);
    log(LogLevel::warning, "is none");
    log(LogLevel::error, "ends");
    print("{} lines, {} lost, first at {}\n", log.size(), log.lost(), log[0].time);
    log.print();
    print("{} lines, {} of the other\n", log.size(), off.size());
    co_return all;
}
