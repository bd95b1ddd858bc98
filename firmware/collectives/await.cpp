#include "collectives/await.hpp"

namespace mesh {

namespace {

// True if packets of `node` come by the one cable by which ours go there.
bool shares_cable(const Kernel& kernel, NodeId node, Path path) {
    if (path.rule != Rule::unicast || kernel.network().topology == Topology::uhc)
        return false;
    unsigned port = 0;
    while (port < kernel.ports() && kernel.neighbor(port_at(port)) != node)
        ++port;
    return port < kernel.ports();
}

// By way 0, the shortest, or by disjoint path `way` - 1.
void ask(Kernel& kernel, OutgoingPacket packet, Outgoing& question, Path path) {
    packet.header().subtree = static_cast<std::uint8_t>(question.path());
    packet.header().destination = question.to;
    packet.header().tag = Way::tag(question.way, 0);
    packet.header().service = static_cast<std::uint8_t>(Service::look);
    packet.header().flags = wire::packet_flag::kTimeless;
    packet.header().message = question.message;
    packet.header().position = path.word();
    kernel.inject(std::move(packet), 0);
}

} // namespace

Task<Status> look_for(Kernel& kernel, NodeId node, Path path, Match match) {
    Outgoing question{kernel.messages(), node, Rule::unicast};
    kernel.messages().number(question);
    const unsigned ways = shares_cable(kernel, node, path) ? 1 : 1 + kernel.path_count();
    for (unsigned way = 0; way < ways; ++way) {
        question.way = static_cast<std::uint8_t>(way);
        question.lost = kernel.cut_off(node, question.rule(), question.path());
        if (question.lost || !kernel.can_carry(question.rule()))
            continue;
        OutgoingPacket packet = co_await kernel.allocate(question.rule());
        question.ask_at = kernel.ask_time(0);
        ask(kernel, std::move(packet), question, path);
        co_await kernel.wait_until([&kernel, &question, match] {
            return question.alive || question.unknown || question.lost || kernel.has(match) ||
                   kernel.due(question.ask_at);
        });
        question.ask_at = wire::kNever;
        if (kernel.has(match) || question.alive)
            co_return Status::ok;
        if (question.unknown)
            break;
    }
    co_return Status::unreachable;
}

bool Watch::tired() {
    const bool in_vain = over();
    peer_.ask_at = wire::kNever;
    peer_.alive = in_vain || peer_.alive; // as far as is known; then only time can tell more
    looks_ += in_vain ? 1 : 0;
    return in_vain;
}

Task<Packet> await_packet(Kernel& kernel, NodeId source, Match match, Path path) {
    match.source = source;
    const bool one_way = shares_cable(kernel, source, path);
    Watch watch{kernel, source, one_way ? Rule::unicast : Rule::kCount};
    Status status = one_way && kernel.cut_off(source) ? Status::unreachable : Status::ok;
    while (status == Status::ok && !kernel.has(match)) {
        watch.listen();
        co_await kernel.wait_until(
            [&kernel, &watch, match] { return kernel.has(match) || watch.over(); });
        if (watch.tired() && !kernel.has(match))
            status =
                watch.lost() ? Status::unreachable : co_await look_for(kernel, source, path, match);
    }
    if (kernel.has(match))
        co_return kernel.take(match);
    co_return status == Status::unreachable ? Packet{kernel, nullptr} : Packet{};
}

} // namespace mesh
