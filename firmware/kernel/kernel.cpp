#include "kernel/kernel.hpp"

namespace mesh {

namespace {
/// A part of the arena's end, to remember senders in.
std::span<Sender> senders_in(std::span<std::byte> arena) {
    const std::size_t count =
        std::max<std::size_t>(1, arena.size() / limits::kSendersShare / sizeof(Sender));
    const auto place = arena.last(count * sizeof(Sender));
    return {new (place.data()) Sender[count], count};
}
} // namespace

Arena& arena_of(Kernel& kernel) { return kernel.arena(); }

Kernel::Kernel(const wire::Identity& identity, const Memory& memory, std::size_t window_bytes,
               ToHost to_host)
    : here_{identity, rules_of(identity.network.topology)},
      workspace_(memory.workspace),
      pool_(memory.buffers, memory.slots, static_cast<unsigned>(memory.links.size())),
      arena_(memory.arena.first(memory.arena.size() - senders_in(memory.arena).size_bytes())),
      admission_(pool_, here_),
      links_(here_, memory.links, {pool_, counters_, time_, window_bytes}, admission_),
      forwarder_(here_, pool_, counters_, links_, admission_, senders_in(memory.arena)),
      messages_(counters_),
      host_(to_host, identity.node, pool_, arena_, counters_) {}

OutgoingPacket Kernel::new_packet(Rule rule) {
    OutgoingPacket packet{*this, pool_.allocate()};
    packet.header() = {};
    packet.header().rule = rule;
    packet.header().source = id();
    return packet;
}

void Kernel::inject(OutgoingPacket&& packet, wire::ModelTime ready) {
    hear(forwarder_.inject(packet.take(), ready));
    scheduler_.touch();
}

Packet Kernel::take(const Match& match) {
    Packet packet = take_control(match);
    advance_clock(packet.ready());
    return packet;
}

Packet Kernel::take_control(const Match& match) { return {*this, forwarder_.take(match)}; }

void Kernel::hear(const News& news) {
    if (news.service == Service::probe) {
        hear(forwarder_.tell(messages_.answer(news)));
    } else if (news.service == Service::look) {
        News said = news;
        said.service = host_.started() && !scheduler_.any() ? Service::gone : Service::here;
        hear(forwarder_.tell(said));
    } else {
        messages_.hear(news);
    }
    scheduler_.touch();
}

} // namespace mesh
