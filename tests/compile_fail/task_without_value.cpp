// A task can fail, so it has something to say of that.
// EXPECT: a Task has a value, so that it can fail: Task<Status>
#include "kernel/node/kernel.hpp"

#ifdef MESH_COMPILES
mesh::Task<mesh::Status> worker(mesh::Kernel&) { co_return mesh::Status::ok; }
#else
mesh::Task<void> worker(mesh::Kernel&) { co_return; }
#endif
