// farm: node 0 hands numbers to whichever worker is free and adds up the squares they return.
#include "meshputer.hpp"

#include <array>
#include <cstdio>

using namespace mesh;

constexpr NodeId kRoot{0};
constexpr ChannelNumber kWork{0}, kDone{1};
constexpr std::uint32_t kTasks = 100, kStop = ~0u;

static Process worker(Kernel& node) { // its first result, the square of 0, says that it is free
    const ChannelOut<std::uint32_t> done{node, kRoot, kDone};
    const ChannelIn<std::uint32_t> work{node, kRoot, kWork};
    Status status = Status::ok;
    for (std::uint32_t number = 0; number != kStop && status == Status::ok;) {
        const std::uint32_t square = number * number;
        status = co_await done.write(square);
        if (status == Status::ok)
            status = (co_await work.read(number)).status;
    }
    co_return status;
}

Process app_main(Kernel& node) {
    if (node.id() != kRoot)
        co_return co_await worker(node);
    const std::uint32_t workers = node.nodes() - 1;
    std::array<MailGuard, 255> results; // a channel from each of them
    for (std::uint32_t i = 0; i < workers; ++i)
        results[i] = on(ChannelIn<std::uint32_t>{node, node_at(i + 1), kDone});
    std::uint32_t sum = 0, square = 0, next = 1, stopped = 0;
    while (stopped < workers) {
        const auto free = co_await alt(node, std::span<const MailGuard>{results}.first(workers));
        const ChannelIn<std::uint32_t> results_of{node, node_at(free + 1), kDone};
        const Received done = co_await results_of.read(square);
        if (done.status != Status::ok)
            co_return done.status;
        sum += square;
        const std::uint32_t task = next <= kTasks ? next++ : kStop;
        stopped += task == kStop ? 1 : 0;
        const ChannelOut<std::uint32_t> work_of{node, node_at(free + 1), kWork};
        if (co_await work_of.write(task) != Status::ok)
            co_return Status::unreachable;
    }
    printf("sum of squares 1..%u is %u\n", unsigned{kTasks}, static_cast<unsigned>(sum));
    co_return Status::ok;
}
