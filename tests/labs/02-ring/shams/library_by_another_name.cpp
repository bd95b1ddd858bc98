// EARNS: 0
// SAYS: which this check forbids
#include "meshputer.hpp"

#define ADD_UP(node, sum) mesh::all##reduce_value(node, sum)

mesh::Process app_main(mesh::Kernel& node) {
    unsigned sum = mesh::word<unsigned>(node, 0, 0);
    const mesh::Status status = co_await ADD_UP(node, sum);
    mesh::print("{}\n", sum);
    co_return status;
}
