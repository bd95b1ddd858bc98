// Lab 3: a chain of processes sieves primes. Given: it stays as it is. Words: stages (6).
//
//   numbers -> filter -> filter -> ... -> rest
//
// All on one node. Numbers go down the chain, kEnd is behind the last one.
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr int kEnd = 0;
constexpr unsigned kStagesMax = 12;

#include "answer.hpp"

static Process numbers(Kernel&, Channel<int>& out, int last) {
    for (int number = 2; number <= last; ++number)
        co_await out.write(number);
    co_await out.write(kEnd);
    co_return Status::ok;
}

/// Prints what has passed all filters.
static Process rest(Kernel&, Channel<int>& in) {
    for (int number = co_await in.read(); number != kEnd; number = co_await in.read())
        print("left: {}\n", number);
    co_return Status::ok;
}

Process app_main(Kernel& node) {
    const auto stages = std::min(word<unsigned>(node, 0, 6), kStagesMax);
    const int last = word<int>(node, 1, 30);
    std::array<std::optional<Channel<int>>, kStagesMax + 1> channels;
    for (unsigned at = 0; at <= stages; ++at)
        channels[at].emplace(node);
    std::array<ProcessId, kStagesMax + 2> children{};
    bool room = node.spawn(numbers(node, *channels[0], last), children[0]) &&
                node.spawn(rest(node, *channels[stages]), children[stages + 1]);
    for (unsigned at = 0; at < stages && room; ++at)
        room = node.spawn(filter(node, *channels[at], *channels[at + 1]), children[at + 1]);
    if (!room)
        co_return Status::no_memory;
    Status status = Status::ok;
    for (unsigned at = 0; at < stages + 2; ++at)
        status = first_failure(status, co_await node.join(children[at]));
    co_return status;
}
