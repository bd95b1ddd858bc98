#include "kernel/await.hpp"

#include <utility>

namespace mesh {

Task<unsigned> detail::ask(Kernel& kernel, Outgoing& outgoing, Service service,
                           std::uint32_t about) {
    const bool everywhere = !outgoing.has_way();
    const Rule rule = outgoing.rule();
    const unsigned end = everywhere ? kernel.path_count() : outgoing.path() + 1;
    if (!kernel.can_carry(rule))
        co_return 0;
    if (rule == Rule::disjoint)
        outgoing.begin_round();
    const std::uint8_t round = rule == Rule::disjoint ? outgoing.round : 0;
    unsigned asked = 0;
    for (unsigned path = everywhere ? 0 : outgoing.path(); path < end; ++path) {
        if (everywhere && kernel.cut_off(outgoing.to, rule, path))
            continue;
        OutgoingPacket packet = co_await kernel.allocate(rule);
        packet.header().subtree = static_cast<std::uint8_t>(path);
        packet.header().destination = outgoing.to;
        packet.header().service = static_cast<std::uint8_t>(service);
        packet.header().flags = wire::packet_flag::kTimeless;
        packet.header().message = outgoing.message;
        packet.header().position = about;
        packet.header().tag = Way::tag(Way::of(packet.header()), round);
        kernel.inject(std::move(packet));
        ++asked;
    }
    co_return asked;
}

Task<Packet> await_from(Kernel& kernel, NodeId source, Match match) {
    match.source = source;
    const bool any_way = match.service != Service::packet;
    const std::uint32_t about = match.service == Service::fragment ? match.message : 0;
    Outgoing peer{kernel.messages(), source, Rule::unicast};
    peer.lost = kernel.cut_off(source);
    bool silent = false; // since it was last asked
    unsigned asked = 0;
    for (;;) {
        peer.ask_at = kernel.ask_time(asked);
        co_await kernel.wait_until([&kernel, &peer, match] {
            return kernel.has(match) || peer.lost || peer.unknown || kernel.due(peer.ask_at);
        });
        if (kernel.has(match))
            co_return kernel.take(match);
        silent = silent && !std::exchange(peer.alive, false);
        if (peer.unknown || ((peer.lost || silent) && (!any_way || !peer.has_way())))
            co_return Packet{};
        if (peer.lost || silent) {
            peer.lose_way();
            asked = 0;
        } else {
            ++asked;
        }
        if (peer.message == 0)
            kernel.messages().number(peer);
        if (co_await detail::ask(kernel, peer, Service::probe, about) == 0)
            co_return Packet{};
        silent = true;
    }
}

} // namespace mesh
