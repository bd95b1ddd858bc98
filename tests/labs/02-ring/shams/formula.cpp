// EARNS: 0
// SAYS: and that is wrong
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    mesh::print("{}\n", node.nodes() * (node.nodes() - 1) / 2);
    co_return mesh::Status::ok;
}
