// Both at a time.
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    const unsigned nodes = node.nodes();
    const mesh::NodeId right = mesh::node_at((me + 1) % nodes);
    const mesh::NodeId left = mesh::node_at((me + nodes - 1) % nodes);
    unsigned number = mesh::word<unsigned>(node, 0, me);
    unsigned sum = number;
    for (unsigned round = 1; round < nodes; ++round) {
        const unsigned mine = number;
        const mesh::Received got =
            co_await mesh::sendrecv_value(node, mine, right, number, left, 1);
        if (got.status != mesh::Status::ok)
            co_return got.status;
        sum += number;
    }
    mesh::print("{}\n", sum);
    co_return mesh::Status::ok;
}
