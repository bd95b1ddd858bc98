#include "kernel/node/kernel.hpp"

namespace mesh {

ByteSource bytes_in(std::span<const std::byte> data) {
    const auto copy = [](const void* from, std::uint32_t position, std::span<std::byte> out) {
        std::copy_n(static_cast<const std::byte*>(from) + position, out.size(), out.begin());
    };
    return {copy, data.data()};
}

Arena& arena_of(Kernel& kernel) { return kernel.arena(); }

NodeParts::NodeParts(const wire::Identity& identity, const Memory& memory, const Cables& cables,
                     ToHost to_host)
    : here_{identity, rules_of(identity.network.topology)},
      workspace_(memory.workspace),
      scheduler_(memory.processes),
      links_(here_, memory.links,
             {memory.buffers, memory.slots, static_cast<unsigned>(memory.links.size()),
              memory.interleaving},
             cables, admission_),
      admission_(links_.context().pool, here_, cables.receivers),
      forwarder_(here_, links_.context().pool, links_.context().counters, links_, admission_,
                 memory.senders),
      messages_(links_.context().counters, scheduler_.holds(), identity.start),
      host_(to_host, identity.node, links_.context().pool, arena_, links_.context().counters),
      arena_(memory.arena) {}

// What may start now must still do so when it does: until start_packet() the links stay out.
bool Kernel::may_start(Rule rule) {
    scheduler_.holds().raise();
    const bool may = admission_.may_start(rule);
    if (!may)
        scheduler_.holds().lower();
    return may;
}

PacketBuffer* Kernel::start_packet() {
    PacketBuffer* const buffer = links_.context().pool.allocate();
    scheduler_.holds().lower();
    return buffer;
}

OutgoingPacket Kernel::new_packet(Rule rule) {
    OutgoingPacket packet{*this, start_packet()};
    packet.header() = {.rule = rule, .source = id()};
    return packet;
}

Kernel::Allocation::Allocation(Kernel& kernel, Rule rule)
    : Waiting(kernel.scheduler_, ask),
      kernel_(kernel),
      rule_(rule) {}

bool Kernel::Allocation::ask(Waiting& self) {
    const auto& allocation = static_cast<Allocation&>(self);
    return allocation.kernel_.may_start(allocation.rule_);
}

Kernel::Arrival::Arrival(Kernel& kernel, const Match& match)
    : Waiting(kernel.scheduler_, ask),
      kernel_(kernel),
      match_(match) {}

bool Kernel::Arrival::ask(Waiting& self) {
    const auto& arrival = static_cast<Arrival&>(self);
    return arrival.kernel_.has(arrival.match_);
}

Kernel::Posting::Posting(Kernel& kernel, const wire::PacketHeader& header, ByteSource source,
                         std::uint32_t position)
    : Waiting(kernel.scheduler_, ask),
      kernel_(kernel),
      header_(header),
      source_(source),
      position_(position) {}

bool Kernel::Posting::ask(Waiting& self) {
    const auto& posting = static_cast<Posting&>(self);
    return posting.kernel_.try_post(posting.header_, posting.source_, posting.position_,
                                    posting.kernel_.now());
}

Kernel::Posting Kernel::post(const wire::PacketHeader& header, ByteSource source,
                             std::uint32_t position) {
    return {*this, header, source, position};
}

bool Kernel::try_post(const wire::PacketHeader& header, ByteSource source, std::uint32_t position,
                      wire::ModelTime ready) {
    if (!may_start(header.rule))
        return false;
    PacketBuffer* const buffer = start_packet();
    buffer->header = header;
    if (header.source == kNoNode)
        buffer->header.source = id();
    if (header.payload_bytes != 0)
        source.fill(source.context, position, buffer->payload());
    inject(buffer, ready);
    return true;
}

void Kernel::inject(PacketBuffer* buffer, wire::ModelTime ready) {
    const Hold hold(scheduler_.holds());
    News news;
    forwarder_.inject(buffer, ready, news);
    hear(news);
    scheduler_.touch();
}

void Kernel::tell(News& news) {
    forwarder_.tell(news);
    hear(news);
    if (forwarder_.send_notices())
        scheduler_.touch();
}

bool Kernel::ask(Outgoing& outgoing) {
    News question;
    if (!messages_.next_question(outgoing, !links_.trying(), question))
        return false;
    bool any = outgoing.way == Way::kChosen;
    for (unsigned path = 0; !any && can_carry(Rule::disjoint) && path < path_count(); ++path)
        any = !cut_off(outgoing.to, Rule::disjoint, path);
    if (any)
        tell(question);
    return any;
}

void Kernel::look_at_way(Outgoing& outgoing) {
    if (cut_off(outgoing.to, outgoing.route))
        outgoing.lost = true;
}

Packet Kernel::take(const Match& match) {
    Packet packet = take_control(match);
    advance_clock(packet.ready());
    return packet;
}

Packet Kernel::take_control(const Match& match) {
    const Hold hold(scheduler_.holds());
    return {*this, forwarder_.take(match)};
}

void Kernel::release(PacketBuffer* buffer) {
    const Hold hold(scheduler_.holds());
    links_.context().pool.release(buffer);
    scheduler_.touch();
}

std::uint64_t Kernel::deadline_in(wire::ModelTime ticks) const {
    const Hold hold(scheduler_.holds()); // time is two words
    return time().after(ticks);
}

bool Kernel::due(std::uint64_t deadline) const {
    const Hold hold(scheduler_.holds());
    return time().now() >= deadline;
}

std::uint64_t Kernel::ask_time(unsigned asked) const {
    const Hold hold(scheduler_.holds());
    return time().ask_receiver_at(asked, links_.patience_min());
}

void Kernel::begin(Incoming& incoming) {
    const Hold hold(scheduler_.holds());
    forwarder_.begin(incoming);
}

void Kernel::end(Incoming& incoming, bool taken) {
    const Hold hold(scheduler_.holds());
    forwarder_.end(incoming, taken);
}

void Kernel::begin_call(CallRecord& record) {
    const Hold hold(scheduler_.holds());
    forwarder_.begin_call(record);
    drop_old_calls();
}

void Kernel::end_call(CallRecord& record) {
    const Hold hold(scheduler_.holds());
    record.under_way = false;
    drop_old_calls();
}

void Kernel::drop_old_calls() {
    News news;
    while (forwarder_.drop_old_call(news)) {
        hear(news);
        news.clear();
    }
    scheduler_.touch();
}

void Kernel::host_send(wire::HostTag tag, std::span<const std::byte> first,
                       std::span<const std::byte> second) {
    const Hold hold(scheduler_.holds());
    host_.send(tag, first, second);
}

void Kernel::print(std::span<const char> text) {
    const Hold hold(scheduler_.holds());
    host_.print(text);
}

void Kernel::flush_print() {
    const Hold hold(scheduler_.holds());
    host_.flush_print();
}

// Gives the moment to ask again.
std::uint64_t Kernel::start_pull(std::uint32_t position, std::span<std::byte> out) {
    const Hold hold(scheduler_.holds());
    host_.pull(position, out);
    return time().pull_again_at();
}

// A question that is for this node may come from it.
void Kernel::hear(News& news) {
    if (!news)
        return;
    scheduler_.touch();
    if (news.service == Service::probe)
        messages_.answer(news);
    else if (news.service == Service::look)
        news.service =
            (host_.started() && !scheduler_.any()) ||
                    calls().is_over(CallLabel::of_word(static_cast<std::uint32_t>(news.detail)))
                ? Service::gone
                : Service::here;
    else
        return messages_.hear(news);
    forwarder_.tell(news);
    if (news)
        messages_.hear(news);
}

} // namespace mesh
