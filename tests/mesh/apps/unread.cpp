// Node 0 sends node 1 a message that nobody takes, and all programs end well.
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    if (node.id() == mesh::NodeId{0} &&
        !node.spawn(mesh::send(node, mesh::NodeId{1}, {.tag = 5}, {})))
        co_return mesh::Status::no_memory;
    co_return mesh::Status::ok;
}
