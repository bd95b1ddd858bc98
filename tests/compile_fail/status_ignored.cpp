// What became of a call into the outside world must be looked at.
// EXPECT: ignoring return
#include "kernel/scheduler.hpp"

#pragma GCC diagnostic error "-Wunused-result"

mesh::Status verdict(mesh::Scheduler& scheduler, mesh::ProcessId id) {
#ifdef MESH_COMPILES
    return scheduler.join(id);
#else
    scheduler.join(id);
    return mesh::Status::ok;
#endif
}
