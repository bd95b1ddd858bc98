// SAYS: right, but
// LOSES: not one step wasted
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    const unsigned nodes = node.nodes();
    const mesh::NodeId right = mesh::node_at((me + 1) % nodes);
    const mesh::NodeId left = mesh::node_at((me + nodes - 1) % nodes);
    unsigned number = me;
    unsigned sum = me;
    unsigned next = 0;
    for (unsigned round = 1; round < nodes; ++round) {
        if (me == 0) {
            const mesh::Received got = co_await mesh::receive_value(node, next, left, 1);
            if (got.status != mesh::Status::ok)
                co_return got.status;
        }
        const mesh::Status sent = co_await mesh::send_value(node, number, right, 1);
        if (sent != mesh::Status::ok)
            co_return sent;
        if (me != 0) {
            const mesh::Received got = co_await mesh::receive_value(node, next, left, 1);
            if (got.status != mesh::Status::ok)
                co_return got.status;
        }
        number = next;
        sum += number;
    }
    mesh::print("{}\n", sum);
    co_return mesh::Status::ok;
}
