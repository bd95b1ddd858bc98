#include "collectives/broadcast.hpp"

#include "core/cube/timetable.hpp"

#include <algorithm>

namespace mesh {

namespace {
bool possible(const Kernel& kernel, const BroadcastPlan& plan) {
    return index(plan.root) < kernel.nodes() && plan.packet_bytes != 0 && plan.tree != Rule::sbg &&
           plan.tree != Rule::unicast &&
           tree_rules(kernel.network().topology).height(kernel.network(), plan.tree) != 0;
}
} // namespace

unsigned subtree_of(const Kernel& kernel, Rule tree, std::uint32_t packet, std::uint32_t packets) {
    const Network network = kernel.network();
    const TreeRules& trees = tree_rules(network.topology);
    return trees.first_subtree(network, tree) +
           broadcast_subtree(tree, trees.subtree_count(network, tree), kernel.job().ports, packet,
                             packets);
}

Task<Packet> next_broadcast_packet(Kernel& kernel, const BroadcastPlan& plan,
                                   Cutting::Fragment fragment) {
    if (!kernel.can_carry(plan.tree))
        co_return Packet{};
    if (kernel.id() != plan.root) {
        const Match next{.tag = plan.tag, .source = plan.root, .message = fragment.packet};
        co_return co_await kernel.receive(next);
    }
    Packet packet = co_await kernel.allocate(plan.tree);
    packet.header().tag = plan.tag;
    packet.header().subtree =
        static_cast<std::uint8_t>(subtree_of(kernel, plan.tree, fragment.packet, plan.packets()));
    plan.cutting().describe(fragment, packet.header());
    packet.resize(fragment.bytes);
    co_return packet;
}

Task<Status> broadcast(Kernel& kernel, const BroadcastPlan& plan, std::span<std::byte> buffer) {
    if (!possible(kernel, plan) || buffer.size() < plan.total_bytes)
        co_return Status::bad_argument;
    const Cutting cutting = plan.cutting();
    std::uint32_t position = 0;
    do {
        const Cutting::Fragment fragment = cutting.at(position);
        Packet packet = co_await next_broadcast_packet(kernel, plan, fragment);
        if (!packet)
            co_return Status::no_memory;
        const auto part = buffer.subspan(position, fragment.bytes);
        if (kernel.id() == plan.root) {
            std::copy(part.begin(), part.end(), packet.payload().begin());
            kernel.inject(std::move(packet));
        } else {
            std::copy(packet.payload().begin(), packet.payload().end(), part.begin());
        }
        position += fragment.bytes;
    } while (position < plan.total_bytes);
    co_return Status::ok;
}

} // namespace mesh
