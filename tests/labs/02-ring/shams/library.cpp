// EARNS: 0
// SAYS: the program calls allreduce(), which this check forbids
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    // A comment with broadcast in it forbids nothing.
    unsigned sum = mesh::word<unsigned>(node, 0, 0);
    const mesh::Status status = co_await mesh::allreduce_value(node, sum);
    mesh::print("{}\n", sum);
    co_return status;
}
