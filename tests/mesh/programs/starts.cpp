// build: --engine sim
// Globals of some pages, counted up; node 1 sends to node 0.
#include "meshputer.hpp"

#include <array>
#include <cstdio>

#ifndef COUNTS
#define COUNTS 5000 // some pages
#endif
std::array<unsigned, COUNTS> counts;
mesh::Process app_main(mesh::Kernel& node) {
    for (unsigned& count : counts)
        ++count;
    printf("%u %u\n", counts.front(), counts.back());
    if (node.id() == mesh::NodeId{1})
        for (unsigned number = 0; number < 20; ++number)
            std::ignore = co_await mesh::send_value(node, number, mesh::NodeId{0}, 5);
    else if (node.id() == mesh::NodeId{0})
        for (unsigned number = 0; number < 20; ++number)
            std::ignore = co_await mesh::receive_value(node, number, mesh::NodeId{1}, 5);
    co_return mesh::Status::ok;
}
