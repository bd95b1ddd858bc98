#include "kernel/packets/to_set.hpp"

#include "kernel/base/service.hpp"

#include <algorithm>

namespace mesh {

Route way_to_set(const Here& here, Port arrival, PacketBuffer& buffer) {
    const wire::PacketHeader& header = buffer.header;
    const std::span<const std::byte> payload = buffer.payload();
    const std::uint32_t nodes = here.rules.node_count(here.network());
    const std::uint32_t bytes = NodeSet::bytes_for(nodes);
    if (header.destination != kToSet || payload.size() < bytes ||
        header.service != static_cast<std::uint8_t>(Service::packet))
        return {};
    Envelope envelope{.rule = header.rule,
                      .subtree = header.subtree,
                      .source = header.source,
                      .inward = (header.flags & wire::packet_flag::kInward) != 0};
    const auto way = [&](NodeId member) {
        envelope.destination = member;
        return here.way(arrival, envelope);
    };
    return route_to_set(here.network(), nodes, here.node(), arrival, envelope,
                        NodeSet{payload.first(bytes)}, way);
}

void put_set(std::span<std::byte> payload, std::uint32_t nodes, std::span<const NodeId> members) {
    std::ranges::fill(payload.first(NodeSet::bytes_for(nodes)), std::byte{});
    for (const NodeId member : members)
        NodeSet::add(payload, member);
}

} // namespace mesh
