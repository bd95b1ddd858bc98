#include "kernel/forwarder.hpp"

#include "hal/check.hpp"
#include "wire/crc32.hpp"

namespace mesh {

namespace {
Envelope envelope_of(const wire::PacketHeader& header, std::uint8_t tag) {
    return {header.rule,   header.subtree,
            header.source, header.destination,
            tag,           (header.flags & wire::packet_flag::kInward) != 0};
}
} // namespace

std::optional<News> Forwarder::inject(PacketBuffer* buffer, wire::ModelTime ready) {
    wire::write_packet_header(buffer->header, buffer->packet().first<wire::kPacketHeaderBytes>());
    wire::seal_packet(buffer->packet());
    buffer->ready = ready;
    buffer->hops = 0;
    buffer->remaining = admission_.remaining(buffer->header.rule, 0);
    if (!buffer->header.is_timeless())
        ++counters_[Counter::packets_injected];
    return forward(buffer, kNoPort, 0);
}

std::optional<News> Forwarder::forward(PacketBuffer* buffer, Port arrival, std::uint8_t tag) {
    Route route = here_.way(arrival, envelope_of(buffer->header, tag));
    buffer->tags = route.tags;
    if (route.ports.empty() && !route.deliver)
        ++counters_[Counter::drop_no_route];
    std::optional<News> news;
    while (!route.ports.empty()) {
        if (!links_.send(route.ports.pop(), buffer))
            news = undeliverable(buffer->header);
        if (arrival != kNoPort)
            ++counters_[Counter::packets_forwarded];
    }
    if (route.deliver)
        news = deliver(buffer);
    pool_.release(buffer);
    return news;
}

std::optional<News> Forwarder::deliver(PacketBuffer* buffer) {
    const wire::PacketHeader& header = buffer->header;
    const News news{static_cast<Service>(header.service), header.message, header.position};
    if (deaf_) {
        ++counters_[Counter::drop_unexpected];
        return tell_lost(header);
    }
    switch (news.service) {
    case Service::taken:
    case Service::later:
    case Service::lost:
    case Service::alive: return news;
    case Service::ask: return notify(header, Service::alive);
    case Service::message:
        if (unexpected_ >= pool_.capacity() / limits::kUnexpectedShare) {
            ++counters_[Counter::bounces];
            return notify(header, Service::later);
        }
        ++unexpected_;
        break;
    case Service::packet:
    case Service::fragment: break;
    case Service::kCount:
    default: ++counters_[Counter::drop_unexpected]; return {};
    }
    ++counters_[Counter::packets_delivered];
    delivery_hash_ = wire::crc32(buffer->packet().first(wire::kPacketHeaderBytes), delivery_hash_);
    pool_.share(buffer);
    mailbox_.put(buffer);
    return news;
}

PacketBuffer* Forwarder::take(const Match& match) {
    PacketBuffer* buffer = mailbox_.find(match);
    MESH_CHECK(buffer != nullptr, take_without_packet);
    mailbox_.remove(buffer);
    if (match.service == Service::message)
        --unexpected_;
    return buffer;
}

// Packets that cannot go on -----------------------------------------------------------------------

bool Forwarder::give_up(std::optional<News>& news) {
    PacketBuffer* buffer = admission_.closed() ? nullptr : links_.take_undeliverable();
    if (buffer == nullptr)
        return false;
    news = undeliverable(buffer->header);
    pool_.release(buffer);
    return true;
}

std::optional<News> Forwarder::undeliverable(const wire::PacketHeader& header) {
    ++counters_[Counter::drop_dead_link];
    return tell_lost(header);
}

std::optional<News> Forwarder::tell_lost(const wire::PacketHeader& header) {
    const auto service = static_cast<Service>(header.service);
    if (service == Service::message || service == Service::fragment || service == Service::ask)
        return notify(header, Service::lost);
    return {};
}

// Tells the sender of a message: at once if it is here.
std::optional<News> Forwarder::notify(const wire::PacketHeader& about, Service service) {
    if (about.source == here_.node())
        return News{service, about.message, about.position};
    MESH_CHECK(notice_count_ < kNotices, notice_queue_full); // Admission keeps one free
    notices_[(notice_first_ + notice_count_++) % kNotices] = {about.source, about.message, service};
    admission_.close(notice_count_ >= kNotices - 1);
    return {};
}

void Forwarder::send_waiting_notices() {
    while (notice_count_ != 0 && admission_.may_start(Rule::unicast)) {
        const Notice notice = notices_[notice_first_];
        notice_first_ = static_cast<std::uint8_t>((notice_first_ + 1) % kNotices);
        --notice_count_;
        PacketBuffer* buffer = pool_.allocate();
        buffer->header = {.rule = Rule::unicast,
                          .source = here_.node(),
                          .destination = notice.to,
                          .service = static_cast<std::uint8_t>(notice.service),
                          .flags = wire::packet_flag::kTimeless,
                          .message = notice.message};
        static_cast<void>(inject(buffer, 0)); // no news: it is for another node
    }
    admission_.close(notice_count_ >= kNotices - 1);
}

bool Forwarder::cut_off(NodeId to, Rule rule) const {
    const Envelope envelope{rule, 0, here_.node(), to};
    const Route route = here_.way(kNoPort, envelope);
    return (route.ports.set() & links_.dead_ports()) != 0;
}

} // namespace mesh
