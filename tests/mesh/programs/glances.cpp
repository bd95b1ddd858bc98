// Loops that look without a wait. // build: --engine sim
#include "meshputer.hpp"
#include <array>
#include <cstring>
using namespace mesh;
bool flag = false;
Process writes(Kernel& node, Channel<int>& channel) {
    flag = node.id() != NodeId{0};
    co_await channel.write(3);
    co_return Status::ok;
}
Process app_main(Kernel& node) {
    const int which = word<int>(node, 0, 0);
    Channel<int> channel{node};
    std::uint32_t last = 0;
    if (index(node.id()) == 0)
        co_return which == 2 ? co_await send_value(node, which, node_at(1), 1) : Status::ok;
    if (!node.spawn(writes(node, channel)))
        co_return Status::no_memory;
    while (which == 1)
        if (co_await alt(node, on(channel)) == 1) // 1
            break;
    while (which == 2)
        if (co_await alt(node, on_message()) == 1) // 2
            break;
    while (which == 3)
        if (co_await fair_alt(node, last, on(channel)) == 1) // 3
            break;
    while (which == 4)
        if (probe(node, NodeId{0}, 3)) // 4
            break;
    while (which == 5 && !flag)
        ; // 5
    const int got = co_await channel.read();
    co_return got == 3 ? Status::ok : Status::failed;
}
