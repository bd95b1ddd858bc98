// Node 1 executes an undefined instruction; the others end well.
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    if (node.id() == mesh::NodeId{1})
        asm volatile("udf #0");
    co_return mesh::Status::ok;
}
