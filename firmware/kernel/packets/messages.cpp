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

// Offers behind one that never got there were sent away for its sake: they are made again, whole.
Outgoing::~Outgoing() {
    const CriticalSection section(messages.critical_depth_);
    Outgoing** link = &messages.first_;
    while (*link != this) {
        Outgoing& other = **link;
        if (question == Service::ask && !taken && other.is_untaken(to)) {
            other.offered = false;
            other.sent_bytes = 0;
        }
        link = &other.next;
    }
    *link = next;
}

Outgoing* Messages::find(std::uint32_t message) const {
    Outgoing* outgoing = first_;
    while (outgoing != nullptr && outgoing->message != message)
        outgoing = outgoing->next;
    return outgoing;
}

void Messages::number(Outgoing& outgoing) {
    do
        outgoing.message = ++numbers_;
    while (outgoing.message == 0 || outgoing.message == kAnyMessage);
}

// The first message from `from` on, in the table, that goes to `to` and is not taken.
[[gnu::noinline]] Outgoing* Messages::untaken(Outgoing* from, NodeId to) {
    while (from != nullptr && !from->is_untaken(to))
        from = from->next;
    return from;
}

// The table begins with the newest.
std::uint32_t Messages::before(const Outgoing& outgoing) const {
    const Outgoing* const other = untaken(outgoing.next, outgoing.to);
    return other != nullptr ? other->message : 0;
}

bool Messages::more_behind(const Outgoing& outgoing) const {
    for (const Outgoing* other = first_; other != &outgoing; other = other->next)
        if (other->question == Service::ask && other->to == outgoing.to && other->offered)
            return true;
    return false;
}

Outgoing* Messages::first_behind(NodeId to, std::uint32_t last) const {
    Outgoing* first = nullptr;
    for (Outgoing* other = untaken(first_, to); other != nullptr; other = untaken(other->next, to))
        if (last == 0 || is_behind(other->message, last))
            first = other;
    return first;
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
    if (outgoing.message == 0)
        number(outgoing);
    outgoing.begin_round();
    return true;
}

// A round of looks goes by every path out once, since the answer to a look comes by the way that
// the look names. Other questions go by every path out with every path back.
bool Messages::write_question(const Outgoing& outgoing, unsigned paths,
                              wire::PacketHeader& header) const {
    const bool looks = outgoing.question == Service::look;
    const unsigned last = outgoing.has_way() ? 1 : looks ? paths : paths * paths;
    if (outgoing.asking >= last)
        return false;
    header = {.destination = outgoing.to,
              .tag = static_cast<std::uint16_t>(outgoing.round << 8),
              .service = static_cast<std::uint8_t>(outgoing.question),
              .flags = wire::packet_flag::kTimeless,
              .message = outgoing.message,
              .position = outgoing.about};
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
    outgoing.again = true;
    outgoing.arrived_bytes = 0;
    if (outgoing.question == Service::look)
        return;
    Peer& peer = forwarder_.peer(outgoing.to);
    peer.path_out = paths.out & 31u;
    peer.path_back = paths.back & 31u;
}

// The question went behind all packets that were sent before it, so packets that had not arrived by
// then are lost: with a node, or a session of a link, that had come back when the question passed.
void Messages::come_to(Outgoing& outgoing, std::uint32_t arrived_bytes) {
    outgoing.take(arrived_bytes);
    outgoing.arrived_bytes = arrived_bytes;
    if (arrived_bytes < outgoing.sent_bytes)
        outgoing.moved = true;
}

// The receiver has room for a message, or has never seen it. A receiver that is asked (in a round)
// and says so of a message that it took has forgotten the message; without a round the word is
// about an earlier offer, and late.
void Messages::on_later(Outgoing& outgoing, const wire::PacketHeader& word) {
    forwarder_.peer(outgoing.to).crowded = word.position & kOthersWait;
    if (outgoing.taken) {
        outgoing.unknown = outgoing.unknown || round_of(word) != 0;
        return;
    }
    outgoing.offered = false;
    outgoing.again = true;
    outgoing.called = true;
    outgoing.sent_bytes = 0;
}

void Messages::on_lost(Outgoing& outgoing, const wire::PacketHeader& lost, unsigned paths) {
    const std::uint8_t path = path_answered(lost);
    if (outgoing.has_way())
        outgoing.lost = outgoing.lost || path == outgoing.paths.out;
    else if (round_of(lost) == outgoing.round && path != RoundTrip::kShortest)
        lose_path(outgoing, path - 1u, paths);
}

void Messages::hear(const wire::PacketHeader& answer, unsigned paths) {
    Outgoing* const outgoing = find(answer.message);
    if (outgoing == nullptr) {
        ++counters_[Counter::drop_unexpected];
        return;
    }
    const Service service = service_of(answer);
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
    if (service == Service::later) {
        on_later(*outgoing, answer);
    } else if (service == Service::taken) {
        outgoing->take(answer.position);
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

bool Messages::on_call(const wire::PacketHeader& call) {
    if ((call.position & kEnded) != 0) { // all that waits for that node hears so when it asks
        ask_again(call.source);
        return false;
    }
    Outgoing* const outgoing = first_behind(call.source, call.message);
    if (outgoing == nullptr)
        return false;
    outgoing->heard = true;
    on_later(*outgoing, call);
    return true;
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
