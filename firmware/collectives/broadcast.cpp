#include "collectives/broadcast.hpp"

#include <algorithm>

namespace mesh {

Task<Packet> next_broadcast_packet(Kernel& kernel, const BroadcastPlan& plan,
                                   std::uint32_t number) {
    if (!kernel.can_carry(plan.tree))
        co_return Packet{};
    if (kernel.id() != plan.root)
        co_return co_await kernel.receive({.tag = plan.tag, .source = plan.root});
    Packet packet = co_await kernel.allocate(plan.tree);
    packet.header().tag = plan.tag;
    packet.header().position = number * plan.packet_bytes;
    packet.header().total_bytes = plan.total_bytes;
    packet.resize(plan.bytes_of(number));
    co_return packet;
}

Task<Status> broadcast(Kernel& kernel, const BroadcastPlan& plan, std::span<std::byte> buffer) {
    if (index(plan.root) >= kernel.nodes() || plan.tree == Rule::unicast ||
        height<KernelRules>(kernel.network(), plan.tree) == 0 || buffer.size() < plan.total_bytes)
        co_return Status::bad_argument;
    for (std::uint32_t number = 0; number < plan.packets(); ++number) {
        Packet packet = co_await next_broadcast_packet(kernel, plan, number);
        if (!packet)
            co_return Status::no_memory;
        const auto part = buffer.subspan(number * plan.packet_bytes, plan.bytes_of(number));
        if (kernel.id() == plan.root) {
            std::copy(part.begin(), part.end(), packet.payload().begin());
            kernel.inject(std::move(packet));
        } else {
            std::copy(packet.payload().begin(), packet.payload().end(), part.begin());
        }
    }
    co_return Status::ok;
}

} // namespace mesh
