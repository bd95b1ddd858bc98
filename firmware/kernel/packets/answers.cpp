// The control packets of a forwarder: answers to packets, calls to senders, and what they hear.
#include "hal/check.hpp"
#include "kernel/packets/forwarder.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

// Answers -----------------------------------------------------------------------------------------

// Chooses the path to the destination: the one of this number (RoundTrip), or the next one whose
// first link is alive.
void Forwarder::choose_path(wire::PacketHeader& header, unsigned number) const {
    const unsigned last = here_.path_count();
    for (unsigned tried = 0; tried <= last; ++tried) {
        put_paths(header, {static_cast<std::uint8_t>(number), RoundTrip::kShortest}, Rule::unicast);
        if (!cut_off(header.destination, header.rule, header.subtree))
            return;
        number = number < last ? number + 1 : 0;
    }
    put_paths(header, {}, Rule::unicast);
}

// Makes the answer in the buffer of the question. The answer to a `look` takes the way that the
// look named, so that it keeps its place behind the packets that it is about, and repeats what the
// look said of them. Every other answer takes the path that the packet named. Every answer says by
// which path the packet came, and of which round of questions it was.
void Forwarder::write_answer(PacketBuffer* buffer, Service with) {
    MESH_EXPECT(buffer->in_hand_alone());
    wire::PacketHeader& header = buffer->header;
    const RoundTrip paths = paths_of(header);
    const unsigned round = is_question(service_of(header)) ? header.tag & 0xFF00u : 0u;
    const NodeId to = header.source;
    const NodeId callee = header.destination;
    if (service_of(header) == Service::ask && header.position != 0)
        header.message = header.position; // the number of the question
    const std::uint32_t answers = header.position & ~(kOthersWait | kEnded);
    buffer->ready = 0;
    header.payload_bytes = 0;
    header.source = here_.node();
    header.destination = to;
    header.tag = static_cast<std::uint16_t>(round | paths.out);
    header.service = static_cast<std::uint8_t>(with);
    header.flags = wire::packet_flag::kTimeless | (header.flags & wire::packet_flag::kAgain);
    if (!answers_look(with)) {
        header.position = with == Service::nothing ? answers : 0;
        put_detail(header, with == Service::nothing || with == Service::lost ? index(callee) : 0u);
        choose_path(header, paths.back);
        return;
    }
    const Path path = Path::of_word(header.position);
    header.rule = path.rule;
    header.subtree = path.subtree;
    if (path.to_all)
        header.destination = kNoNode;
    if (path.inward)
        header.flags |= wire::packet_flag::kInward;
    header.position = index(to);
}

PacketBuffer* Forwarder::answer(PacketBuffer* buffer, Service with, bool more) {
    MESH_CHECK(is_answered(service_of(buffer->header)) && buffer->references == 1,
               answer_to_no_question);
    write_answer(buffer, with);
    if (more)
        buffer->header.flags |= wire::packet_flag::kMore;
    return start(buffer);
}

PacketBuffer* Forwarder::acknowledge(PacketBuffer* buffer) {
    wire::PacketHeader& header = buffer->header;
    const std::uint32_t before = service_of(header) == Service::message ? 0 : header.position;
    const std::uint32_t consumed = before + header.payload_bytes;
    if (Incoming* const incoming = intake_.find(header.source, header.message))
        incoming->consumed = std::max(incoming->consumed, consumed);
    const wire::ModelTime ready = buffer->ready;
    write_answer(buffer, Service::taken);
    header.position = consumed;
    put_detail(header, ready);
    buffer->ready = ready;
    return start(buffer);
}

// A packet of control that this node sends by itself.
[[gnu::noinline]] PacketBuffer* Forwarder::new_word(NodeId to, Service service,
                                                    std::uint32_t position) {
    PacketBuffer* const buffer = pool_.allocate();
    buffer->header = {.source = here_.node(),
                      .destination = to,
                      .service = static_cast<std::uint8_t>(service),
                      .flags = wire::packet_flag::kTimeless,
                      .position = position};
    choose_path(buffer->header, intake_.peer(to).path_out);
    return buffer;
}

// The packet of a call to that node.
PacketBuffer* Forwarder::new_call(NodeId to, bool pull) {
    const std::uint8_t round = intake_.call(to, pull);
    const Peer& peer = intake_.peer(to);
    PacketBuffer* const buffer =
        new_word(to, Service::call,
                 answers_word(round, life()) | (intake_.any_more() ? kOthersWait : 0u) |
                     (audience_ == Audience::ended ? kEnded : 0u));
    buffer->header.message = MessageName{peer.last, peer.life}.word();
    return buffer;
}

[[gnu::noinline]] PacketBuffer* Forwarder::call(NodeId node) {
    return start(new_call(node, false));
}

[[gnu::noinline]] PacketBuffer* Forwarder::pull(const Wants& wants, bool new_waits) {
    if (new_waits || !wants.complete())
        intake_.begin_waits();
    if (wants.all().empty() || !admission_.may_ask())
        return nullptr;
    const NodeId node = intake_.next_pull(wants.all());
    if (node == kNoNode)
        return nullptr;
    PacketBuffer* const buffer = new_call(node, true);
    const std::span<const std::byte> list = std::as_bytes(wants.all());
    buffer->header.payload_bytes = static_cast<std::uint16_t>(list.size());
    std::ranges::copy(list, buffer->payload().begin());
    return start(buffer);
}

PacketBuffer* Forwarder::on_nothing(PacketBuffer* come) {
    const wire::PacketHeader& answer = come->header;
    const NodeId node = callee_of(answer);
    const NodeId from = answer.source;
    const std::uint32_t position = answer.position;
    const std::uint32_t password = answer.message;
    const bool more = (answer.flags & wire::packet_flag::kMore) != 0;
    drop(come); // a call may need its buffer
    if (!here_.knows(node) || position >> kLifeShift != life())
        return nullptr;
    const unsigned round = position & kRoundMask;
    const bool again = (position & kCallAgain) != 0;
    if (from != node) {
        intake_.on_lost_call(node, round);
    } else if (again && intake_.awaits(node) && admission_.may_ask()) {
        PacketBuffer* const call = new_call(node, false);
        call->header.total_bytes = password;
        return start(call);
    } else {
        intake_.on_nothing(node, round, more || again);
    }
    return nullptr;
}

bool Forwarder::lacks_password(wire::PacketHeader& call) const {
    const std::uint32_t password =
        intake_.password(call.source, life_called(call), call.total_bytes, life());
    if (password == 0)
        return false;
    call.message = password;
    call.position |= kCallAgain;
    return true;
}

PacketBuffer* Forwarder::answer_late(NodeId node, bool more) {
    const Peer& peer = intake_.peer(node);
    PacketBuffer* const buffer =
        new_word(node, Service::nothing, answers_word(peer.heard, peer.life));
    if (more)
        buffer->header.flags |= wire::packet_flag::kMore;
    put_detail(buffer->header, index(here_.node()));
    return start(buffer);
}

void Forwarder::refuse(PacketBuffer* offer) {
    ++refused_.offers;
    refused_.source = offer->header.source;
    refused_.tag = offer->header.tag;
}

// If the process leaves the message, the sender hears so (`unknown`) by the first fragment that
// remains, and need not ask.
PacketBuffer* Forwarder::end(Incoming& incoming, bool taken) {
    intake_.end(incoming, taken);
    const Match rest{
        .service = Service::fragment, .source = incoming.source, .message = incoming.message};
    PacketBuffer* come = nullptr;
    while (PacketBuffer* buffer = mailbox_.find(rest)) {
        mailbox_.remove(buffer);
        if (std::exchange(taken, true))
            pool_.release(buffer);
        else
            come = answer(buffer, Service::unknown);
    }
    return come;
}

} // namespace mesh
