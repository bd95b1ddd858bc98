#include "collectives/barrier.hpp"

#include "collectives/await.hpp"

namespace mesh {

namespace {

/// Ports that work in a round.
PortSequence ports_of(const Kernel& kernel, std::uint32_t ports, unsigned round) {
    const bool pairs = kernel.network().topology == Topology::cube;
    return PortSequence::ascending(pairs ? ports & (1u << round) : ports);
}

} // namespace

Task<Status> barrier(Kernel& kernel, Tag tag) {
    const Network network = kernel.network();
    const unsigned rounds = diameter(network);
    const std::uint32_t out_set = kernel.rules().out_ports(network, kernel.id());
    std::uint32_t in_set = kernel.rules().in_ports(network, kernel.id());
    Status status = Status::ok;
    for (unsigned round = 0; round < rounds; ++round) {
        for (PortSequence out = ports_of(kernel, out_set, round); !out.empty();) {
            OutgoingPacket packet = co_await kernel.allocate(Rule::unicast);
            packet.header().destination = kernel.neighbor(out.pop());
            packet.header().tag = tag;
            packet.header().message = round;
            packet.header().flags = status == Status::ok ? 0 : wire::packet_flag::kVoid;
            packet.resize(0);
            kernel.inject(std::move(packet));
        }
        for (PortSequence in = ports_of(kernel, in_set, round); !in.empty();) {
            const Port port = in.pop();
            const NodeId from = kernel.neighbor(port);
            const Awaited awaited =
                judged(co_await await_packet(kernel, from, {.tag = tag, .message = round}));
            status = worse(status, awaited.status);
            if (awaited.absent())
                in_set &= ~(1u << index(port));
        }
    }
    co_return status;
}

} // namespace mesh
