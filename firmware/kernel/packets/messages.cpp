#include "kernel/packets/messages.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

Outgoing::Outgoing(Messages& table, NodeId destination, Rule rule)
    : route(rule),
      messages(table),
      to(destination) {
    if (rule == Rule::unicast && destination != kNoNode) {
        const Peer& peer = table.forwarder_.peer(destination);
        paths = {static_cast<std::uint8_t>(peer.path_out),
                 static_cast<std::uint8_t>(peer.path_back)};
    }
    const CriticalSection section(messages.critical_depth_);
    next = std::exchange(messages.first_, this);
}

// A call that it was to answer has another answer: what waits here is offered when it is called
// again.
Outgoing::~Outgoing() {
    const CriticalSection section(messages.critical_depth_);
    Outgoing** link = &messages.first_;
    while (*link != this)
        link = &(*link)->next;
    *link = next;
    if (answers != 0 && !offered)
        messages.owe(to, answers);
}

// No name of a message is the number of a question.
Outgoing* Messages::find(NodeId to, std::uint32_t word) const {
    Outgoing* outgoing = first_;
    while (outgoing != nullptr &&
           ((outgoing->message != word && question_word(*outgoing) != word) || outgoing->to != to))
        outgoing = outgoing->next;
    return outgoing;
}

// A number that no other one has.
std::uint16_t Messages::next_question_number() {
    const auto is_used = [this](const Outgoing* at) {
        while (at != nullptr && at->asks_as != questions_)
            at = at->next;
        return at != nullptr;
    };
    do
        ++questions_;
    while (questions_ == 0 || is_used(first_));
    return questions_;
}

void Messages::number(Outgoing& outgoing) {
    if (outgoing.to == kNoNode)
        return;
    Peer& peer = forwarder_.peer(outgoing.to);
    peer.row = number_after(peer.row);
    outgoing.message = MessageName{peer.row, life_}.word();
}

void Messages::take_number_back(Outgoing& outgoing) {
    --forwarder_.peer(outgoing.to).row;
    outgoing.message = 0;
}

// The first message from `from` on, in the table, that goes to `to` and is not taken.
[[gnu::noinline]] Outgoing* Messages::untaken(Outgoing* from, NodeId to) {
    while (from != nullptr && !from->is_untaken(to))
        from = from->next;
    return from;
}

// The table begins with the newest.
bool Messages::in_turn(const Outgoing& outgoing) const {
    if (outgoing.answers != 0)
        return true;
    if (outgoing.held)
        return false;
    const Outgoing* older = untaken(outgoing.next, outgoing.to);
    while (older != nullptr && older->offered)
        older = untaken(older->next, outgoing.to);
    return older == nullptr;
}

bool Messages::holds(NodeId to, const Outgoing* but) const {
    const Outgoing* other = untaken(first_, to);
    while (other != nullptr && (other == but || other->offered))
        other = untaken(other->next, to);
    return other != nullptr;
}

// Questions ---------------------------------------------------------------------------------------

bool Messages::next_question(Outgoing& outgoing, bool links_heard) {
    outgoing.silent = outgoing.silent && !std::exchange(outgoing.alive, false) && links_heard;
    if (outgoing.lost || outgoing.silent) {
        if (!outgoing.has_way() || !outgoing.any_way)
            return false;
        outgoing.lose_way();
        outgoing.asked = 0;
    } else if (links_heard && outgoing.asked < limits::kAsksMax) {
        ++outgoing.asked; // else it is asked again as soon, since a link is about to die
    }
    outgoing.silent = true;
    outgoing.ask_at = wire::kNever; // until it has left
    if (outgoing.asks_as == 0)
        outgoing.asks_as = next_question_number();
    outgoing.begin_round();
    return true;
}

// A round of looks goes by every path out once, since the answer to a look comes by the way that
// the look names. Other questions go by every path out with every path back.
bool Messages::write_question(const Outgoing& outgoing, unsigned paths,
                              wire::PacketHeader& header) const {
    const bool looks = outgoing.question == Service::look;
    const bool asks = outgoing.question == Service::ask;
    const unsigned last = outgoing.has_way() ? 1 : looks ? paths : paths * paths;
    if (outgoing.asking >= last)
        return false;
    header = {.destination = outgoing.to,
              .tag = static_cast<std::uint16_t>(outgoing.round << 8),
              .service = static_cast<std::uint8_t>(outgoing.question),
              .flags = wire::packet_flag::kTimeless,
              .message = asks ? outgoing.message : question_word(outgoing),
              .position = asks ? question_word(outgoing) : outgoing.about};
    put_detail(header, outgoing.label);
    RoundTrip by = outgoing.paths;
    if (!outgoing.has_way()) {
        const unsigned out = outgoing.asking % paths;
        const unsigned back = looks ? 0 : (outgoing.asking / paths + out) % paths + 1;
        by = {static_cast<std::uint8_t>(out + 1), static_cast<std::uint8_t>(back)};
    }
    put_paths(header, by, outgoing.route);
    return true;
}

void Messages::sent_question(Outgoing& outgoing, unsigned paths, bool cut_off) {
    if (outgoing.asking >= Outgoing::kAnswered)
        return; // its answer is there: it went to this node itself
    if (cut_off && outgoing.has_way())
        outgoing.lost = true;
    else if (cut_off)
        lose_path(outgoing, outgoing.asking % paths, paths);
    ++outgoing.asking;
}

// Where every path out is lost, nobody will answer.
void Messages::lose_path(Outgoing& outgoing, unsigned path, unsigned paths) {
    outgoing.lost_paths |= static_cast<std::uint16_t>(1u << path);
    if (outgoing.lost_paths == (1u << paths) - 1)
        outgoing.unknown = true;
}

// Answers -----------------------------------------------------------------------------------------

// The first answer to a round shows a way; answers that come by other ways say nothing more.
void Messages::end_round(Outgoing& outgoing, RoundTrip paths) {
    if (outgoing.question == Service::ask && !std::exchange(outgoing.detour, true))
        ++counters_[Counter::disjoint_retries];
    outgoing.paths = paths;
    outgoing.moved = true;
    outgoing.lost = false;
    outgoing.arrived_bytes = 0;
    if (outgoing.question == Service::look)
        return;
    outgoing.hints = outgoing.is_untaken(outgoing.to) && !outgoing.there;
    Peer& peer = forwarder_.peer(outgoing.to);
    peer.path_out = paths.out & 31u;
    peer.path_back = paths.back & 31u;
}

// The question went behind all packets that were sent before it, so packets that had not arrived by
// then are lost: with a node, or a session of a link, that had come back when the question passed.
void Messages::come_to(Outgoing& outgoing, std::uint32_t arrived_bytes) {
    outgoing.taken = true;
    outgoing.hints = false;
    outgoing.arrived_bytes = arrived_bytes;
    if (arrived_bytes < outgoing.sent_bytes)
        outgoing.moved = true;
}

void Messages::on_lost(Outgoing& outgoing, const wire::PacketHeader& lost, unsigned paths) {
    const std::uint8_t path = path_answered(lost);
    if (outgoing.has_way())
        outgoing.lost = outgoing.lost || path == outgoing.paths.out;
    else if (round_of(lost) == outgoing.round && path != RoundTrip::kShortest)
        lose_path(outgoing, path - 1u, paths);
}

void Messages::hear(const wire::PacketHeader& answer, unsigned paths) {
    const Service service = service_of(answer);
    const NodeId to = service == Service::lost ? callee_of(answer) : answer.source;
    Outgoing* const outgoing = find(to, answer.message);
    if (outgoing == nullptr) {
        ++counters_[Counter::drop_unexpected];
        return;
    }
    if (service == Service::lost)
        return on_lost(*outgoing, answer, paths);
    if (const std::uint8_t round = round_of(answer); round != 0) {
        outgoing->alive = true;
        if (round != outgoing->round)
            return; // of an earlier question, or not the first of its round
        if (!outgoing->has_way())
            end_round(*outgoing, {path_answered(answer), paths_of(answer).out});
        outgoing->next_round();
        outgoing->stop_asking();
        if (outgoing->renamed)
            return; // what it says is about the number before
    }
    if (service == Service::here)
        return;
    const auto taken_bytes = service == Service::alive ? answer.total_bytes : answer.position;
    if (service == Service::alive || service == Service::taken)
        outgoing->taken_bytes = std::max(outgoing->taken_bytes, taken_bytes);
    if (service == Service::alive) {
        if (answer.position != 0)
            come_to(*outgoing, answer.position);
        return;
    }
    outgoing->heard = true;
    if (service == Service::taken) {
        outgoing->hints = false;
        if (!std::exchange(outgoing->taken, true))
            come_up_to(to, MessageName::of_word(outgoing->message).number);
        outgoing->taken_at = std::max(outgoing->taken_at, detail_of(answer));
    } else {
        outgoing->unknown = true;
    }
}

void Messages::ask_again(NodeId node) {
    for (Outgoing* outgoing = first_; outgoing != nullptr; outgoing = outgoing->next)
        if (node == kNoNode ? outgoing->ask_at != wire::kNever : outgoing->to == node) {
            outgoing->begin_anew(); // a question that has just left is not unanswered yet
            outgoing->alive = false;
            outgoing->ask_at = 0;
        }
}

namespace {

// True if a call with this list is for such a message of node `source`.
bool fits(std::span<const std::byte> list, CallLabel label, NodeId source) {
    for (std::size_t at = 0; at + sizeof(Want) <= list.size(); at += sizeof(Want)) {
        const auto want = wire::load<Want>(list, at);
        const bool of_program = want.tag == kAnyTag && label.tag <= kProgramTagMax;
        if ((want.source == kAnySource || want.source == source) && want.call == label.call &&
            (of_program || want.tag == label.tag))
            return true;
    }
    return list.empty();
}

} // namespace

// A message that the receiver has taken in keeps its number: an answer about it is under way, or
// will be. The receiver may have sent away an offer that it had taken in before
// (Forwarder::make_room()).
bool Messages::on_call(const PacketBuffer& packet) {
    const wire::PacketHeader& call = packet.header;
    const auto list = std::span{packet.bytes}.subspan(wire::kPacketHeaderBytes, call.payload_bytes);
    if ((call.position & kEnded) != 0) { // all that waits for that node hears so when it asks
        ask_again(call.source);
        return false;
    }
    const MessageName last = MessageName::of_word(call.message);
    const bool knows = last.life == life_ && last.number != 0; // else it has taken in nothing
    Outgoing* chosen = nullptr; // the oldest: the table begins with the newest
    for (Outgoing* one = first_; one != nullptr; one = one->next) {
        if (one->question != Service::ask || one->to != call.source)
            continue;
        const std::uint16_t number = MessageName::of_word(one->message).number;
        if (knows && number != 0)
            one->there = is_there(number, last.number, one->there);
        if ((one->taken || one->there) && !knows)
            one->unknown = one->heard = true;
        if (one->taken || one->there || one->unknown)
            continue;
        one->hold();
        if (fits(list, CallLabel::of_word(one->label), forwarder_.node()))
            chosen = one;
    }
    Peer& peer = forwarder_.peer(call.source);
    const bool others = (call.position & kOthersWait) != 0;
    peer.crowded = others || (chosen == nullptr && holds(call.source)) ? 1 : 0;
    if (chosen == nullptr)
        return false;
    chosen->held = false;
    chosen->heard = true;
    chosen->answers = static_cast<std::uint8_t>(call.position & kRoundMask);
    return true;
}

// Offers are taken in by their numbers, so what has a number up to this one is there.
void Messages::come_up_to(NodeId to, std::uint16_t number) {
    for (Outgoing* one = first_; one != nullptr; one = one->next)
        if (one->message != 0 && one->is_untaken(to) &&
            !is_behind(MessageName::of_word(one->message).number, number))
            one->there = true;
}

void Messages::owe(NodeId to, std::uint8_t round) {
    Peer& peer = forwarder_.peer(to);
    if (peer.heard != round)
        return; // it has called again
    peer.owes = 1;
    owed_ = true;
}

NodeId Messages::take_owed() {
    for (std::uint32_t node = 0; node < forwarder_.nodes(); ++node)
        if (forwarder_.peer(node_at(node)).owes != 0) {
            forwarder_.peer(node_at(node)).owes = 0;
            return node_at(node);
        }
    owed_ = false;
    return kNoNode;
}

bool Messages::is_under_way(CallLabel label, NodeId node) const {
    const Outgoing* outgoing = untaken(first_, node);
    while (outgoing != nullptr && outgoing->label != label.word())
        outgoing = untaken(outgoing->next, node);
    return outgoing != nullptr;
}

// Time and links ----------------------------------------------------------------------------------

bool Messages::cut_off(const Outgoing& outgoing) const {
    const bool by_path = outgoing.paths.out != RoundTrip::kShortest;
    return forwarder_.cut_off(outgoing.to, by_path ? Rule::disjoint : outgoing.route,
                              by_path ? outgoing.paths.out - 1u : 0);
}

void Messages::look_at_way(Outgoing& outgoing) const {
    if (outgoing.question != Service::look &&
        forwarder_.calls().have_parted(CallLabel::of_word(outgoing.label), outgoing.to))
        outgoing.unknown = true;
    outgoing.lost = outgoing.lost || (outgoing.has_way() && cut_off(outgoing));
}

void Messages::on_dead_links() {
    for (Outgoing* outgoing = first_; outgoing != nullptr; outgoing = outgoing->next)
        look_at_way(*outgoing);
}

std::uint64_t Messages::next_ask() const {
    std::uint64_t earliest = wire::kNever;
    for (const Outgoing* outgoing = first_; outgoing != nullptr; outgoing = outgoing->next)
        earliest = std::min(earliest, outgoing->ask_at);
    return earliest;
}

// The table begins with the newest.
bool Messages::is_for_older(const Outgoing& receiver, const Match& match) const {
    for (const Outgoing* older = receiver.next; older != nullptr; older = older->next) {
        if (!older->receives)
            continue;
        const Tag tag = CallLabel::of_word(older->label).tag;
        const PacketBuffer* const offer = forwarder_.mailbox().find(match);
        if (offer != nullptr &&
            Match{.service = Service::message, .tag = tag, .source = older->to}(offer->header))
            return true;
    }
    return false;
}

unsigned Messages::pending() const {
    unsigned count = 0;
    for (const Outgoing* outgoing = first_; outgoing != nullptr; outgoing = outgoing->next)
        count += outgoing->is_asking() || (outgoing->ask_at != wire::kNever && !outgoing->alive);
    return count;
}

} // namespace mesh
