#include "collectives/barrier.hpp"

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
    const std::uint32_t in_set = kernel.rules().in_ports(network, kernel.id());
    for (unsigned round = 0; round < rounds; ++round) {
        for (PortSequence out = ports_of(kernel, out_set, round); !out.empty();) {
            Packet packet = co_await kernel.allocate(Rule::unicast);
            packet.header().destination = kernel.neighbor(out.pop());
            packet.header().tag = tag;
            packet.header().message = round;
            packet.resize(0);
            kernel.inject(std::move(packet));
        }
        for (PortSequence in = ports_of(kernel, in_set, round); !in.empty();) {
            const Match next{.tag = tag, .source = kernel.neighbor(in.pop()), .message = round};
            co_await kernel.receive(next);
        }
    }
    co_return Status::ok;
}

} // namespace mesh
