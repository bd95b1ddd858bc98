// A channel carries values of its own type only.
// EXPECT: cannot convert
#include "kernel/api/channel.hpp"

mesh::Process writer(mesh::Kernel&, mesh::Channel<mesh::NodeId>& channel) {
#ifdef MESH_COMPILES
    co_await channel.write(mesh::NodeId{4});
#else
    co_await channel.write(mesh::Port{4});
#endif
    co_return mesh::Status::ok;
}
