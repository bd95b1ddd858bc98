#include "collectives/barrier.hpp"

#include "collectives/await.hpp"
#include "collectives/call.hpp"

#include <algorithm>

namespace mesh {

namespace {

/// Ports that work in a round.
PortSequence ports_of(const Kernel& kernel, std::uint32_t ports, unsigned round) {
    const bool pairs = kernel.network().topology == Topology::cube;
    return PortSequence::ascending(pairs ? ports & (1u << round) : ports);
}

/// Model time of a round in which a node sends `out` packets and receives `in`.
wire::ModelTime round_time(const Kernel& kernel, unsigned out, unsigned in) {
    unsigned packets = 1;
    if (kernel.job().ports == PortModel::duplex)
        packets = std::max(out, in);
    else if (kernel.job().ports == PortModel::half)
        packets = out + in;
    return packets * kernel.link_time(0);
}

Task<Status> meet(Kernel& kernel, Tag tag) {
    const Network network = kernel.network();
    const unsigned rounds = diameter(network);
    const std::uint32_t out_set = kernel.rules().out_ports(network, kernel.id());
    std::uint32_t in_set = kernel.rules().in_ports(network, kernel.id());
    const CallLabel label = kernel.calls().label(tag);
    wire::ModelTime latest = kernel.now(); // of those that are known to have come
    wire::ModelTime rounds_time = 0;
    Status status = Status::ok;
    for (unsigned round = 0; round < rounds; ++round) {
        for (PortSequence out = ports_of(kernel, out_set, round); !out.empty();) {
            const std::uint8_t flags = status == Status::ok ? 0 : wire::packet_flag::kVoid;
            const wire::PacketHeader header{.destination = kernel.neighbor(out.pop()),
                                            .tag = tag,
                                            .flags = flags,
                                            .message = round,
                                            .position = static_cast<std::uint32_t>(latest),
                                            .total_bytes = static_cast<std::uint32_t>(latest >> 32),
                                            .call = label.call};
            co_await kernel.post(header);
        }
        wire::ModelTime heard = latest;
        for (PortSequence in = ports_of(kernel, in_set, round); !in.empty();) {
            const Port port = in.pop();
            const NodeId from = kernel.neighbor(port);
            const Awaited awaited = judged(co_await await_packet(kernel, from, label.match(round)));
            status = worse(status, awaited.status);
            if (awaited.absent()) {
                in_set &= ~(1u << index(port));
                continue;
            }
            const wire::ModelTime high = awaited.packet.header().total_bytes;
            heard = std::max(heard, high << 32 | awaited.packet.header().position);
        }
        latest = heard;
        rounds_time += round_time(kernel, ports_of(kernel, out_set, round).size(),
                                  ports_of(kernel, in_set, round).size());
    }
    kernel.advance_clock(latest + rounds_time);
    kernel.calls().find(tag)->meet();
    co_return status;
}

} // namespace

Task<Status> barrier(Kernel& kernel, Tag tag) { return as_call(kernel, tag, meet(kernel, tag)); }

} // namespace mesh
