// A call that can wait does nothing until it is awaited.
// EXPECT: ignoring return
#include "collectives/barrier.hpp"

#pragma GCC diagnostic error "-Wunused-result"

mesh::Process program(mesh::Kernel& kernel) {
#ifdef MESH_COMPILES
    co_return co_await mesh::barrier(kernel);
#else
    mesh::barrier(kernel);
    co_return mesh::Status::ok;
#endif
}
