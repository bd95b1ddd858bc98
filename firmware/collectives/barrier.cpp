#include "collectives/barrier.hpp"

namespace mesh {

Task<Status> barrier(Kernel& kernel, Tag tag) {
    for (unsigned port = 0; port < kernel.ports(); ++port) {
        const NodeId peer = kernel.neighbor(port_at(port));
        const auto step = static_cast<Tag>(tag + port);
        Packet packet = co_await kernel.allocate(Rule::unicast);
        packet.header().destination = peer;
        packet.header().tag = step;
        packet.resize(0);
        kernel.inject(std::move(packet));
        co_await kernel.receive({.tag = step, .source = peer});
    }
    co_return Status::ok;
}

} // namespace mesh
