// SAYS: with tag 2
// LOSES: the sum at each of 8 nodes
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    const unsigned nodes = node.nodes();
    const mesh::NodeId right = mesh::node_at((me + 1) % nodes);
    const mesh::NodeId left = mesh::node_at((me + nodes - 1) % nodes);
    unsigned number = me;
    unsigned sum = me;
    for (unsigned round = 1; round < nodes; ++round) {
        const unsigned mine = number;
        mesh::Request sending{node, mesh::send_value(node, mine, right, 1)};
        const mesh::Received got = co_await mesh::receive_value(node, number, left, 2);
        if (got.status != mesh::Status::ok)
            co_return got.status;
        if (const mesh::Status sent = co_await mesh::wait(node, sending); sent != mesh::Status::ok)
            co_return sent;
        sum += number;
    }
    mesh::print("{}\n", sum);
    co_return mesh::Status::ok;
}
