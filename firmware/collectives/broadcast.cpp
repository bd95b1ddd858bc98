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

namespace {

Task<Status> send_all(Kernel& kernel, const BroadcastPlan& plan, std::span<const std::byte> data) {
    const Cutting cutting = plan.cutting();
    std::uint32_t position = 0;
    do {
        const Cutting::Fragment fragment = cutting.at(position);
        Packet packet = co_await next_broadcast_packet(kernel, plan, fragment);
        if (!packet)
            co_return Status::no_memory;
        const auto part = data.subspan(position, fragment.bytes);
        std::copy(part.begin(), part.end(), packet.payload().begin());
        kernel.inject(std::move(packet));
        position += fragment.bytes;
    } while (position < plan.total_bytes);
    co_return Status::ok;
}

/// What somebody whose plan is `theirs` has broadcast, seen by one whose plan is `ours`.
Status verdict(const BroadcastPlan& ours, const BroadcastPlan& theirs) {
    if (theirs.total_bytes > ours.total_bytes)
        return Status::truncated;
    return theirs.total_bytes < ours.total_bytes ? Status::bad_argument : Status::ok;
}

/// The root has cut the message as its first fragment says, and all of it is taken, also what
/// nobody here asked for: it would stay in the pool.
Task<Status> receive_all(Kernel& kernel, const BroadcastPlan& plan, std::span<std::byte> buffer) {
    BroadcastPlan roots = plan;
    std::uint32_t position = 0;
    do {
        const Cutting::Fragment asked{position / roots.packet_bytes, position, 0, false};
        Packet packet = co_await next_broadcast_packet(kernel, roots, asked);
        if (!packet)
            co_return Status::no_memory;
        if (position == 0) {
            roots.total_bytes = packet.header().total_bytes;
            roots.packet_bytes = std::max<std::uint32_t>(packet.header().unit_bytes, 1u);
        }
        const Cutting::Fragment fragment = roots.cutting().at(position);
        if (packet.header().position != position || packet.payload().size() != fragment.bytes)
            co_return Status::bad_argument;
        if (position < buffer.size()) {
            const auto room = buffer.subspan(position);
            std::copy_n(packet.payload().begin(), std::min(room.size(), packet.payload().size()),
                        room.begin());
        }
        position += fragment.bytes;
    } while (position < roots.total_bytes);
    co_return verdict(plan, roots);
}

} // namespace

Task<Status> broadcast(Kernel& kernel, const BroadcastPlan& plan, std::span<std::byte> buffer) {
    if (!possible(kernel, plan) || buffer.size() < plan.total_bytes)
        co_return Status::bad_argument;
    const auto message = buffer.first(plan.total_bytes);
    Status status = Status::ok;
    if (kernel.id() == plan.root)
        status = co_await send_all(kernel, plan, message);
    else
        status = co_await receive_all(kernel, plan, message);
    co_return status;
}

} // namespace mesh
