// philosophers: each node but node 0 thinks and eats, for which it needs two of the forks that node
// 0 hands out; a fork that is asked for waits until it is free. Words: meals of each (5).
// Forks are taken in the order of their numbers, so nobody starves and nothing locks.
#include "meshputer.hpp"

namespace {

constexpr mesh::NodeId kTable{0};
constexpr mesh::Tag kTake = 1;
constexpr mesh::Tag kPutBack = 2;
constexpr mesh::Tag kYours = 3;
constexpr unsigned kForksMax = 1024;

mesh::Process table(mesh::Kernel& node, unsigned requests) {
    static std::array<unsigned, kForksMax> holder; // node; 0: it lies on the table
    static std::array<unsigned, kForksMax> waits;  // node that wants it next; 0: none
    for (unsigned left = 2 * requests; left != 0; --left) {
        unsigned fork = 0;
        const mesh::Received asked = co_await mesh::receive_value(node, fork);
        if (asked.status != mesh::Status::ok)
            co_return asked.status;
        const unsigned who = mesh::index(asked.source);
        if (asked.tag == kTake && holder[fork] != 0) {
            waits[fork] = who;
            continue;
        }
        holder[fork] = asked.tag == kTake ? who : std::exchange(waits[fork], 0);
        if (holder[fork] == 0)
            continue;
        const mesh::Status given =
            co_await mesh::send_value(node, mesh::node_at(holder[fork]), fork, kYours);
        if (given != mesh::Status::ok)
            co_return given;
    }
    mesh::print("{} forks were handed out\n", requests);
    co_return mesh::Status::ok;
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const auto meals = mesh::word<unsigned>(node, 0, 5);
    const unsigned people = node.nodes() - 1;
    if (node.nodes() > kForksMax || people < 2)
        co_return mesh::Status::bad_argument;
    if (node.id() == kTable)
        co_return co_await table(node, 2 * meals * people);
    const unsigned left = mesh::index(node.id()) - 1;
    const unsigned right = (left + 1) % people;
    const std::array forks{std::min(left, right), std::max(left, right)};
    for (unsigned meal = 0; meal < meals; ++meal) {
        mesh::Status status = mesh::Status::ok;
        for (unsigned step = 0; step < 4 && status == mesh::Status::ok; ++step) {
            unsigned fork = forks[step % 2];
            status = co_await mesh::send_value(node, kTable, fork, step < 2 ? kTake : kPutBack);
            if (step < 2 && status == mesh::Status::ok)
                status = (co_await mesh::receive_value(node, fork, kYours, kTable)).status;
        }
        if (status != mesh::Status::ok)
            co_return status;
    }
    mesh::print("ate {} times\n", meals);
    co_return mesh::Status::ok;
}
