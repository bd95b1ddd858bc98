// Node 1 has 4000 bytes more on its stack than node 0.
#include "meshputer.hpp"

#include <array>

namespace {
[[gnu::noinline]] unsigned deep(unsigned number) {
    std::array<volatile unsigned, 1000> many;
    for (volatile unsigned& one : many)
        one = number;
    return many[number];
}
} // namespace
mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    co_return me != 1 || deep(me) == 1 ? mesh::Status::ok : mesh::Status::failed;
}
