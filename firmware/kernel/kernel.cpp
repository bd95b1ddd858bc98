#include "kernel/kernel.hpp"

#include "wire/bytes.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace mesh {

using wire::HostTag;
using wire::Kind;
using wire::LinkHeader;
using wire::PacketHeader;

Arena& arena_of(Kernel& kernel) { return kernel.arena(); }

Kernel::Kernel(const wire::Identity& identity, const Memory& memory, std::size_t window_bytes,
               HostPort host, Program program)
    : identity_(identity),
      memory_(memory),
      pool_(memory.buffers, memory.slots, static_cast<unsigned>(memory.links.size())),
      arena_(memory.arena),
      links_{pool_, counters_, window_bytes},
      forwarder_(identity, memory.links, links_),
      host_(host),
      program_(program) {
    forwarder_.on_control(
        [](void* self, const PacketHeader& header) {
            static_cast<Kernel*>(self)->on_control(header);
        },
        this);
}

std::uint64_t Kernel::deadline_in(wire::ModelTime ticks) const {
    return links_.now + (links_.lockstep ? ticks : ticks / limits::kTicksPerUs);
}

// Boot: every port says who it is, and learns who is at the other end
// --------------------------------

std::uint32_t Kernel::plugged_ports() const {
    return rules().out_ports(network(), id()) | rules().in_ports(network(), id());
}

void Kernel::boot() {
    begin_hello();
    check_ready(); // a network without ports is ready at once
}

void Kernel::begin_hello() {
    const std::uint32_t out = forwarder_.out_ports();
    for (unsigned port = 0; port < ports(); ++port)
        if (((out >> port) & 1u) != 0 && !forwarder_.link(port).peer_known())
            forwarder_.link(port).say_hello();
    hello_at_ = links_.now + limits::kHelloUs;
}

namespace {
std::uint16_t network_word(Network network) {
    return static_cast<std::uint16_t>((static_cast<unsigned>(network.topology) << 8) | network.dim);
}
} // namespace

// By `port` somebody has said who he is, or has answered to what was said there.
void Kernel::on_hello(Port port, const LinkHeader& header, bool right_port) {
    const std::uint32_t bit = 1u << index(port);
    if (right_port && header.sequence == network_word(network()) &&
        header.refused == index(neighbor(port))) {
        forwarder_.link(index(port)).set_peer_known();
        ready_.ports_good |= bit;
        if (header.kind == Kind::hello)
            forwarder_.link(index(port)).answer_hello(links_);
        else
            forwarder_.link(index(port)).on_hello_answer(links_);
    } else {
        if (ready_.ports_miswired == 0) {
            ready_.miswired_port = index(port);
            ready_.found_node = header.refused;
            ready_.found_port = index(header.port);
        }
        ready_.ports_miswired |= bit;
    }
    check_ready();
}

void Kernel::check_ready() {
    const bool complete = ready_.ports_good == plugged_ports();
    if (ready_told_ || !(complete || ready_.ports_miswired != 0))
        return;
    ready_told_ = true;
    hello_at_ = wire::kNever;
    host_send(HostTag::ready, wire::bytes_of(ready_));
}

// Frames in ---------------------------------------------------------------------------------------

bool Kernel::count(wire::Parse parse) {
    switch (parse) {
    case wire::Parse::ok: return true;
    case wire::Parse::bad_crc: ++counters_[Counter::drop_crc]; return false;
    case wire::Parse::too_short:
    case wire::Parse::not_ours:
    case wire::Parse::bad_length: break;
    }
    ++counters_[Counter::drop_malformed];
    return false;
}

bool Kernel::on_frame(Port port, std::span<const std::byte> head, std::size_t frame_bytes,
                      PacketBuffer* buffer) {
    ++counters_[Counter::frames_received];
    LinkHeader header;
    if (hung_ || !count(wire::read_head(head, frame_bytes, header)))
        return false;
    if (header.kind == Kind::grant) {
        links_.now = std::max(links_.now, header.model_time);
        on_link_time();
        scheduler_.touch();
        return false;
    }
    if (header.kind == Kind::host) {
        const auto packet = std::span{buffer->bytes}.first(header.packet_bytes);
        if (port == kHostPort && count(wire::read_packet(packet, buffer->header)))
            on_host_packet(buffer->header, buffer->payload());
        return false;
    }
    const bool hello = header.kind == Kind::hello || header.kind == Kind::hello_answer;
    if (index(port) >= ports() || header.kind < Kind::hello || header.kind > Kind::ack) {
        ++counters_[Counter::drop_malformed];
        return false;
    }
    if (header.port != port && !hello) {
        ++counters_[Counter::drop_wrong_port];
        return false;
    }
    if (header.kind == Kind::data)
        return on_data(port, header, buffer);
    const Port link = header.kind == Kind::hello ? port : forwarder_.on_answer(port, header);
    if (link == kNoPort)
        return false;
    if (hello) {
        on_hello(link, header, header.port == port);
    } else {
        forwarder_.link(index(link)).on_acknowledgement(links_, header);
        scheduler_.touch(); // buffers may be free again
    }
    return false;
}

bool Kernel::on_data(Port port, const LinkHeader& header, PacketBuffer* buffer) {
    if (links_.lockstep)
        links_.now = std::max(links_.now, header.model_time);
    if (!count(
            wire::read_packet(std::span{buffer->bytes}.first(header.packet_bytes), buffer->header)))
        return false;
    const unsigned used = pool_.used();
    forwarder_.link(index(port)).on_acknowledgement(links_, header);
    if (pool_.used() != used)
        scheduler_.touch();
    return forwarder_.on_data(index(port), header, buffer);
}

void Kernel::on_control(const PacketHeader& header) {
    scheduler_.touch();
    const auto service = static_cast<Service>(header.service);
    if (service != Service::taken && service != Service::later && service != Service::lost)
        return;
    Outgoing* outgoing = outgoing_;
    while (outgoing != nullptr && outgoing->message != header.message)
        outgoing = outgoing->next;
    if (outgoing == nullptr) {
        ++counters_[Counter::drop_unexpected];
    } else if (service == Service::taken) {
        outgoing->taken = true;
        outgoing->taken_bytes = std::max(outgoing->taken_bytes, header.position);
    } else if (service == Service::later) {
        outgoing->later = true;
    } else {
        outgoing->lost = true;
    }
}

void Kernel::add(Outgoing& outgoing) {
    outgoing.message = forwarder_.next_message();
    outgoing.next = outgoing_;
    outgoing_ = &outgoing;
}

void Kernel::remove(Outgoing& outgoing) {
    Outgoing** link = &outgoing_;
    while (*link != nullptr && *link != &outgoing)
        link = &(*link)->next;
    if (*link != nullptr)
        *link = outgoing.next;
}

Packet Kernel::new_packet(Rule rule) {
    Packet packet{*this, pool_.allocate()};
    packet.header() = {};
    packet.header().rule = rule;
    packet.header().source = id();
    return packet;
}

void Kernel::inject(Packet&& packet) {
    forwarder_.inject(packet.take(), now());
    scheduler_.touch();
}

Packet Kernel::take(const Match& match) {
    PacketBuffer* buffer = forwarder_.take(match);
    advance_clock(buffer->ready);
    return Packet{*this, buffer};
}

// The host ----------------------------------------------------------------------------------------

void Kernel::on_host_packet(const PacketHeader& header, std::span<const std::byte> payload) {
    switch (static_cast<HostTag>(header.tag)) {
    case HostTag::job: on_job(payload); return;
    case HostTag::start: on_start(); return;
    case HostTag::piece: on_piece(payload); return;
    case HostTag::poll: report_due_ = true; return;
    case HostTag::hang: hung_ = true; return;
    case HostTag::ready:
    case HostTag::accepted:
    case HostTag::pull:
    case HostTag::push:
    case HostTag::console:
    case HostTag::report:
    case HostTag::fault: break;
    }
    ++counters_[Counter::drop_malformed];
}

void Kernel::on_job(std::span<const std::byte> payload) {
    if (payload.size() < sizeof(wire::Job) || started_) {
        ++counters_[Counter::drop_malformed];
        return;
    }
    job_ = wire::load<wire::Job>(payload, 0);
    keep_arguments(payload.subspan(sizeof(wire::Job)));
    links_.lockstep = job_.lockstep != 0;
    if (links_.lockstep)
        links_.now = 0;
    links_.patience_min_us =
        std::max<std::uint32_t>(limits::kPatienceMinUs, 1000u * job_.patience_ms);
    forwarder_.clock().configure(job_.ports, job_.tau_ticks, job_.tc_ticks);
    host_send(HostTag::accepted, {});
}

// NUL-terminated words; what does not fit is the host tool's to refuse.
void Kernel::keep_arguments(std::span<const std::byte> words) {
    constexpr std::size_t kViewsBytes = limits::kArgumentsMax * sizeof(std::string_view);
    if (words.empty() || words.size() >= limits::kArgumentBytesMax)
        return;
    auto* place = static_cast<std::byte*>(arena_.allocate(kViewsBytes + words.size() + 1));
    if (place == nullptr)
        return;
    auto* text = reinterpret_cast<char*>(place + kViewsBytes);
    std::memcpy(text, words.data(), words.size());
    text[words.size()] = '\0';
    auto* views = reinterpret_cast<std::string_view*>(place);
    std::size_t count = 0;
    for (std::size_t at = 0; at < words.size() && count < limits::kArgumentsMax; ++count)
        at += (new (&views[count]) std::string_view{&text[at]})->size() + 1;
    arguments_ = {views, count};
}

void Kernel::on_start() {
    if (started_)
        return;
    started_ = true;
    if (!scheduler_.spawn(program_(*this), 0, &program_id_)) {
        status_ = Status::no_memory;
        done_ = true;
        report_due_ = true;
    }
}

void Kernel::on_piece(std::span<const std::byte> payload) {
    if (payload.size() < sizeof(wire::Piece)) {
        ++counters_[Counter::drop_malformed];
        return;
    }
    const auto piece = wire::load<wire::Piece>(payload, 0);
    const auto data = payload.subspan(sizeof(wire::Piece));
    if (pull_into_.empty() || piece.position != pull_position_ ||
        data.size() != pull_into_.size()) {
        ++counters_[Counter::drop_unexpected];
        return;
    }
    std::memcpy(pull_into_.data(), data.data(), data.size());
    pull_into_ = {};
    scheduler_.touch();
}

void Kernel::fill_report(wire::NodeReport& report) const {
    report = {};
    static_cast<wire::Result&>(report) = result_;
    report.done = done_ ? 1 : 0;
    const Status verdict = status_ == Status::ok ? scheduler_.failure() : status_;
    report.status = static_cast<std::uint32_t>(verdict);
    report.finish_time = finish_time_;
    report.delivery_hash = forwarder_.delivery_hash();
    // Whoever waits for the host or for a time is not done either.
    report.unacknowledged = forwarder_.pending() + (pull_into_.empty() ? 0u : 1u) +
                            (scheduler_.next_wake() == wire::kNever ? 0u : 1u);
    report.dead_ports = forwarder_.dead_ports();
    report.counters = counters_.values();
    for (unsigned port = 0; port < ports() && port < report.link_packets.size(); ++port)
        report.link_packets[port] = forwarder_.link(port).packets_sent();
}

// Time and work -----------------------------------------------------------------------------------

void Kernel::on_time() {
    if (links_.lockstep)
        return;
    if (links_.now >= hello_at_)
        begin_hello();
    on_link_time();
    scheduler_.on_time(links_.now);
}

// A link that died takes with it the messages that would go over it, also those that are waiting
// for an answer only.
void Kernel::on_link_time() {
    forwarder_.on_time();
    if (forwarder_.dead_ports() == 0)
        return;
    for (Outgoing* outgoing = outgoing_; outgoing != nullptr; outgoing = outgoing->next)
        outgoing->lost = outgoing->lost || forwarder_.cut_off(outgoing->to);
    scheduler_.touch();
}

void Kernel::run() {
    do {
        forwarder_.send_notices();
    } while (scheduler_.run());
    forwarder_.on_quiet();
    counters_[Counter::buffers_used_max] =
        std::max(counters_[Counter::buffers_used_max], std::uint32_t{pool_.used()});
    counters_[Counter::arena_bytes_max] = static_cast<std::uint32_t>(arena_.high_water_bytes());
    if (started_ && !done_ && scheduler_.ended(program_id_)) {
        done_ = true;
        finish_time_ = scheduler_.clock(program_id_);
        status_ = scheduler_.join(program_id_);
        report_due_ = true;
    }
}

bool Kernel::next_frame(LinkHeader& header, PacketBuffer*& packet) {
    if (!forwarder_.next_frame(header, packet))
        return false;
    const bool hello = header.kind == Kind::hello || header.kind == Kind::hello_answer;
    if (hello && header.hops == 1) { // else it is another node's
        header.refused = index(id());
        header.sequence = network_word(network());
    }
    return true;
}

std::uint64_t Kernel::next_deadline() const {
    return std::min({forwarder_.next_deadline(), scheduler_.next_wake(),
                     links_.lockstep ? wire::kNever : hello_at_});
}

} // namespace mesh
