// Lab 2: each node sends its number round the ring, and adds up the numbers that come by. At the
// end it prints the sum. As it stands nobody ever receives anything: find out why, and mend it.
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    const unsigned nodes = node.nodes();
    const mesh::NodeId right = mesh::node_at((me + 1) % nodes);
    const mesh::NodeId left = mesh::node_at((me + nodes - 1) % nodes);
    unsigned number = mesh::word<unsigned>(node, 0, me); // its first word, which it alone knows
    unsigned sum = number;
    for (unsigned round = 1; round < nodes; ++round) {
        const mesh::Status sent = co_await mesh::send_value(node, number, right, 1);
        if (sent != mesh::Status::ok)
            co_return sent;
        const mesh::Received got = co_await mesh::receive_value(node, number, left, 1);
        if (got.status != mesh::Status::ok)
            co_return got.status;
        sum += number;
    }
    mesh::print("{}\n", sum);
    co_return mesh::Status::ok;
}
