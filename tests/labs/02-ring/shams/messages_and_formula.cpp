// EARNS: 0
// SAYS: and that is wrong
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id()), nodes = node.nodes();
    unsigned theirs = 0;
    for (unsigned round = 1; round < nodes; ++round) {
        const mesh::Received got =
            co_await mesh::sendrecv_value(node, me, mesh::node_at((me + 1) % nodes), theirs,
                                          mesh::node_at((me + nodes - 1) % nodes), 1);
        if (got.status != mesh::Status::ok)
            co_return got.status;
    }
    mesh::print("{}\n", nodes * (nodes - 1) / 2);
    co_return mesh::Status::ok;
}
