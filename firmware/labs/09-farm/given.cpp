// Lab 9: a farm. Given: it stays as it is. Words: tasks (42);
// what a worker adds to each result.
//
// Node 0 is the farmer, the others are workers. Nobody knows how long a task takes, and only the
// farmer knows how many there are. At the end the farmer has the sum of all results.
#include "meshputer.hpp"

using namespace mesh;

constexpr NodeId kFarmer{0};
constexpr Tag kAsk = 1, kTask = 2;
constexpr unsigned kNoTask = ~0u;

/// The work of a node: tasks, the sum of their numbers, of the squares of these, of the results.
using Done = std::array<unsigned, 4>;
static Done done;
static bool works;

/// Does a task: its result, after the time that it takes. A worker does one at a time.
Task<unsigned> work(Kernel& node, unsigned task) {
    if (works || node.id() == kFarmer)
        print("{}\n", works ? "I do two tasks at a time" : "the farmer works");
    works = true;
    const unsigned units = task % 7 == 1 ? 200 : 20;
    co_await node.sleep(units * wire::kTicksPerUnit);
    works = false;
    const unsigned result = task * task + word<unsigned>(node, 1, index(node.id()));
    done = {done[0] + 1, done[1] + task, done[2] + task * task, done[3] + result};
    co_return result;
}

#include "answer.hpp"

Process app_main(Kernel& node) {
    const auto tasks = word<unsigned>(node, 0, 42);
    unsigned sum = 0;
    const Status status =
        node.id() == kFarmer ? co_await farmer(node, tasks, sum) : co_await worker(node);
    const Status added = co_await allreduce_values(node, std::span{done});
    unsigned numbers = 0, squares = 0;
    for (unsigned task = 0; task < tasks; ++task) {
        numbers += task;
        squares += task * task;
    }
    if (node.id() == kFarmer && done[0] == tasks && done[1] == numbers && done[2] == squares)
        print("{} tasks, each of them once\n", tasks);
    if (node.id() == kFarmer)
        print("the sum is {}\n", sum == done[3] ? "right" : "not that of the results");
    co_return first_failure(status, added);
}
