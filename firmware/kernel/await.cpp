#include "kernel/await.hpp"

namespace mesh {

Task<Packet> await_from(Kernel& kernel, NodeId source, Match match) {
    match.source = source;
    Outgoing peer{kernel.messages(), source, Rule::unicast};
    peer.any_way = match.service != Service::packet;
    peer.about = match.service == Service::fragment ? match.message : 0;
    peer.lost = kernel.cut_off(source);
    for (;;) {
        if (source != kAnySource)
            peer.ask_at = kernel.ask_time(peer.asked);
        co_await kernel.wait_until([&kernel, &peer, match] {
            return kernel.has(match) || peer.unknown || kernel.may_ask(peer);
        });
        if (kernel.has(match))
            co_return kernel.take(match);
        if (peer.unknown || !kernel.ask(peer))
            co_return Packet{kernel, nullptr};
    }
}

} // namespace mesh
