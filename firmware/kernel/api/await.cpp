#include "kernel/api/await.hpp"

namespace mesh {

namespace {

// True if single packets of `node` come by the one cable by which packets of this node go there.
bool shares_cable(const Kernel& kernel, NodeId node, Path path) {
    if (path.rule != Rule::unicast || kernel.network().topology == Topology::uhc)
        return false;
    unsigned port = 0;
    while (port < kernel.ports() && kernel.neighbor(port_at(port)) != node)
        ++port;
    return port < kernel.ports();
}

} // namespace

SourceWait::SourceWait(Kernel& kernel, NodeId source, const Match& match, Path path)
    : kernel_(kernel),
      match_(match),
      peer_{kernel.messages(), source, Rule::unicast} {
    match_.source = source;
    peer_.receives = match.service == Service::message && match.call == 0;
    if (source == kAnySource) {
        if (peer_.receives) // else it has no label, and no call ends it
            peer_.label = match.tag;
        peer_.lose_way();
        return;
    }
    peer_.label = CallLabel::of(match.tag, match.call).word();
    if (match.service == Service::packet) {
        peer_.question = Service::look;
        peer_.about = path.word();
        peer_.any_way = !shares_cable(kernel, source, path);
    } else if (match.service == Service::fragment) {
        peer_.about = match.message;
    }
    kernel.messages().look_at_way(peer_);
    peer_.ask_at = kernel.ask_time(0);
}

bool SourceWait::over() {
    if (!kernel_.has(match_) && !(asks_now_ && peer_.alive && !peer_.unknown)) {
        if (kernel_.ask(peer_))
            return false;
        status_ = Status::unreachable;
    }
    peer_.ask_at = wire::kNever;
    return true;
}

Packet SourceWait::take() {
    return status_ == Status::ok ? kernel_.take(match_) : Packet{kernel_, nullptr};
}

PacketAwait::PacketAwait(Kernel& kernel, NodeId source, const Match& match, Path path)
    : Waiting(kernel.scheduler(), ask),
      wait_(kernel, source, match, path) {}

} // namespace mesh
