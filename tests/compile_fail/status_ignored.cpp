// The status of a call into the outside world must be looked at.
// EXPECT: ignoring return
#include "kernel/processes/scheduler.hpp"

#pragma GCC diagnostic error "-Wunused-result"

mesh::Status verdict(mesh::Scheduler& scheduler, mesh::ProcessId id, mesh::wire::ModelTime& end) {
#ifdef MESH_COMPILES
    return scheduler.join(id, end);
#else
    scheduler.join(id, end);
    return mesh::Status::ok;
#endif
}
