#include "kernel/packets/messages.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

Outgoing::Outgoing(Messages& table, NodeId destination, Rule rule)
    : route(rule),
      messages(table),
      to(destination) {
    const Hold hold(messages.holds_);
    next = std::exchange(messages.first_, this);
}

Outgoing::~Outgoing() {
    const Hold hold(messages.holds_);
    Outgoing** link = &messages.first_;
    while (*link != this)
        link = &(*link)->next;
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

// The table begins with the newest.
std::uint32_t Messages::before(const Outgoing& outgoing) const {
    for (const Outgoing* other = outgoing.next; other != nullptr; other = other->next)
        if (other->question == Service::ask && other->to == outgoing.to && !other->taken)
            return other->message;
    return 0;
}

// The first answer to a round shows a way. False for the others, which come by other paths.
bool Messages::end_round(Outgoing& outgoing, const News& news) {
    if (news.round != outgoing.round)
        return false;
    outgoing.begin_round();
    if (outgoing.question == Service::ask && !std::exchange(outgoing.detour, true))
        ++counters_[Counter::disjoint_retries];
    outgoing.way = news.way;
    outgoing.moved = true;
    outgoing.lost = false;
    outgoing.arrived_bytes = news.position;
    if (news.position != 0)
        outgoing.taken = true;
    return true;
}

// The question went behind all that was sent before, so what had not arrived by then is lost: with
// a node, or a session of a link, that had come back when it passed.
void Messages::come_to(Outgoing& outgoing, std::uint32_t arrived_bytes) {
    outgoing.taken = true;
    outgoing.arrived_bytes = arrived_bytes;
    if (arrived_bytes < outgoing.sent_bytes)
        outgoing.moved = true;
}

bool Messages::next_question(Outgoing& outgoing, bool heard, News& question) {
    outgoing.silent = outgoing.silent && !std::exchange(outgoing.alive, false) && heard;
    if (outgoing.lost || outgoing.silent) {
        if (!outgoing.has_way() || !outgoing.any_way)
            return false;
        outgoing.lose_way();
        outgoing.asked = 0;
    } else if (heard && outgoing.asked < limits::kAsksMax) {
        ++outgoing.asked; // else it is asked again as soon, since a link is about to die
    }
    outgoing.silent = true;
    if (outgoing.message == 0)
        number(outgoing);
    // On a detour questions go by all paths as well.
    if (outgoing.way != Way::kChosen)
        outgoing.begin_round();
    question = {.service = outgoing.question,
                .rule = outgoing.route,
                .way = outgoing.way,
                .round = outgoing.way != Way::kChosen ? outgoing.round : std::uint8_t{0},
                .peer = outgoing.to,
                .message = outgoing.message,
                .position = outgoing.about,
                .detail = outgoing.label};
    return true;
}

void Messages::hear(const News& news) {
    if (news.service < Service::taken)
        return;
    Outgoing* const outgoing = find(news.message);
    if (outgoing == nullptr) {
        ++counters_[Counter::drop_unexpected];
        return;
    }
    if (news.service == Service::lost) {
        if (news.way == outgoing->way)
            outgoing->lost = true;
        return;
    }
    if (news.round != 0 && !end_round(*outgoing, news))
        return;
    if (news.service == Service::taken) {
        outgoing->taken = true;
        outgoing->taken_bytes = std::max(outgoing->taken_bytes, news.position);
        outgoing->taken_at = std::max(outgoing->taken_at, news.detail);
    } else if (news.service == Service::later) {
        // In answer to a question it forgot what it took. By all paths and without a question it is
        // said of an earlier offer, and this is a late copy.
        if (!outgoing->taken)
            outgoing->later = true;
        else if (news.round != 0 || outgoing->way == Way::kChosen)
            outgoing->unknown = true;
    } else if (news.service == Service::alive) {
        outgoing->alive = true;
        outgoing->taken_bytes =
            std::max(outgoing->taken_bytes, static_cast<std::uint32_t>(news.detail));
        if (news.position != 0)
            come_to(*outgoing, news.position);
    } else {
        (news.service == Service::here ? outgoing->alive : outgoing->unknown) = true;
    }
}

void Messages::answer(News& probe) const {
    const bool known = probe.position == 0 || find(probe.position) != nullptr;
    probe.answer(known ? Service::alive : Service::unknown);
}

void Messages::on_dead_links(const Forwarder& forwarder) {
    for (Outgoing* outgoing = first_; outgoing != nullptr; outgoing = outgoing->next)
        if (outgoing->has_way() &&
            forwarder.cut_off(outgoing->to, outgoing->rule(), outgoing->path()))
            outgoing->lost = true;
}

std::uint64_t Messages::next_ask(std::uint64_t from) const {
    std::uint64_t earliest = wire::kNever;
    for (const Outgoing* outgoing = first_; outgoing != nullptr; outgoing = outgoing->next)
        if (outgoing->ask_at >= from)
            earliest = std::min(earliest, outgoing->ask_at);
    return earliest;
}

unsigned Messages::pending() const {
    unsigned count = 0;
    for (const Outgoing* outgoing = first_; outgoing != nullptr; outgoing = outgoing->next)
        count += outgoing->ask_at != wire::kNever && !outgoing->alive ? 1 : 0;
    return count;
}

} // namespace mesh
