#include "kernel/packets/forwarder.hpp"

#include "hal/check.hpp"
#include "wire/bytes.hpp"

#include <utility>

namespace mesh {

// Weak: it comes with programs that multicast (to_set.hpp).
[[gnu::weak]] Route way_to_set(const Here& here, Port arrival, PacketBuffer& buffer);

namespace {
Envelope envelope_of(const wire::PacketHeader& header, std::uint8_t tag) {
    return {header.rule,   header.subtree,
            header.source, header.destination,
            tag,           (header.flags & wire::packet_flag::kInward) != 0};
}

// `life`: of this node.
Intake::Verdict judge(Intake& intake, const wire::PacketHeader& offer, std::uint16_t life) {
    const std::uint16_t wanted =
        life_called(offer) != 0 ? life_called(offer) : wire::Identity::kFirstLife;
    return intake.judge(offer, wanted == life, offer.position & kRoundMask);
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

// Packets in transit ------------------------------------------------------------------------------

void Forwarder::prepare(PacketBuffer* buffer) {
    wire::seal_packet(buffer->packet());
    buffer->hops = 0;
    buffer->remaining = static_cast<std::uint16_t>(admission_.way_out(buffer->header) +
                                                   admission_.way_back(buffer->header));
}

PacketBuffer* Forwarder::inject(PacketBuffer* buffer) {
    if (!buffer->header.is_timeless())
        ++counters_[Counter::packets_injected];
    return start(buffer);
}

PacketBuffer* Forwarder::start(PacketBuffer* buffer) {
    prepare(buffer);
    return forward(buffer, kNoPort, 0);
}

PacketBuffer* Forwarder::forward(PacketBuffer* buffer, Port arrival, std::uint8_t tag) {
    MESH_EXPECT(buffer->in_hand_alone());
    PacketBuffer* come = nullptr;
    while (pass(buffer, arrival, tag, come)) {
        prepare(buffer);
        arrival = kNoPort;
        tag = 0;
    }
    return come;
}

// True if `buffer` is an answer now, to be sent from here; else its reference is gone.
bool Forwarder::pass(PacketBuffer*& buffer, Port arrival, std::uint8_t tag, PacketBuffer*& come) {
    Route route = here_.way(arrival, envelope_of(buffer->header, tag));
    buffer->tags = route.tags;
    if (route.nowhere()) {
        if (way_to_set != nullptr)
            route = way_to_set(here_, arrival, *buffer);
        if (route.nowhere())
            ++counters_[Counter::drop_no_route];
    }
    PacketBuffer* answer = route.deliver && deliver(buffer, come) ? buffer : nullptr;
    if (come != nullptr)
        pool_.share(come);
    while (!route.ports.empty()) {
        const Port port = route.ports.pop();
        if (arrival != kNoPort)
            ++counters_[Counter::packets_forwarded];
        if (!says_too_much(port, buffer->header) && links_.send(port, buffer))
            continue;
        note_loss(port, buffer->header);
        if (answer == nullptr)
            answer = answer_to_loss(buffer, port, arrival, tag);
    }
    if (answer != buffer)
        pool_.release(buffer);
    buffer = answer;
    return answer != nullptr;
}

// True if this answer `here` must become `gone`: a packet of the call that it is about was lost on
// this link before the link came back.
bool Forwarder::says_too_much(Port port, const wire::PacketHeader& header) {
    return service_of(header) == Service::here && !links_.at(port).dead() &&
           calls_.lost(port, CallLabel::of_word(header.total_bytes));
}

void Forwarder::note_loss(Port port, const wire::PacketHeader& header) {
    ++counters_[Counter::drop_dead_link];
    if (service_of(header) == Service::packet)
        calls_.note_lost(port, CallLabel::of(header.tag, header.call));
}

// The packet gets no further than here by this port. Gives the buffer to be sent for that: the same
// one, with the answer to the packet that was in it, or another one; nullptr: none.
PacketBuffer* Forwarder::answer_to_loss(PacketBuffer* buffer, Port port, Port arrival,
                                        std::uint8_t tag) {
    MESH_EXPECT(buffer->references != 0);
    const Service service = service_of(buffer->header);
    if (answers_look(service))
        return turn_back(buffer->header, port, arrival, tag);
    if (buffer->references != 1)
        return nullptr;
    if (service == Service::taken || service == Service::unknown)
        return asks_instead(*buffer) ? buffer : nullptr;
    if (!is_answered(service))
        return nullptr;
    write_answer(buffer, service == Service::call ? Service::nothing : Service::lost);
    return buffer;
}

// An answer to a look goes by the way that the look is about, and gets no further than here. If the
// node that looks is behind that port, it is told once, by another way, that nothing more comes by
// this one. If the pool does not allow that, the node finds it out by silence.
PacketBuffer* Forwarder::turn_back(const wire::PacketHeader& answer, Port port, Port arrival,
                                   std::uint8_t tag) {
    Envelope behind = envelope_of(answer, tag);
    behind.destination = node_at(answer.position);
    if ((answer.flags & wire::packet_flag::kAgain) != 0 || !admission_.may_ask() ||
        (here_.way(arrival, behind).ports.set() & bit_of(port)) == 0)
        return nullptr;
    PacketBuffer* const buffer = pool_.allocate();
    wire::PacketHeader& header = buffer->header;
    header = answer;
    header.service = static_cast<std::uint8_t>(Service::gone);
    header.destination = behind.destination;
    header.flags = wire::packet_flag::kTimeless | wire::packet_flag::kAgain;
    choose_path(header, 0);
    return buffer;
}

// An answer about a message gets no further than here, while the message may get through by another
// way: its sender would find out only by asking, long after. The packet becomes that question, in
// the sender's name, and names the last path for the answer. Once: the answer bears kAgain.
// Example: in a 4-cube with node 5 dead, messages from 13 go by 12 and 8 to 0, and what 0 says of
// them goes by 1 and 5. Node 1 asks node 0 instead, which answers by 8 and 9.
[[gnu::noinline]] bool Forwarder::asks_instead(PacketBuffer& buffer) const {
    wire::PacketHeader& header = buffer.header;
    if (round_of(header) != 0 || (header.flags & wire::packet_flag::kAgain) != 0 ||
        !admission_.may_ask())
        return false;
    std::swap(header.source, header.destination);
    header.service = static_cast<std::uint8_t>(Service::ask);
    header.position = 0; // no question of the sender has this number
    header.rule = Rule::unicast;
    header.subtree = static_cast<std::uint8_t>((here_.path_count() - 1) << 4);
    header.flags |= wire::packet_flag::kAgain | wire::packet_flag::kBackByPath;
    return true;
}

PacketBuffer* Forwarder::give_up(PacketBuffer* buffer, Port port) {
    MESH_EXPECT(buffer->references != 0);
    note_loss(port, buffer->header);
    PacketBuffer* const answer = answer_to_loss(buffer, port, kNoPort, 0);
    if (answer != buffer)
        pool_.release(buffer);
    return answer != nullptr ? start(answer) : nullptr;
}

bool Forwarder::cut_off(NodeId to, Rule rule, unsigned path) const {
    if (links_.dead_ports() == 0)
        return false;
    const Envelope envelope{rule, static_cast<std::uint8_t>(path), here_.node(), to, 0, false};
    const Route route = here_.way(kNoPort, envelope);
    return (route.ports.set() & links_.dead_ports()) != 0;
}

// Packets for this node ---------------------------------------------------------------------------

// One of the packets that a program left is kept, for the report.
bool Forwarder::is_heard(Service service) const {
    switch (audience_) {
    case Audience::processes: break;
    case Audience::ended: return service != Service::packet || mailbox_.first() == nullptr;
    case Audience::nobody: return false;
    }
    return true;
}

// True if the buffer holds the answer now.
bool Forwarder::deliver(PacketBuffer* buffer, PacketBuffer*& come) {
    MESH_EXPECT(buffer->in_hand_alone());
    const wire::PacketHeader& header = buffer->header;
    const Service service = service_of(header);
    if (is_answered(service) && (header.destination == kNoNode || !here_.knows(header.source))) {
        ++counters_[Counter::drop_no_route];
        return false;
    }
    if (!is_heard(service)) {
        ++counters_[Counter::drop_unexpected];
        if (!is_answered(service))
            return false;
        write_answer(buffer, service == Service::call ? Service::nothing : Service::unknown);
        return true;
    }
    if (is_carried(service) && calls_.is_over(header)) {
        ++counters_[Counter::drop_old_call];
        if (service != Service::message)
            return false;
        if (judge(intake_, header, life()) != Intake::Verdict::drop) { // its number counts
            intake_.accept(header);
            intake_.take();
            intake_.forget(header.source);
        }
        write_answer(buffer, Service::unknown);
        return true;
    }
    switch (service) {
    case Service::message: return on_offer(buffer, come);
    case Service::fragment:
        if (!intake_.accept_fragment(header, counters_))
            return false;
        [[fallthrough]];
    case Service::packet:
        count(buffer);
        come = put(buffer);
        return false;
    case Service::ask: on_ask(buffer); return true;
    case Service::here:
    case Service::gone: // by a Path to all it comes also to nodes that have not looked
        if (header.position != index(here_.node()))
            return false;
        [[fallthrough]];
    case Service::probe:
    case Service::call:
    case Service::look:
    case Service::taken:
    case Service::nothing:
    case Service::lost:
    case Service::alive:
    case Service::unknown: come = buffer; return false;
    case Service::kCount:
    default: ++counters_[Counter::drop_unexpected]; return false;
    }
}

PacketBuffer* Forwarder::put(PacketBuffer* buffer) {
    pool_.let_wait(buffer);
    mailbox_.put(buffer);
    return buffer;
}

// Hashes the packet's checksum, which covers all of it, in place of its bytes.
void Forwarder::count(PacketBuffer* buffer) {
    ++counters_[Counter::packets_delivered];
    delivery_hash_ = 31 * delivery_hash_ +
                     wire::load<std::uint32_t>(buffer->bytes, wire::packet_offset::kPacketCrc);
}

void Forwarder::accept(PacketBuffer* offer) {
    intake_.accept(offer->header);
    count(offer);
}

// An offer is taken in once, if it is the next one and there is room (intake.hpp).
bool Forwarder::on_offer(PacketBuffer* buffer, PacketBuffer*& come) {
    MESH_EXPECT(buffer->in_hand_alone());
    const wire::PacketHeader& header = buffer->header;
    if ((header.flags & wire::packet_flag::kHint) != 0) {
        intake_.note(header.source);
        if (const std::uint8_t back = paths_of(header).back; back != RoundTrip::kShortest)
            intake_.peer(header.source).path_out = back & 31u; // it knows that this one is whole
        return false;
    }
    const Intake::Fate fate = intake_.fate(header.source, header.message);
    if (fate != Intake::Fate::not_here) {
        ++counters_[Counter::drop_duplicate];
        if (fate != Intake::Fate::unknown)
            return false;
        write_answer(buffer, Service::unknown);
        return true;
    }
    if (audience_ == Audience::ended) {
        refuse(buffer);
        write_answer(buffer, Service::unknown);
        return true;
    }
    switch (judge(intake_, header, life())) {
    case Intake::Verdict::accept: accept(buffer); break;
    case Intake::Verdict::overflow: overflow_ = buffer; break;
    case Intake::Verdict::drop: ++counters_[Counter::bounces]; return false;
    }
    come = put(buffer);
    return false;
}

void Forwarder::send_away(PacketBuffer* offer) {
    ++counters_[Counter::bounces];
    mailbox_.remove(offer);
    intake_.send_away(offer->header, offer == overflow_);
    overflow_ = offer == overflow_ ? nullptr : overflow_;
    pool_.release(offer);
}

void Forwarder::make_room() {
    while (pool_.overdrawn()) {
        PacketBuffer* newest = nullptr;
        bool has_calls = false;
        for (PacketBuffer* at = mailbox_.first(); at != nullptr; at = at->next) {
            has_calls = has_calls || service_of(at->header) == Service::packet;
            if (service_of(at->header) == Service::message && intake_.may_go_back(at->header))
                newest = at;
        }
        if (!has_calls || newest == nullptr)
            return;
        send_away(newest);
    }
}

// True if a process keeps a packet with which the sender of this message will hear that it is
// consumed. The process may have left the Message, and may keep its last packet.
bool Forwarder::is_kept(NodeId source, std::uint32_t message) const {
    for (unsigned number = 0; number < pool_.used_max(); ++number) {
        const PacketBuffer& buffer = *pool_.at(number);
        if (buffer.references != 0 && buffer.acknowledges && buffer.header.source == source &&
            buffer.header.message == message)
            return true;
    }
    return false;
}

// The sender of a message that is not here hears that this node is alive, and is called: by the
// path that it has named for the answer, since it may have found that others are broken.
void Forwarder::on_ask(PacketBuffer* buffer) {
    wire::PacketHeader& header = buffer->header;
    auto says = Service::alive;
    std::uint32_t arrived = 0;
    std::uint32_t consumed = 0;
    switch (intake_.fate(header.source, header.message)) {
    case Intake::Fate::not_here:
        if (audience_ == Audience::ended)
            says = Service::unknown;
        else
            intake_.on_ask(header.source, paths_of(header).back);
        break;
    case Intake::Fate::waits: break;
    case Intake::Fate::being_taken: {
        const Incoming& incoming = *intake_.find(header.source, header.message);
        arrived = incoming.arrived;
        consumed = incoming.consumed;
        break;
    }
    case Intake::Fate::taken:
        if (is_kept(header.source, header.message))
            break;
        says = Service::taken;
        arrived = ~std::uint32_t{0};
        break;
    case Intake::Fate::unknown: says = Service::unknown; break;
    }
    write_answer(buffer, says);
    header.position = arrived;
    put_detail(header, consumed);
}

const PacketBuffer* Forwarder::find(const Match& match) const {
    const PacketBuffer* const buffer = mailbox_.find(match);
    if (buffer == nullptr && match.service == Service::message && wants_ != nullptr)
        wants_->add({match.source, match.tag, match.call});
    return buffer;
}

PacketBuffer* Forwarder::take(const Match& match) {
    PacketBuffer* buffer = mailbox_.find(match);
    MESH_CHECK(buffer != nullptr, take_without_packet);
    leave_mailbox(buffer);
    buffer->mark.pass(PacketOwner::code, PacketOwner::process);
    return buffer;
}

void Forwarder::leave_mailbox(PacketBuffer* buffer) {
    mailbox_.remove(buffer);
    if (service_of(buffer->header) != Service::message)
        return;
    if (buffer == overflow_)
        accept(std::exchange(overflow_, nullptr));
    intake_.take();
}

// Calls of collectives ----------------------------------------------------------------------------

// The packet of this tag that came last says in which call the other nodes are.
unsigned Forwarder::newest_call(const CallRecord& record) const {
    unsigned newest = 0;
    for (const PacketBuffer* at = mailbox_.first(); at != nullptr; at = at->next)
        if (record.is_of(at->header))
            newest = at->header.call / 2;
    return newest;
}

void Forwarder::part(CallLabel label, NodeId node) {
    Route route = here_.way(kNoPort, {Rule::unicast, 0, here_.node(), node, 0, false});
    if (label.call != 0 && !route.ports.empty())
        calls_.note_lost(route.ports.pop(), label);
}

PacketBuffer* Forwarder::find_old_call() {
    const bool all = audience_ == Audience::ended;
    PacketBuffer* buffer = mailbox_.first();
    while (buffer != nullptr && !calls_.is_over(buffer->header) &&
           !(all && service_of(buffer->header) == Service::message))
        buffer = buffer->next;
    return buffer;
}

PacketBuffer* Forwarder::drop_old_call(PacketBuffer* buffer) {
    leave_mailbox(buffer);
    if (audience_ == Audience::ended)
        refuse(buffer);
    else
        ++counters_[Counter::drop_old_call];
    if (service_of(buffer->header) == Service::message) {
        intake_.forget(buffer->header.source);
        return answer(buffer, Service::unknown);
    }
    pool_.release(buffer);
    return nullptr;
}

} // namespace mesh
