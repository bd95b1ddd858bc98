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

News news_of(const wire::PacketHeader& header) {
    News news{.service = static_cast<Service>(header.service),
              .way = Way::of(header),
              .peer = header.source,
              .message = header.message,
              .position = header.position};
    if (news.service < Service::taken)
        return news;
    news.way = static_cast<std::uint8_t>(header.tag);
    news.round = static_cast<std::uint8_t>(header.tag >> 8);
    news.detail = detail_of(header);
    return news;
}

News answer(const News& about, Service service) {
    return {.service = service,
            .way = about.way,
            .round = about.round,
            .peer = about.peer,
            .message = about.message};
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

// What comes by a question or an answer says of itself which round it belongs to; of other packets
// the tag is the program's.
std::optional<News> Forwarder::deliver(PacketBuffer* buffer) {
    const wire::PacketHeader& header = buffer->header;
    const News news = news_of(header);
    if (deaf_) {
        ++counters_[Counter::drop_unexpected];
        return tell_sender(header, Service::unknown);
    }
    switch (news.service) {
    case Service::packet: return put(buffer, news);
    case Service::message: return on_offer(buffer, news);
    case Service::fragment:
        if (!intake_.accept_fragment(header, counters_))
            return {};
        return put(buffer, news);
    case Service::ask: return on_ask(news);
    case Service::taken:
    case Service::later:
    case Service::lost:
    case Service::alive:
    case Service::probe:
    case Service::look:
    case Service::unknown: return news;
    case Service::here:
    case Service::gone: // by a Path to all it comes also to those who have not looked
        if (news.position != index(here_.node()))
            return {};
        return news;
    case Service::kCount:
    default: ++counters_[Counter::drop_unexpected]; return {};
    }
}

std::optional<News> Forwarder::put(PacketBuffer* buffer, const News& news) {
    ++counters_[Counter::packets_delivered];
    delivery_hash_ = wire::crc32(buffer->packet().first(wire::kPacketHeaderBytes), delivery_hash_);
    pool_.share(buffer);
    mailbox_.put(buffer);
    return news;
}

// An offer is taken in once, after those that its sender numbered before it, and if there is room.
std::optional<News> Forwarder::on_offer(PacketBuffer* buffer, const News& news) {
    const Intake::Fate fate = intake_.fate(news.peer, news.message);
    if (fate != Intake::Fate::never_came && (fate != Intake::Fate::unknown || news.way != 0)) {
        ++counters_[Counter::drop_duplicate];
        return fate == Intake::Fate::unknown ? tell(answer(news, Service::unknown)) : std::nullopt;
    }
    if (unexpected_ >= pool_.capacity() / limits::kUnexpectedShare ||
        intake_.is_early(buffer->header)) {
        ++counters_[Counter::bounces];
        return tell(answer(news, Service::later));
    }
    ++unexpected_;
    intake_.accept(news.peer, news.message);
    buffer->header.position = 0; // said which message comes before
    return put(buffer, news);
}

std::optional<News> Forwarder::on_ask(const News& news) {
    News said = answer(news, Service::alive);
    switch (intake_.fate(news.peer, news.message)) {
    case Intake::Fate::never_came: said.service = Service::later; break;
    case Intake::Fate::waits: break;
    case Intake::Fate::being_taken: {
        Incoming& incoming = *intake_.find(news.peer, news.message);
        incoming.detour = incoming.detour || news.way != Way::kChosen;
        said.position = incoming.arrived;
        said.detail = incoming.consumed;
        break;
    }
    case Intake::Fate::taken:
        said.service = Service::taken;
        said.position = ~std::uint32_t{0};
        break;
    case Intake::Fate::unknown: said.service = Service::unknown; break;
    }
    return tell(said);
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
    return tell_sender(header, Service::lost);
}

std::optional<News> Forwarder::tell_sender(const wire::PacketHeader& header, Service word) {
    const auto service = static_cast<Service>(header.service);
    if (service == Service::message || service == Service::fragment || service == Service::ask ||
        service == Service::probe || service == Service::look)
        return tell(answer(news_of(header), word));
    return {};
}

// At once if it is for here.
std::optional<News> Forwarder::tell(const News& news) {
    if (news.peer == here_.node())
        return news;
    MESH_CHECK(notice_count_ < kNotices, notice_queue_full); // Admission keeps one free
    notices_[(notice_first_ + notice_count_++) % kNotices] = news;
    admission_.close(notice_count_ >= kNotices - 1);
    return {};
}

bool Forwarder::send_waiting_notices() {
    const bool could_tell = may_tell();
    while (notice_count_ != 0) {
        const News& notice = notices_[notice_first_];
        const bool by_path = notice.service == Service::here || notice.service == Service::gone;
        const bool everywhere = !by_path && notice.way != Way::kChosen;
        const Path path = by_path ? Path::of_word(notice.position) : Path{};
        const Rule rule = everywhere ? Rule::disjoint : by_path ? path.rule : notice.rule;
        if (!admission_.may_start(rule) && admission_.can_carry(rule))
            break;
        if (by_path)
            answer_look(notice, path);
        else if (!everywhere || !cut_off(notice.peer, rule, notice_path_))
            send_notice(notice, rule, notice_path_);
        if (everywhere && ++notice_path_ < here_.path_count())
            continue;
        notice_path_ = 0;
        notice_first_ = static_cast<std::uint8_t>((notice_first_ + 1) % kNotices);
        --notice_count_;
    }
    admission_.close(notice_count_ >= kNotices - 1);
    return !could_tell && may_tell();
}

// Questions say by which way they themselves go, answers by which way the question went.
void Forwarder::send_notice(const News& notice, Rule rule, unsigned path) {
    PacketBuffer* buffer = pool_.allocate();
    const bool asks = notice.service == Service::ask || notice.service == Service::probe;
    const std::uint8_t way =
        asks && rule == Rule::disjoint ? static_cast<std::uint8_t>(path + 1) : notice.way;
    buffer->header = {.rule = rule,
                      .subtree = static_cast<std::uint8_t>(path),
                      .source = here_.node(),
                      .destination = notice.peer,
                      .tag = Way::tag(way, notice.round),
                      .service = static_cast<std::uint8_t>(notice.service),
                      .flags = wire::packet_flag::kTimeless,
                      .message = notice.message,
                      .position = notice.position};
    put_detail(buffer->header, notice.detail);
    const wire::ModelTime ready = notice.service == Service::taken ? notice.detail : 0;
    static_cast<void>(inject(buffer, ready)); // no news: it is for another node
}

void Forwarder::answer_look(const News& notice, Path path) {
    if (!admission_.can_carry(path.rule)) {
        ++counters_[Counter::drop_no_route];
        return;
    }
    PacketBuffer* buffer = pool_.allocate();
    buffer->header = {.rule = path.rule,
                      .subtree = path.subtree,
                      .source = here_.node(),
                      .destination = path.to_all ? kNoNode : notice.peer,
                      .service = static_cast<std::uint8_t>(notice.service),
                      .flags = wire::packet_flag::kTimeless,
                      .message = notice.message,
                      .position = index(notice.peer)};
    if (path.inward)
        buffer->header.flags |= wire::packet_flag::kInward;
    static_cast<void>(inject(buffer, 0));
}

void Forwarder::end(Incoming& incoming, bool taken) {
    intake_.end(incoming, taken);
    const Match rest{
        .service = Service::fragment, .source = incoming.source, .message = incoming.message};
    while (PacketBuffer* buffer = mailbox_.find(rest)) {
        mailbox_.remove(buffer);
        pool_.release(buffer);
    }
}

bool Forwarder::cut_off(NodeId to, Rule rule, unsigned path) const {
    if (links_.dead_ports() == 0)
        return false;
    const Envelope envelope{rule, static_cast<std::uint8_t>(path), here_.node(), to};
    const Route route = here_.way(kNoPort, envelope);
    return (route.ports.set() & links_.dead_ports()) != 0;
}

} // namespace mesh
