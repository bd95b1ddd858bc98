// A call that can wait does nothing until it is awaited, whatever it returns.
// CLANG
// EXPECT: ignoring returned value of type 'mesh::Task<mesh::Status>'
// EXPECT: Kernel::sleep(
// EXPECT: mesh::Channel<int>::Writing
// EXPECT: 'nothing happens before it is awaited: write co_await in front of it'
// EXPECT: unused variable 'sending'
#include "collectives/barrier.hpp"
#include "kernel/api/channel.hpp"

#pragma GCC diagnostic error "-Wunused-result"
#pragma GCC diagnostic error "-Wunused-variable"

mesh::Process program(mesh::Kernel& kernel, mesh::Channel<int>& channel) {
#ifdef MESH_COMPILES
    co_await kernel.sleep(1);
    co_await channel.write(1);
    auto sending = mesh::send(kernel, mesh::NodeId{1}, {}, {});
    const mesh::Status sent = co_await sending;
    co_return sent == mesh::Status::ok ? co_await mesh::barrier(kernel) : sent;
#else
    mesh::barrier(kernel);
    kernel.sleep(1);
    channel.write(1);
    auto sending = mesh::send(kernel, mesh::NodeId{1}, {}, {});
    co_return mesh::Status::ok;
#endif
}
