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

Service service_of(const wire::PacketHeader& header) {
    return static_cast<Service>(header.service);
}

// An answer says by which path the packet went that it answers, and of which round that was.
std::uint16_t tag_of_answer(const wire::PacketHeader& header) {
    const unsigned round = is_question(service_of(header)) ? header.tag & 0xFF00u : 0u;
    return static_cast<std::uint16_t>(round | paths_of(header).out);
}

Event event_of(const wire::PacketHeader& header) {
    return {.service = service_of(header),
            .paths = {static_cast<std::uint8_t>(header.tag), paths_of(header).out},
            .round = static_cast<std::uint8_t>(header.tag >> 8),
            .peer = header.source,
            .message = header.message,
            .position = header.position,
            .detail = detail_of(header)};
}

// Said of a packet that gets no further than here.
Answer loss_of(const wire::PacketHeader& header) {
    return {service_of(header) == Service::call ? Service::nothing : Service::lost};
}
} // namespace

void put_paths(wire::PacketHeader& header, RoundTrip paths, Rule shortest) {
    header.rule = paths.out == RoundTrip::kShortest ? shortest : Rule::disjoint;
    unsigned subtree = 0;
    if (paths.out != RoundTrip::kShortest)
        subtree = paths.out - 1u;
    if (paths.back != RoundTrip::kShortest) {
        subtree |= (paths.back - 1u) << 4;
        header.flags |= wire::packet_flag::kBackByPath;
    }
    header.subtree = static_cast<std::uint8_t>(subtree);
}

RoundTrip paths_of(const wire::PacketHeader& header) {
    RoundTrip paths;
    if (header.rule == Rule::disjoint)
        paths.out = static_cast<std::uint8_t>((header.subtree & kPathMask) + 1);
    if ((header.flags & wire::packet_flag::kBackByPath) != 0)
        paths.back = static_cast<std::uint8_t>((header.subtree >> 4) + 1);
    return paths;
}

// On their way ------------------------------------------------------------------------------------

void Forwarder::prepare(PacketBuffer* buffer, wire::ModelTime ready) {
    wire::seal_packet(buffer->packet());
    buffer->ready = ready;
    buffer->hops = 0;
    buffer->remaining = static_cast<std::uint16_t>(admission_.way_out(buffer->header) +
                                                   admission_.way_back(buffer->header));
}

Event Forwarder::inject(PacketBuffer* buffer, wire::ModelTime ready) {
    prepare(buffer, ready);
    if (!buffer->header.is_timeless())
        ++counters_[Counter::packets_injected];
    return forward(buffer, kNoPort, 0);
}

Event Forwarder::forward(PacketBuffer* buffer, Port arrival, std::uint8_t tag) {
    Event event;
    while (buffer != nullptr) {
        buffer = pass(buffer, arrival, tag, event);
        arrival = kNoPort;
        tag = 0;
    }
    return event;
}

// Gives what is to be sent from here: the buffer, if what is in it is an answer now, or what
// turn_back() has made.
PacketBuffer* Forwarder::pass(PacketBuffer* buffer, Port arrival, std::uint8_t tag, Event& event) {
    Route route = here_.way(arrival, envelope_of(buffer->header, tag));
    buffer->tags = route.tags;
    if (route.ports.empty() && !route.deliver)
        ++counters_[Counter::drop_no_route];
    bool answers = false;
    PacketBuffer* turned = nullptr;
    if (route.deliver)
        answers = deliver(buffer, event);
    while (!route.ports.empty()) {
        const Port port = route.ports.pop();
        const bool last = route.ports.empty();
        const bool stays =
            says_too_much(port, buffer->header) && !(last && say_what_was_lost(buffer));
        if (arrival != kNoPort)
            ++counters_[Counter::packets_forwarded];
        if (!stays && links_.send(port, buffer))
            continue;
        note_loss(port, buffer->header);
        if (is_answered(service_of(buffer->header)) && buffer->references == 1) {
            write_answer(buffer, loss_of(buffer->header));
            answers = true;
        } else if (turned == nullptr) {
            turned = turn_back(*buffer, arrival, tag, port);
        }
    }
    if (answers)
        return buffer;
    pool_.release(buffer);
    return turned;
}

// The answer to a look goes by the way that it is about, but the link at `port` is dead. If the
// node that looks is behind it, it is told by another way, once, that nothing more comes by this
// one, as far as the pool allows: else it finds that out by silence.
PacketBuffer* Forwarder::turn_back(const PacketBuffer& answer, Port arrival, std::uint8_t tag,
                                   Port port) {
    const bool turned = (answer.header.flags & wire::packet_flag::kAgain) != 0;
    if (service_of(answer.header) < Service::here || turned || !admission_.may_ask())
        return nullptr;
    Envelope behind = envelope_of(answer.header, tag);
    behind.destination = node_at(answer.header.position);
    if ((here_.way(arrival, behind).ports.set() & bit_of(port)) == 0)
        return nullptr;
    PacketBuffer* const buffer = pool_.allocate();
    wire::PacketHeader& header = buffer->header;
    header = answer.header;
    header.service = static_cast<std::uint8_t>(Service::gone);
    header.destination = behind.destination;
    header.flags = wire::packet_flag::kTimeless | wire::packet_flag::kAgain;
    put_paths(header, way_home(header.destination, {}), Rule::unicast);
    prepare(buffer, 0);
    return buffer;
}

// Who looks for a node wants to know whether what that sends by this port gets there. It may be
// that a packet did not, and that the link has come back since.
bool Forwarder::says_too_much(Port port, const wire::PacketHeader& header) {
    return service_of(header) == Service::here && !links_.at(port).dead() &&
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

void Forwarder::note_loss(Port port, const wire::PacketHeader& header) {
    ++counters_[Counter::drop_dead_link];
    if (service_of(header) == Service::packet)
        calls_.note_lost(port, CallLabel::of(header.tag, header.call));
}

bool Forwarder::give_up(Event& event) {
    Port port = kNoPort;
    PacketBuffer* buffer = links_.take_undeliverable(port);
    if (buffer == nullptr)
        return false;
    note_loss(port, buffer->header);
    if (is_answered(service_of(buffer->header)) && buffer->references == 1) {
        event = answer(buffer, loss_of(buffer->header));
        return true;
    }
    PacketBuffer* const turned = turn_back(*buffer, kNoPort, 0, port);
    pool_.release(buffer);
    event = forward(turned, kNoPort, 0);
    return true;
}

bool Forwarder::cut_off(NodeId to, Rule rule, unsigned path) const {
    if (links_.dead_ports() == 0)
        return false;
    const Envelope envelope{rule, static_cast<std::uint8_t>(path), here_.node(), to};
    const Route route = here_.way(kNoPort, envelope);
    return (route.ports.set() & links_.dead_ports()) != 0;
}

// For this node -----------------------------------------------------------------------------------

// Of the packets that a program left, one is kept, for the report.
bool Forwarder::is_heard(Service service) const {
    switch (audience_) {
    case Audience::processes: break;
    case Audience::ended: return service != Service::packet || mailbox_.first() == nullptr;
    case Audience::nobody: return false;
    }
    return true;
}

// True if the packet has become an answer, which leaves at once.
bool Forwarder::deliver(PacketBuffer* buffer, Event& event) {
    const wire::PacketHeader& header = buffer->header;
    const Service service = service_of(header);
    if (is_answered(service) && (header.destination == kNoNode || !here_.knows(header.source))) {
        ++counters_[Counter::drop_no_route];
        return false;
    }
    if (!is_heard(service)) {
        ++counters_[Counter::drop_unexpected];
        if (is_answered(service))
            write_answer(buffer, {service == Service::call ? Service::nothing : Service::unknown});
        return is_answered(service);
    }
    if (is_carried(service) && calls_.is_over(header)) {
        ++counters_[Counter::drop_old_call];
        if (service == Service::message)
            write_answer(buffer, {Service::unknown});
        return service == Service::message;
    }
    switch (service) {
    case Service::packet:
        count(buffer);
        put(buffer, event);
        return false;
    case Service::message: return on_offer(buffer, event);
    case Service::fragment:
        if (intake_.accept_fragment(header, counters_)) {
            count(buffer);
            put(buffer, event);
        }
        return false;
    case Service::ask: on_ask(buffer); return true;
    case Service::probe:
    case Service::call:
    case Service::look:
        event = event_of(header);
        event.question = buffer;
        pool_.share(buffer);
        return false;
    case Service::nothing: intake_.come(header.source); return false;
    case Service::here:
    case Service::gone: // by a Path to all it comes also to those who have not looked
        if (header.position != index(here_.node()))
            return false;
        [[fallthrough]];
    case Service::taken:
    case Service::later:
    case Service::lost:
    case Service::alive:
    case Service::unknown: event = event_of(header); return false;
    case Service::kCount:
    default: ++counters_[Counter::drop_unexpected]; return false;
    }
}

void Forwarder::put(PacketBuffer* buffer, Event& event) {
    pool_.share(buffer);
    pool_.let_wait(buffer);
    mailbox_.put(buffer);
    event.service = Service::packet;
}

void Forwarder::count(PacketBuffer* buffer) {
    ++counters_[Counter::packets_delivered];
    delivery_hash_ = wire::crc32(buffer->packet().first(wire::kPacketHeaderBytes), delivery_hash_);
}

void Forwarder::accept(PacketBuffer* offer) {
    intake_.accept(offer->header);
    count(offer);
}

// An offer is taken in once, after those that its sender numbered before it, and if there is room.
// One that its sender has repeated is not new to a node that remembers nothing of that sender.
bool Forwarder::on_offer(PacketBuffer* buffer, Event& event) {
    const wire::PacketHeader& header = buffer->header;
    const Intake::Fate fate = intake_.fate(header.source, header.message);
    const bool again = (header.flags & wire::packet_flag::kAgain) != 0;
    const bool new_here = fate == Intake::Fate::unknown && !again && !intake_.knows(header.source);
    if (fate != Intake::Fate::never_came && !new_here) {
        ++counters_[Counter::drop_duplicate];
        if (fate != Intake::Fate::unknown) {
            intake_.repeat_call(header.source);
            return false;
        }
        write_answer(buffer, {Service::unknown});
        return true;
    }
    if (audience_ == Audience::ended) {
        refuse(buffer);
        return true;
    }
    const Intake::Verdict verdict =
        intake_.judge(header, guest_ != nullptr ? guest_->header.source : kNoNode);
    if (verdict == Intake::Verdict::send_away) {
        ++counters_[Counter::bounces];
        return false;
    }
    if ((header.flags & wire::packet_flag::kRequest) != 0) {
        intake_.call(header.source);
        write_answer(buffer, {Service::later, intake_.any_away() ? 1u : 0u});
        return true;
    }
    if (verdict == Intake::Verdict::accept)
        accept(buffer);
    else
        guest_ = buffer;
    put(buffer, event);
    return false;
}

void Forwarder::send_guest_away() {
    PacketBuffer* const guest = std::exchange(guest_, nullptr);
    ++counters_[Counter::bounces];
    mailbox_.remove(guest);
    intake_.send_guest_away(guest->header);
    pool_.release(guest);
}

// Whoever was sent away waits to be called; whoever was called and asks has not heard it.
void Forwarder::on_ask(PacketBuffer* buffer) {
    const wire::PacketHeader& header = buffer->header;
    const Intake::Fate fate = intake_.fate(header.source, header.message);
    Answer with{static_cast<Service>(fate)};
    if (fate == Intake::Fate::being_taken) {
        const Incoming& incoming = *intake_.find(header.source, header.message);
        with = {Service::alive, incoming.arrived, incoming.consumed};
    } else if (fate == Intake::Fate::taken) {
        with.position = ~std::uint32_t{0};
    } else if (fate == Intake::Fate::never_came && audience_ == Audience::ended) {
        with.service = Service::unknown;
    } else if (fate == Intake::Fate::never_came && intake_.peer(header.source).away != 0) {
        intake_.check_calls();
        with.service = Service::alive;
    }
    write_answer(buffer, with);
}

const PacketBuffer* Forwarder::find(const Match& match) const {
    const PacketBuffer* const buffer = mailbox_.find(match);
    if (buffer == nullptr && match.service == Service::message && intake_.any_away())
        intake_.want(match);
    return buffer;
}

PacketBuffer* Forwarder::take(const Match& match) {
    PacketBuffer* buffer = mailbox_.find(match);
    MESH_CHECK(buffer != nullptr, take_without_packet);
    leave_mailbox(buffer);
    return buffer;
}

void Forwarder::leave_mailbox(PacketBuffer* buffer) {
    mailbox_.remove(buffer);
    if (service_of(buffer->header) != Service::message)
        return;
    if (buffer == guest_)
        accept(std::exchange(guest_, nullptr));
    intake_.take();
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

bool Forwarder::drop_old_call(Event& event) {
    PacketBuffer* buffer = mailbox_.first();
    while (buffer != nullptr && !calls_.is_over(buffer->header))
        buffer = buffer->next;
    if (buffer == nullptr)
        return false;
    ++counters_[Counter::drop_old_call];
    leave_mailbox(buffer);
    if (service_of(buffer->header) == Service::message) {
        intake_.forget(buffer->header.source);
        event = answer(buffer, {Service::unknown});
    } else {
        pool_.release(buffer);
    }
    return true;
}

// Answers -----------------------------------------------------------------------------------------

// The paths of an answer, whose first link is alive if there is such a path.
RoundTrip Forwarder::way_home(NodeId to, RoundTrip paths) const {
    const unsigned last = here_.path_count();
    for (unsigned number = paths.back, tried = 0; tried <= last; ++tried) {
        const Rule rule = number == 0 ? Rule::unicast : Rule::disjoint;
        if (!cut_off(to, rule, number == 0 ? 0 : number - 1))
            return {static_cast<std::uint8_t>(number), RoundTrip::kShortest};
        number = number < last ? number + 1 : 0;
    }
    return {};
}

// Who looks gets the answer by the way that it named, where it keeps its place among the packets
// that it is about. All others get it by the path that they named.
void Forwarder::write_answer(PacketBuffer* buffer, const Answer& with, wire::ModelTime ready) {
    wire::PacketHeader& header = buffer->header;
    const NodeId to = header.source;
    wire::PacketHeader answer{.source = here_.node(),
                              .destination = to,
                              .tag = tag_of_answer(header),
                              .service = static_cast<std::uint8_t>(with.service),
                              .flags = wire::packet_flag::kTimeless,
                              .message = header.message,
                              .position = with.position};
    std::uint64_t detail = with.detail;
    if (with.service >= Service::here) {
        const Path path = Path::of_word(header.position);
        answer.rule = path.rule;
        answer.subtree = path.subtree;
        answer.destination = path.to_all ? kNoNode : to;
        answer.flags |= path.inward ? wire::packet_flag::kInward : std::uint8_t{0};
        answer.position = index(to);
        detail = detail_of(header);
    } else {
        put_paths(answer, way_home(to, paths_of(header)), Rule::unicast);
    }
    put_detail(answer, detail);
    header = answer;
    prepare(buffer, ready);
}

Event Forwarder::answer(PacketBuffer* buffer, const Answer& with) {
    write_answer(buffer, with);
    return forward(buffer, kNoPort, 0);
}

Event Forwarder::acknowledge(PacketBuffer* buffer) {
    const wire::PacketHeader& header = buffer->header;
    const std::uint32_t before = service_of(header) == Service::message ? 0 : header.position;
    const Answer taken{Service::taken, before + header.payload_bytes, buffer->ready};
    write_answer(buffer, taken, buffer->ready);
    return forward(buffer, kNoPort, 0);
}

bool Forwarder::call_sender(Event& event) {
    if (!admission_.may_ask())
        return false;
    const NodeId to = intake_.next_call();
    if (to == kNoNode)
        return false;
    intake_.call(to);
    const Peer& peer = intake_.peer(to);
    PacketBuffer* const buffer = pool_.allocate();
    wire::PacketHeader& header = buffer->header;
    header = {.source = here_.node(),
              .destination = to,
              .service = static_cast<std::uint8_t>(Service::call),
              .flags = wire::packet_flag::kTimeless,
              .message = peer.last,
              .position = intake_.any_away() ? 1u : 0u};
    put_paths(header, way_home(to, {0, static_cast<std::uint8_t>(peer.path_out)}), Rule::unicast);
    event = inject(buffer, 0);
    return true;
}

void Forwarder::refuse(PacketBuffer* offer) {
    ++refused_.offers;
    refused_.source = offer->header.source;
    refused_.tag = offer->header.tag;
    write_answer(offer, {Service::unknown});
}

bool Forwarder::refuse_offer(Event& event) {
    if (mailbox_.find({.service = Service::message}) == nullptr)
        return false;
    PacketBuffer* const buffer = take({.service = Service::message});
    refuse(buffer);
    event = forward(buffer, kNoPort, 0);
    return true;
}

Event Forwarder::end(Incoming& incoming, bool taken) {
    intake_.end(incoming, taken);
    const Match rest{
        .service = Service::fragment, .source = incoming.source, .message = incoming.message};
    Event event;
    while (PacketBuffer* buffer = mailbox_.find(rest)) {
        mailbox_.remove(buffer);
        if (std::exchange(taken, true))
            pool_.release(buffer);
        else // its sender need not ask what has become of it
            event = answer(buffer, {Service::unknown});
    }
    return event;
}

} // namespace mesh
