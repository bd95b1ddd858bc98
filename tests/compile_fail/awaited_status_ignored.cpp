// What became of a message must be looked at. GCC 12 does not look behind co_await.
// WITH: clang++-14
// EXPECT: ignoring return
#include "kernel/message.hpp"

#pragma GCC diagnostic error "-Wunused-result"

mesh::Process program(mesh::Kernel& kernel) {
    const mesh::NodeId to{1};
#ifdef MESH_COMPILES
    const mesh::Status status = co_await mesh::send(kernel, to, {}, {});
    co_return status;
#else
    co_await mesh::send(kernel, to, {}, {});
    co_return mesh::Status::ok;
#endif
}
