// philosophers: each node but node 0 thinks, and eats with two of the forks of node 0.
// A fork that is asked for waits until it is free. Words: meals of each philosopher (5).
// Forks are taken in the order of their numbers, so nobody starves and nothing locks.
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr NodeId kTable{0};
constexpr Tag kTake = 1, kPutBack = 2, kYours = 3;
constexpr unsigned kForksMax = 1024;

static Process table(Kernel& node, unsigned requests) {
    static std::array<unsigned, kForksMax> holder; // node; 0: it lies on the table
    static std::array<unsigned, kForksMax> waits;  // node that wants it next; 0: none
    for (unsigned left = 2 * requests; left != 0; --left) {
        unsigned fork = 0;
        const Received asked = co_await receive_value(node, fork);
        if (asked.status != Status::ok)
            co_return asked.status;
        const unsigned who = index(asked.source);
        if (asked.tag == kTake && holder[fork] != 0) {
            waits[fork] = who;
            continue;
        }
        holder[fork] = asked.tag == kTake ? who : std::exchange(waits[fork], 0u);
        if (holder[fork] == 0)
            continue;
        const Status given = co_await send_value(node, fork, node_at(holder[fork]), kYours);
        if (given != Status::ok)
            co_return given;
    }
    print("{} forks were handed out\n", requests);
    co_return Status::ok;
}

Process app_main(Kernel& node) {
    const auto meals = word<unsigned>(node, 0, 5);
    const unsigned people = node.nodes() - 1;
    if (node.nodes() > kForksMax || people < 2)
        co_return refuse(node, "philosophers: 2 to 1023 of them and a table: 3 to 1024 nodes");
    if (node.id() == kTable)
        co_return co_await table(node, 2 * meals * people);
    const unsigned left = index(node.id()) - 1;
    const unsigned right = (left + 1) % people;
    const std::array forks{std::min(left, right), std::max(left, right)};
    for (unsigned step = 0; step < 4 * meals; ++step) { // takes two, puts both back
        const bool takes = step % 4 < 2;
        unsigned fork = forks[step % 2];
        Status status = co_await send_value(node, fork, kTable, takes ? kTake : kPutBack);
        if (takes && status == Status::ok)
            status = (co_await receive_value(node, fork, kTable, kYours)).status;
        if (status != Status::ok)
            co_return status;
    }
    print("ate {} times\n", meals);
    co_return Status::ok;
}
