#include "kernel/kernel.hpp"

namespace mesh {

Arena& arena_of(Kernel& kernel) { return kernel.arena(); }

Kernel::Kernel(const wire::Identity& identity, const Memory& memory, const Cables& cables,
               ToHost to_host)
    : here_{identity, rules_of(identity.network.topology)},
      workspace_(memory.workspace),
      pool_(memory.buffers, memory.slots, static_cast<unsigned>(memory.links.size())),
      arena_(memory.arena),
      admission_(pool_, here_, cables.receivers),
      links_(here_, memory.links, {pool_, counters_, time_, cables}, admission_),
      forwarder_(here_, pool_, counters_, links_, admission_),
      messages_(counters_),
      scheduler_(memory.processes),
      host_(to_host, identity.node, pool_, arena_, counters_) {}

Packet Kernel::new_packet(Rule rule) {
    Packet packet{*this, pool_.allocate()};
    packet.header() = {};
    packet.header().rule = rule;
    packet.header().source = id();
    return packet;
}

void Kernel::inject(Packet&& packet) {
    hear(forwarder_.inject(packet.take(), now()));
    scheduler_.touch();
}

Packet Kernel::take(const Match& match) {
    PacketBuffer* buffer = forwarder_.take(match);
    advance_clock(buffer->ready);
    return Packet{*this, buffer};
}

void Kernel::hear(const News& news) {
    messages_.hear(news);
    scheduler_.touch();
}

} // namespace mesh
