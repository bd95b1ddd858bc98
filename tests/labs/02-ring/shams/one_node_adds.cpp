// EARNS: 0
// SAYS: messages, and this task takes
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    using namespace mesh;
    unsigned sum = word<unsigned>(node, 0, 0);
    Status status = Status::ok;
    if (index(node.id()) != 0) {
        status = co_await send_value(node, sum, node_at(0), 1);
        if (status == Status::ok)
            status = (co_await receive_value(node, sum, node_at(0), 2)).status;
    } else {
        for (unsigned from = 1; from < node.nodes() && status == Status::ok; ++from) {
            unsigned theirs = 0;
            status = (co_await receive_value(node, theirs, node_at(from), 1)).status;
            sum += theirs;
        }
        for (unsigned to = 1; to < node.nodes() && status == Status::ok; ++to)
            status = co_await send_value(node, sum, node_at(to), 2);
    }
    print("{}\n", sum);
    co_return status;
}
