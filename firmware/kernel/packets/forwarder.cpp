#include "kernel/packets/forwarder.hpp"

#include "hal/check.hpp"
#include "wire/crc32.hpp"

#include <utility>

namespace mesh {

namespace {
Envelope envelope_of(const wire::PacketHeader& header, std::uint8_t tag) {
    return {header.rule,   header.subtree,
            header.source, header.destination,
            tag,           (header.flags & wire::packet_flag::kInward) != 0};
}

void read_news(const wire::PacketHeader& header, News& news) {
    news.service = static_cast<Service>(header.service);
    news.rule = Rule::unicast;
    news.way = Way::of(header);
    news.round = 0;
    news.peer = header.source;
    news.message = header.message;
    news.position = header.position;
    news.detail = 0;
    if (news.service < Service::ask)
        return;
    news.way = static_cast<std::uint8_t>(header.tag);
    news.round = static_cast<std::uint8_t>(header.tag >> 8);
    news.detail = detail_of(header);
}

} // namespace

void Forwarder::inject(PacketBuffer* buffer, wire::ModelTime ready, News& news) {
    wire::seal_packet(buffer->packet());
    buffer->ready = ready;
    buffer->hops = 0;
    buffer->remaining = admission_.remaining(buffer->header.rule, 0);
    if (!buffer->header.is_timeless())
        ++counters_[Counter::packets_injected];
    forward(buffer, kNoPort, 0, news);
}

void Forwarder::forward(PacketBuffer* buffer, Port arrival, std::uint8_t tag, News& news) {
    Route route = here_.way(arrival, envelope_of(buffer->header, tag));
    buffer->tags = route.tags;
    if (route.ports.empty() && !route.deliver)
        ++counters_[Counter::drop_no_route];
    if (route.deliver)
        deliver(buffer, news);
    while (!route.ports.empty()) {
        const Port port = route.ports.pop();
        const bool last = route.ports.empty();
        const bool stays =
            says_too_much(port, buffer->header) && !(last && say_what_was_lost(buffer));
        if (stays || !links_.send(port, buffer)) {
            note_loss(port, buffer->header);
            tell_sender(buffer->header, Service::lost, news);
        }
        if (arrival != kNoPort)
            ++counters_[Counter::packets_forwarded];
    }
    pool_.release(buffer);
}

// Who looks for a node wants to know whether what that sends by this port gets there. It may be
// that a packet did not, and that the link has come back since.
bool Forwarder::says_too_much(Port port, const wire::PacketHeader& header) {
    return header.service == static_cast<std::uint8_t>(Service::here) && !links_.at(port).dead() &&
           calls_.lost(port, CallLabel::of_word(header.total_bytes));
}

// By the last port of all, so that it holds for nobody else. False where others have the packet as
// well: then it does not go by this port, and who gets no answer knows as much, later.
bool Forwarder::say_what_was_lost(PacketBuffer* buffer) {
    if (buffer->references != 1)
        return false;
    buffer->header.service = static_cast<std::uint8_t>(Service::gone);
    wire::seal_packet(buffer->packet());
    return true;
}

// What comes by a question or an answer says of itself which round it belongs to; of other packets
// the tag is the program's.
void Forwarder::deliver(PacketBuffer* buffer, News& news) {
    const wire::PacketHeader& header = buffer->header;
    if (deaf_) {
        ++counters_[Counter::drop_unexpected];
        return tell_sender(header, Service::unknown, news);
    }
    read_news(header, news);
    if (calls_.is_over(header)) {
        ++counters_[Counter::drop_old_call];
        if (news.service != Service::message)
            return news.clear();
        news.answer(Service::unknown);
        return tell(news);
    }
    switch (news.service) {
    case Service::packet: count(buffer); return put(buffer);
    case Service::message: return on_offer(buffer, news);
    case Service::fragment:
        if (!intake_.accept_fragment(header, counters_))
            return;
        count(buffer);
        return put(buffer);
    case Service::ask: return on_ask(news);
    case Service::probe:
    case Service::look:
    case Service::taken:
    case Service::later:
    case Service::lost:
    case Service::alive:
    case Service::unknown: return;
    case Service::here:
    case Service::gone: // by a Path to all it comes also to those who have not looked
        if (news.position != index(here_.node()))
            news.clear();
        return;
    case Service::kCount:
    default: ++counters_[Counter::drop_unexpected]; news.clear();
    }
}

void Forwarder::put(PacketBuffer* buffer) {
    pool_.share(buffer);
    mailbox_.put(buffer);
}

void Forwarder::count(PacketBuffer* buffer) {
    ++counters_[Counter::packets_delivered];
    delivery_hash_ = wire::crc32(buffer->packet().first(wire::kPacketHeaderBytes), delivery_hash_);
}

void Forwarder::accept(PacketBuffer* offer) {
    ++unexpected_;
    intake_.accept(offer->header.source, offer->header.message);
    count(offer);
}

// An offer is taken in once, after those that its sender numbered before it, and if there is room.
// Where there is none it may be the very one that a process waits for. So one more is put into the
// mailbox as a guest, and goes back if no process takes it in its turn; until then no other one has
// room, so those of its sender keep their order.
// By the chosen way an offer of a sender of whom nothing is known any more comes for the first
// time.
void Forwarder::on_offer(PacketBuffer* buffer, News& news) {
    const Intake::Fate fate = intake_.fate(news.peer, news.message);
    const bool new_here =
        fate == Intake::Fate::unknown && news.way == Way::kChosen && !intake_.knows(news.peer);
    if (fate != Intake::Fate::never_came && !new_here) {
        ++counters_[Counter::drop_duplicate];
        if (fate != Intake::Fate::unknown)
            return news.clear();
        news.answer(Service::unknown);
        return tell(news);
    }
    if (guest_ != nullptr || intake_.is_early(buffer->header)) {
        ++counters_[Counter::bounces];
        news.answer(Service::later);
        return tell(news);
    }
    if (unexpected_ < pool_.capacity() / limits::kUnexpectedShare)
        accept(buffer);
    else
        guest_ = buffer;
    put(buffer);
}

void Forwarder::send_guest_back(News& news) {
    PacketBuffer* const guest = std::exchange(guest_, nullptr);
    ++counters_[Counter::bounces];
    mailbox_.remove(guest);
    tell_sender(guest->header, Service::later, news);
    pool_.release(guest);
}

void Forwarder::on_ask(News& news) {
    const Intake::Fate fate = intake_.fate(news.peer, news.message);
    news.answer(static_cast<Service>(fate));
    if (fate == Intake::Fate::being_taken) {
        Incoming& incoming = *intake_.find(news.peer, news.message);
        if (news.way != Way::kChosen)
            incoming.detour = true;
        news.service = Service::alive;
        news.position = incoming.arrived;
        news.detail = incoming.consumed;
    } else if (fate == Intake::Fate::taken) {
        news.position = ~std::uint32_t{0};
    }
    tell(news);
}

PacketBuffer* Forwarder::take(const Match& match) {
    PacketBuffer* buffer = mailbox_.find(match);
    MESH_CHECK(buffer != nullptr, take_without_packet);
    leave_mailbox(buffer);
    return buffer;
}

void Forwarder::leave_mailbox(PacketBuffer* buffer) {
    mailbox_.remove(buffer);
    if (buffer->header.service != static_cast<std::uint8_t>(Service::message))
        return;
    --unexpected_; // there is room for the guest, who may be the one that leaves
    if (PacketBuffer* const guest = std::exchange(guest_, nullptr))
        accept(guest);
}

// Calls of collectives ----------------------------------------------------------------------------

// What came last says where the others are.
unsigned Forwarder::newest_call(const CallRecord& record) const {
    unsigned newest = 0;
    for (const PacketBuffer* at = mailbox_.first(); at != nullptr; at = at->next)
        if (record.is_of(at->header))
            newest = at->header.call / 2;
    return newest;
}

bool Forwarder::drop_old_call(News& news) {
    PacketBuffer* buffer = mailbox_.first();
    while (buffer != nullptr && !calls_.is_over(buffer->header))
        buffer = buffer->next;
    if (buffer == nullptr)
        return false;
    ++counters_[Counter::drop_old_call];
    leave_mailbox(buffer);
    const wire::PacketHeader& header = buffer->header;
    if (header.service == static_cast<std::uint8_t>(Service::message)) {
        intake_.forget(header.source);
        if (may_tell())
            tell_sender(header, Service::unknown, news);
    }
    pool_.release(buffer);
    return true;
}

// Packets that cannot go on -----------------------------------------------------------------------

bool Forwarder::give_up(News& news) {
    Port port = kNoPort;
    PacketBuffer* buffer = links_.take_undeliverable(port);
    if (buffer == nullptr)
        return false;
    news.clear();
    note_loss(port, buffer->header);
    if (!admission_.closed())
        tell_sender(buffer->header, Service::lost, news);
    pool_.release(buffer);
    return true;
}

void Forwarder::note_loss(Port port, const wire::PacketHeader& header) {
    ++counters_[Counter::drop_dead_link];
    if (header.service == static_cast<std::uint8_t>(Service::packet))
        calls_.note_lost(port, CallLabel::of(header.tag, header.call));
}

void Forwarder::tell_sender(const wire::PacketHeader& header, Service word, News& news) {
    const auto service = static_cast<Service>(header.service);
    if (service == Service::packet || service >= Service::taken)
        return;
    read_news(header, news);
    news.answer(word);
    tell(news);
}

// Of what a node says to itself only a question about a message is for the forwarder.
inline void Forwarder::answer_itself(News& news) {
    if (news.service == Service::ask)
        on_ask(news);
}

void Forwarder::tell(News& news) {
    if (news.peer == here_.node())
        return answer_itself(news);
    MESH_CHECK(notice_count_ < kNotices, notice_queue_full); // Admission keeps one free
    notices_[(notice_first_ + notice_count_++) % kNotices] = news;
    news.clear();
    admission_.close(notice_count_ >= kNotices - 1);
}

bool Forwarder::send_waiting_notices() {
    const bool could_tell = may_tell();
    while (notice_count_ != 0) {
        const News notice = notices_[notice_first_];
        const bool by_path = notice.service >= Service::here;
        const bool everywhere = !by_path && notice.way != Way::kChosen;
        const Path path = by_path      ? Path::of_word(notice.position)
                          : everywhere ? Path{Rule::disjoint, notice_path_}
                                       : Path{notice.rule};
        if (!admission_.can_carry(path.rule))
            ++counters_[Counter::drop_no_route];
        else if (!admission_.may_start(path.rule))
            break;
        else if (!everywhere || !cut_off(notice.peer, path.rule, notice_path_))
            send_notice(notice, path, by_path);
        if (everywhere && ++notice_path_ < here_.path_count())
            continue;
        notice_path_ = 0;
        notice_first_ = static_cast<std::uint8_t>((notice_first_ + 1) % kNotices);
        --notice_count_;
    }
    admission_.close(notice_count_ >= kNotices - 1);
    return !could_tell && may_tell();
}

// Questions say by which way they themselves go, answers by which way the question went; the answer
// to who looks (`by_path`) goes the way that the question named.
void Forwarder::send_notice(const News& notice, Path path, bool by_path) {
    PacketBuffer* buffer = pool_.allocate();
    const bool asks = notice.service < Service::taken;
    const std::uint8_t way = asks && path.rule == Rule::disjoint
                                 ? static_cast<std::uint8_t>(path.subtree + 1)
                                 : notice.way;
    wire::PacketHeader& header = buffer->header;
    header = {.rule = path.rule,
              .subtree = path.subtree,
              .source = here_.node(),
              .destination = path.to_all ? kNoNode : notice.peer,
              .tag = Way::tag(way, notice.round),
              .service = static_cast<std::uint8_t>(notice.service),
              .flags = wire::packet_flag::kTimeless,
              .message = notice.message,
              .position = by_path ? index(notice.peer) : notice.position};
    if (path.inward)
        header.flags |= wire::packet_flag::kInward;
    put_detail(header, notice.detail);
    News none; // it is for another node
    inject(buffer, notice.service == Service::taken ? notice.detail : 0, none);
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
