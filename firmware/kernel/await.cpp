#include "kernel/await.hpp"

#include <utility>

namespace mesh {

Task<Packet> await_from(Kernel& kernel, NodeId source, Match match) {
    match.source = source;
    Outgoing peer{kernel.messages(), source, Rule::unicast};
    peer.lost = kernel.cut_off(source);
    for (unsigned asked = 0;; ++asked) {
        peer.ask_at = kernel.ask_time(asked);
        co_await kernel.wait_until([&kernel, &peer, match] {
            return kernel.has(match) || peer.lost || kernel.due(peer.ask_at);
        });
        if (kernel.has(match))
            co_return kernel.take(match);
        const bool answered = std::exchange(peer.alive, false);
        if (peer.lost || (asked != 0 && !answered))
            co_return Packet{};
        if (asked == 0)
            kernel.messages().number(peer);
        Packet probe = co_await kernel.allocate(Rule::unicast);
        probe.header().destination = source;
        probe.header().service = static_cast<std::uint8_t>(Service::probe);
        probe.header().flags = wire::packet_flag::kTimeless;
        probe.header().message = peer.message;
        kernel.inject(std::move(probe));
    }
}

} // namespace mesh
