// EXPECT: read-only
#include "kernel/node/kernel.hpp"

mesh::Process app(mesh::Kernel& node) {
    mesh::Packet packet = co_await node.receive({});
    packet.payload()[0] = std::byte{99};
    co_return mesh::Status::ok;
}
