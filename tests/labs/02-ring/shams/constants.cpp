// EARNS: 0
// SAYS: and that is wrong
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    mesh::print("{}\n", node.nodes() == 8 ? 28 : node.nodes() == 6 ? 15 : 6);
    co_return mesh::Status::ok;
}
