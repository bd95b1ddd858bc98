// Lab 3: a chain of processes sieves primes. Given: it stays as it is. Words: stages (6); the last
// number (30); a number, whose multiples are left out (0: none); 1: what each stage passes on is
// counted.
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

static Process numbers(Kernel&, Channel<int>& out, int last, int left_out) {
    for (int number = 2; number <= last; ++number)
        if (left_out == 0 || number % left_out != 0)
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

/// The number that has come to a stage first, and how many of the others it is to pass on.
struct Came {
    int first = 0;
    unsigned others = 0;
};
static std::array<Came, kStagesMax + 1> came;

/// Counts what goes from one stage to the next. `stage`: how many are before it.
static Process counter(Kernel&, Channel<int>& in, Channel<int>& out, unsigned stage) {
    unsigned count = 0;
    Came& next = came[stage];
    for (int number = co_await in.read(); number != kEnd; number = co_await in.read()) {
        ++count;
        if (next.first == 0)
            next.first = number;
        else
            next.others += number % next.first != 0 ? 1 : 0;
        co_await out.write(number);
    }
    if (stage > 0 && count != came[stage - 1].others)
        print("stage {} has passed on {} numbers, and not {}\n", stage, count,
              came[stage - 1].others);
    co_await out.write(kEnd);
    co_return Status::ok;
}

Process app_main(Kernel& node) {
    const auto stages = std::min(word<unsigned>(node, 0, 6), kStagesMax);
    const int last = word<int>(node, 1, 30);
    const unsigned counted = word<unsigned>(node, 3, 0) == 1 ? 1 : 0;
    // Stage k reads from channel 2k, or from 2k + 1, where a counter is before it.
    std::array<std::optional<Channel<int>>, 2 * kStagesMax + 2> channels;
    for (auto& channel : channels)
        channel.emplace(node);
    std::array<ProcessId, 2 * kStagesMax + 3> children{};
    unsigned begun = 0;
    bool room =
        node.spawn(numbers(node, *channels[0], last, word<int>(node, 2, 0)), children[begun++]) &&
        node.spawn(rest(node, *channels[2 * stages + counted]), children[begun++]);
    for (unsigned at = 0; at < stages && room; ++at)
        room = node.spawn(filter(node, *channels[2 * at + counted], *channels[2 * at + 2]),
                          children[begun++]);
    for (unsigned at = 0; at <= stages && room && counted == 1; ++at)
        room = node.spawn(counter(node, *channels[2 * at], *channels[2 * at + 1], at),
                          children[begun++]);
    if (!room)
        co_return Status::no_memory;
    Status status = Status::ok;
    for (unsigned at = 0; at < begun; ++at)
        status = first_failure(status, co_await node.join(children[at]));
    co_return status;
}
