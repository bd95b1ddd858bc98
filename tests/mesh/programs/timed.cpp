// A time-out of 30 units for what takes a few is never over. // build: --engine sim
#include "meshputer.hpp"
mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    unsigned value = me;
    const mesh::NodeId next = mesh::node_at((me + 1) % node.nodes());
    mesh::ProcessId sending;
    if (!node.spawn(mesh::send(node, next, {}, std::as_bytes(std::span{&me, 1})), sending))
        co_return mesh::Status::no_memory;
    const mesh::Received got = co_await mesh::receive_within(
        node, 30 * mesh::wire::kTicksPerUnit, std::as_writable_bytes(std::span{&value, 1}));
    const mesh::Status sent = co_await node.join(sending);
    co_return got.status != mesh::Status::ok ? got.status : sent;
}
