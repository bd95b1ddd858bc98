// A process may not have been started.
// EXPECT: ignoring return value
#include "kernel/node/kernel.hpp"

#pragma GCC diagnostic error "-Wunused-result"

mesh::Process worker(mesh::Kernel&) { co_return mesh::Status::ok; }

mesh::Process program(mesh::Kernel& kernel) {
    mesh::ProcessId id;
#ifdef MESH_COMPILES
    if (!kernel.spawn(worker(kernel), id))
        co_return mesh::Status::no_memory;
#else
    kernel.spawn(worker(kernel), id);
#endif
    co_return mesh::Status::ok;
}
