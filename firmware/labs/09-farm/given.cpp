// Lab 9: a farm. Given: it stays as it is. Words: tasks (42).
//
// Node 0 is the farmer, the others are workers. Nobody knows how long a task takes, and only the
// farmer knows how many there are. At the end the farmer prints the sum of all results.
#include "meshputer.hpp"

using namespace mesh;

constexpr NodeId kFarmer{0};
constexpr Tag kAsk = 1, kTask = 2;
constexpr unsigned kNoTask = ~0u;

/// Does a task: its result, after the time that it takes.
Task<unsigned> work(Kernel& node, unsigned task) {
    const unsigned units = task % 7 == 1 ? 200 : 20;
    co_await node.sleep(units * wire::kTicksPerUnit);
    co_return task* task;
}

#include "answer.hpp"

Process app_main(Kernel& node) {
    const auto tasks = word<unsigned>(node, 0, 42);
    unsigned sum = 0;
    if (node.id() != kFarmer)
        co_return co_await worker(node);
    const Status status = co_await farmer(node, tasks, sum);
    print("{} tasks, sum {}\n", tasks, sum);
    co_return status;
}
