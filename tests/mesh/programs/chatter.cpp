// Prints without end and never waits. // build: --engine sim
#include "meshputer.hpp"
mesh::Process app_main(mesh::Kernel& node) {
    for (;;)
        mesh::print("x\n");
    co_return mesh::Status::ok;
}
