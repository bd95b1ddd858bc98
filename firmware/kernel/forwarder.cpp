#include "kernel/forwarder.hpp"

#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

#include <algorithm>
#include <bit>

namespace mesh {

namespace {
Envelope envelope_of(const wire::PacketHeader& header, std::uint8_t tag) {
    return {header.rule,   header.subtree,
            header.source, header.destination,
            tag,           (header.flags & wire::packet_flag::kInward) != 0};
}
} // namespace

Forwarder::Forwarder(const wire::Identity& identity, std::span<Link> links, LinkContext& context)
    : identity_(identity),
      rules_(rules_of(identity.network.topology)),
      links_(links),
      context_(context) {
    if (rules_.answer_way != nullptr)
        context.answer_ports = out_ports();
    for (unsigned port = 0; port < ports(); ++port)
        links_[port].attach(context, port);
}

bool Forwarder::may_inject(Rule rule) const {
    return context_.pool.free() > rules_.longest(identity_.network, rule);
}

PacketBuffer* Forwarder::take(const Match& match) {
    PacketBuffer* buffer = mailbox_.find(match);
    mailbox_.remove(buffer);
    if (match.service == Service::message)
        --unexpected_;
    return buffer;
}

bool Forwarder::has_room(const PacketBuffer* buffer) const {
    return context_.pool.free() > buffer->remaining && notice_count_ < kNotices - 1;
}

bool Forwarder::on_data(unsigned port, const wire::LinkHeader& link, PacketBuffer* buffer) {
    const unsigned longest = rules_.longest(identity_.network, buffer->header.rule);
    buffer->hops = link.hops;
    buffer->remaining = static_cast<std::uint16_t>(longest > link.hops ? longest - link.hops : 0);
    owing_ |= 1u << port;
    switch (this->link(port).on_data(context_, link, has_room(buffer), buffer->remaining)) {
    case Link::Verdict::refuse:
        starved_ = true;
        ++context_.counters[Counter::drop_no_buffer];
        return false;
    case Link::Verdict::duplicate: ++context_.counters[Counter::drop_duplicate]; return false;
    case Link::Verdict::gap: ++context_.counters[Counter::drop_out_of_order]; return false;
    case Link::Verdict::accept: break;
    }
    buffer->ready = link.model_time;
    if (!buffer->header.is_timeless()) {
        wire::ModelTime& unit_ready = links_[port].unit_ready();
        if (!buffer->header.is_part())
            unit_ready =
                clock_.receive(link.model_time, clock_.duration(buffer->header.moved_bytes()));
        buffer->ready = unit_ready;
    }
    forward(buffer, port_at(port),
            static_cast<std::uint8_t>(link.flags >> wire::link_flag::kTagShift));
    return true;
}

Port Forwarder::on_answer(Port port, const wire::LinkHeader& header) {
    if (rules_.answer_way == nullptr)
        return port;
    const AnswerWay way = rules_.answer_way(identity_.network, identity_.node, port, header);
    if (way.arrived)
        return way.port;
    if (way.port == kNoPort) {
        ++context_.counters[Counter::drop_wrong_port];
        return kNoPort;
    }
    passing_ = header;
    passing_.port = way.port;
    ++passing_.hops;
    ++context_.counters[Counter::acks_sent];
    return kNoPort;
}

void Forwarder::inject(PacketBuffer* buffer, wire::ModelTime ready) {
    wire::write_packet_header(buffer->header, buffer->packet().first<wire::kPacketHeaderBytes>());
    wire::seal_packet(buffer->packet());
    buffer->ready = ready;
    buffer->hops = 0;
    buffer->remaining =
        static_cast<std::uint16_t>(rules_.longest(identity_.network, buffer->header.rule));
    if (!buffer->header.is_timeless())
        ++context_.counters[Counter::packets_injected];
    forward(buffer, kNoPort, 0);
}

void Forwarder::forward(PacketBuffer* buffer, Port arrival, std::uint8_t tag) {
    Route route =
        rules_.way(identity_.network, identity_.node, arrival, envelope_of(buffer->header, tag));
    buffer->tags = route.tags;
    if (route.ports.empty() && !route.deliver && arrival != kNoPort)
        ++context_.counters[Counter::drop_no_route];
    while (!route.ports.empty()) {
        send(index(route.ports.pop()), buffer);
        if (arrival != kNoPort)
            ++context_.counters[Counter::packets_forwarded];
    }
    if (route.deliver)
        deliver(buffer);
    context_.pool.release(buffer);
}

void Forwarder::send(unsigned port, PacketBuffer* buffer) {
    Link& link = this->link(port);
    if (link.dead()) {
        undeliverable(buffer);
        return;
    }
    context_.pool.share(buffer);
    const bool behind_held = buffer->header.is_part() && link.held_until(context_) != wire::kNever;
    const wire::ModelTime start = behind_held ? link.held_start() : appointed(port, buffer);
    if (behind_held || (context_.lockstep && start > context_.now))
        link.hold(context_, buffer, start);
    else
        start_on(link, buffer, start);
}

void Forwarder::start_on(Link& link, PacketBuffer* buffer, wire::ModelTime earliest) {
    wire::ModelTime arrival = buffer->ready;
    if (buffer->header.is_part())
        arrival = link.busy_until();
    else if (!buffer->header.is_timeless())
        arrival = clock_.send(std::max(buffer->ready, earliest), link.busy_until(),
                              clock_.duration(buffer->header.moved_bytes()));
    link.enqueue(context_, buffer, arrival);
}

wire::ModelTime Forwarder::appointed(unsigned port, const PacketBuffer* buffer) const {
    const TreeRules* const trees = rules_.trees;
    if (buffer->header.rule == Rule::unicast || trees == nullptr || trees->appointment == nullptr)
        return 0;
    return trees->appointment(identity_.network, clock_, identity_.node, port_at(port), *buffer);
}

void Forwarder::deliver(PacketBuffer* buffer) {
    const wire::PacketHeader& header = buffer->header;
    switch (static_cast<Service>(header.service)) {
    case Service::taken:
    case Service::later:
    case Service::lost: control_(control_context_, header); return;
    case Service::message:
        if (unexpected_ >= context_.pool.capacity() / limits::kUnexpectedShare) {
            ++context_.counters[Counter::bounces];
            notify(header, Service::later);
            return;
        }
        ++unexpected_;
        break;
    case Service::packet:
    case Service::fragment: break;
    case Service::kCount:
    default: ++context_.counters[Counter::drop_unexpected]; return;
    }
    ++context_.counters[Counter::packets_delivered];
    delivery_hash_ = wire::crc32(buffer->packet().first(wire::kPacketHeaderBytes), delivery_hash_);
    context_.pool.share(buffer);
    mailbox_.put(buffer);
    control_(control_context_, header);
}

void Forwarder::undeliverable(const PacketBuffer* buffer) {
    ++context_.counters[Counter::drop_dead_link];
    const auto service = static_cast<Service>(buffer->header.service);
    if (service == Service::message || service == Service::fragment)
        notify(buffer->header, Service::lost);
}

void Forwarder::notify(const wire::PacketHeader& about, Service service) {
    if (about.source == identity_.node) { // its sender is here
        wire::PacketHeader answer = about;
        answer.service = static_cast<std::uint8_t>(service);
        control_(control_context_, answer);
        return;
    }
    if (notice_count_ == kNotices)
        return; // never: has_room() and empty_dead_links() leave one free
    notices_[(notice_first_ + notice_count_++) % kNotices] = {about.source, about.message, service};
}

void Forwarder::send_notices() {
    while (notice_count_ != 0 && may_inject(Rule::unicast)) {
        const Notice notice = notices_[notice_first_];
        notice_first_ = static_cast<std::uint8_t>((notice_first_ + 1) % kNotices);
        --notice_count_;
        PacketBuffer* buffer = context_.pool.allocate();
        buffer->header = {.rule = Rule::unicast,
                          .source = identity_.node,
                          .destination = notice.to,
                          .service = static_cast<std::uint8_t>(notice.service),
                          .flags = wire::packet_flag::kTimeless,
                          .message = notice.message};
        inject(buffer, 0);
        empty_dead_links();
    }
}

void Forwarder::on_time() {
    for (unsigned port = 0; port < ports(); ++port) {
        link(port).on_timer(context_);
        while (PacketBuffer* buffer = links_[port].take_due(context_))
            start_on(links_[port], buffer, context_.now);
    }
    empty_dead_links();
}

// Gives up the packets at dead links, no faster than their senders can be told.
void Forwarder::empty_dead_links() {
    for (Link& link : links_) {
        while (link.dead() && notice_count_ < kNotices - 1) {
            PacketBuffer* buffer = link.take_undeliverable(context_);
            if (buffer == nullptr)
                break;
            undeliverable(buffer);
            context_.pool.release(buffer);
        }
    }
}

bool Forwarder::cut_off(NodeId to) const {
    const Envelope envelope{Rule::unicast, 0, identity_.node, to};
    const Route route = rules_.way(identity_.network, identity_.node, kNoPort, envelope);
    return (route.ports.set() & dead_ports()) != 0;
}

std::uint64_t Forwarder::next_deadline() const {
    std::uint64_t earliest = wire::kNever;
    for (const Link& link : links_)
        earliest = std::min({earliest, link.deadline(), link.held_until(context_)});
    return earliest;
}

void Forwarder::on_quiet() {
    if (!starved_ || notice_count_ >= kNotices - 1)
        return;
    starved_ = false;
    for (unsigned port = 0; port < ports(); ++port) {
        link(port).on_buffers_free(context_.pool.free());
        starved_ = starved_ || links_[port].starved();
    }
}

void Forwarder::flush_acknowledgements() {
    touched_ |= owing_;
    for (; owing_ != 0; owing_ &= owing_ - 1)
        links_[static_cast<unsigned>(std::countr_zero(owing_))].flush_acknowledgement();
}

bool Forwarder::next_frame(wire::LinkHeader& header, PacketBuffer*& packet) {
    if (passing()) {
        header = passing_;
        packet = nullptr;
        passing_.kind = wire::Kind::data;
        return true;
    }
    if (touched_ == 0)
        return false;
    for (unsigned tried = 0; tried < ports(); ++tried) {
        const unsigned port = next_port_;
        next_port_ = static_cast<std::uint8_t>(port + 1 < ports() ? port + 1 : 0);
        if (((touched_ >> port) & 1u) == 0)
            continue;
        if (links_[port].next_frame(context_, header, packet))
            return true;
        touched_ &= ~(1u << port);
    }
    return false;
}

unsigned Forwarder::pending() const {
    unsigned total = notice_count_;
    for (const Link& link : links_)
        total += link.dead() ? 0 : link.pending();
    return total;
}

std::uint32_t Forwarder::dead_ports() const {
    std::uint32_t set = 0;
    for (unsigned port = 0; port < ports(); ++port)
        set |= (links_[port].dead() ? 1u : 0u) << port;
    return set;
}

} // namespace mesh
