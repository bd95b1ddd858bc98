// The status of a call that waits must be looked at.
// CLANG
// EXPECT: ignoring return value of 'mesh::Status mesh::Sending::await_resume() const'
// EXPECT: [with T = mesh::Status]' declared with attribute 'warn_unused_result'
#include "collectives/barrier.hpp"
#include "kernel/api/message.hpp"

#include <tuple>

#pragma GCC diagnostic error "-Wunused-result"

mesh::Process program(mesh::Kernel& kernel) {
    const mesh::NodeId to{1};
#ifdef MESH_COMPILES
    std::ignore = co_await mesh::barrier(kernel);
    const mesh::Status status = co_await mesh::send(kernel, to, {}, {});
    co_return status;
#else
    co_await mesh::barrier(kernel);
    co_await mesh::send(kernel, to, {}, {});
    co_return mesh::Status::ok;
#endif
}
