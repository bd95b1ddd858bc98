// build: --engine sim
// Nodes that do not make the same calls; the comments are marks of lines.
#include "meshputer.hpp"

#include <array>

using namespace mesh;

Process app_main(Kernel& node) {
    const unsigned me = index(node.id());
    const int which = word<int>(node, 0, 0);
    unsigned value = me;
    std::array<unsigned, 4> all{};
    Status status = Status::ok;
    if (which == 1 && me != 3)
        status = co_await allreduce_value(node, value); // 1
    if (which == 2 && me != 3)
        status = co_await broadcast_value(node, value); // 2
    if (which == 3 && me != 0)
        status = co_await broadcast_value(node, value); // 3
    if (which == 4 && me != 2)
        status = co_await gather_value(node, value, all); // 4
    if (which == 5)
        status = co_await broadcast_value(node, value, node_at(me & 1)); // 5
    if (which == 6)
        status = co_await reduce_value(node, value, node_at(me & 1)); // 6
    if (which == 7 && me != 1)
        status = co_await broadcast_value(node, value); // 7
    if (which == 7 && me == 1)
        status = co_await reduce_value(node, value); // other
    for (unsigned round = 0; which == 8 && round < 70; ++round)
        if (const Status more = co_await broadcast_value(node, value, node_at(round % 4));
            more != Status::ok)
            status = more;
    if (which == 9) // no mistake: the nodes of a group, each under the tag of the group
        status = co_await allreduce_value(node, value);
    co_return status;
}
