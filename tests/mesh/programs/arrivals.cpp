// build: --engine sim
// Node 0 of a square takes a number of each other node in the order in which they come, and fails
// if that order is the word of the command line: 123, 132, 213, ...
#include "meshputer.hpp"

namespace {

mesh::Process take_all(mesh::Kernel& node) {
    unsigned order = 0;
    for (unsigned left = node.nodes() - 1; left != 0; --left) {
        std::uint32_t number = 0;
        const mesh::Received got = co_await mesh::receive_value(node, number);
        if (got.status != mesh::Status::ok)
            co_return got.status;
        order = 10 * order + number;
    }
    co_return order == mesh::word<unsigned>(node, 0, 0) ? mesh::Status::failed : mesh::Status::ok;
}

mesh::Process give(mesh::Kernel& node) {
    co_return co_await mesh::send_value(node, mesh::index(node.id()), mesh::NodeId{0});
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    return mesh::index(node.id()) == 0 ? take_all(node) : give(node);
}
