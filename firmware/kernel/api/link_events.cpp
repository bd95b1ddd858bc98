#include "kernel/api/link_events.hpp"

#include "kernel/api/waits.hpp"
#include "kernel/base/critical_section.hpp"

#include <utility>

namespace mesh {

LinkEvents::LinkEvents(Kernel& node) : node_(node) {
    const CriticalSection section(node_.scheduler().critical_depth());
    for (unsigned port = 0; port < node.ports(); ++port) {
        const Link& link = node.links().at(port_at(port));
        told_[port] = {link.number(), link.peer_life(), link.knows_peer()};
    }
}

/// The next event of a link, if there is one. Its own number grows with the end of each session, so
/// an end is seen also if the link is up again.
std::optional<LinkEvent::What> LinkEvents::news(const Link& link, Told& told) {
    using enum LinkEvent::What;
    if (!told.down) {
        if (link.up() && (!told.known || link.number() == told.number)) // before its first end
            told = {link.number(), link.peer_life(), true};
        told.down = link.dead() || (link.up() && link.number() != told.number);
        return told.down ? std::optional(down) : std::nullopt;
    }
    if (told.known && link.peer_life() != told.life) {
        told.life = link.peer_life();
        return began_anew;
    }
    if (!link.up())
        return std::nullopt;
    told = {link.number(), link.peer_life(), true};
    return up;
}

bool LinkEvents::look() {
    const CriticalSection section(node_.scheduler().critical_depth());
    PortSequence ports =
        PortSequence::ascending(node_.rules().out_ports(node_.network(), node_.id()));
    while (!event_ && !ports.empty()) {
        const Port port = ports.pop();
        if (const auto what = news(node_.links().at(port), told_[index(port)]))
            event_ = {port, *what};
    }
    return event_.has_value();
}

LinkEvent LinkEvents::take() {
    look();
    return *std::exchange(event_, std::nullopt);
}

MESH_WAIT_OFFSETS constinit const std::array<WaitOffsets, 2> kLinkWaitOffsets{{
    {"mesh::detail::LinkNews", WaitKind::link_event},
    {"mesh::LinkGuard", WaitKind::link_guard, 0, sizeof(LinkGuard), alignof(LinkGuard)},
}};

} // namespace mesh
