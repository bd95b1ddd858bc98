// What became of a call into the outside world must be looked at.
// EXPECT: ignoring return
#include "kernel/scheduler.hpp"

#pragma GCC diagnostic error "-Wunused-result"

mesh::Status verdict(const mesh::Scheduler& scheduler, mesh::ProcessId id) {
#ifdef MESH_COMPILES
    return scheduler.status(id);
#else
    scheduler.status(id);
    return mesh::Status::ok;
#endif
}
