#include "kernel/kernel.hpp"

namespace mesh {

namespace {
/// A part of the arena's end, to remember senders in.
std::span<Sender> senders_in(std::span<std::byte> arena) {
    const std::size_t count = arena.size() / limits::kSendersShare / sizeof(Sender);
    if (count == 0)
        return {};
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

void Kernel::tell(const News& news) {
    hear(forwarder_.tell(news));
    if (forwarder_.send_notices())
        scheduler_.touch();
}

bool Kernel::ask(Outgoing& outgoing) {
    News question;
    if (!messages_.next_question(outgoing, question))
        return false;
    if (outgoing.to == id())
        return outgoing.alive = true;
    bool any = outgoing.way == Way::kChosen;
    for (unsigned path = 0; !any && can_carry(Rule::disjoint) && path < path_count(); ++path)
        any = !cut_off(outgoing.to, Rule::disjoint, path);
    if (any)
        tell(question);
    return any;
}

Packet Kernel::take(const Match& match) {
    PacketBuffer* buffer = forwarder_.take(match);
    advance_clock(buffer->ready);
    return Packet{*this, buffer};
}

void Kernel::hear(const News& news) {
    if (news.service == Service::probe)
        hear(forwarder_.tell(messages_.answer(news)));
    else
        messages_.hear(news);
    scheduler_.touch();
}

} // namespace mesh
