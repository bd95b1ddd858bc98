#include "kernel/packets/intake.hpp"

#include "hal/check.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

// Offers that wait ---------------------------------------------------------------------------

Intake::Fate Intake::fate(NodeId source, std::uint32_t message) const {
    const Peer& from = peer(source);
    if (find(source, message) != nullptr)
        return Fate::being_taken;
    if (mailbox_.find({.service = Service::message, .source = source, .message = message}))
        return Fate::waits;
    if (from.last == 0)
        return started_again_ ? Fate::unknown : Fate::never_came;
    if (is_behind(message, from.last))
        return Fate::never_came;
    return from.unsure != 0 ? Fate::unknown : Fate::taken;
}

// True if the message before this offer has not come: the offer must wait for it.
bool Intake::is_early(const wire::PacketHeader& offer) const {
    const std::uint32_t before = offer.position;
    if (before == 0)
        return false;
    const Fate earlier = fate(offer.source, before);
    return earlier == Fate::never_came || (earlier == Fate::unknown && !knows(offer.source));
}

// An offer may not be taken in before an earlier one of its sender that is in the overflow slot.
Intake::Verdict Intake::judge(const wire::PacketHeader& offer, NodeId overflow) {
    Peer& from = peer(offer.source);
    if (offer.source == overflow || is_early(offer)) {
        from.early = 1;
        return Verdict::send_away;
    }
    const bool invited = from.called != 0;
    const unsigned used = unexpected_ + (invited ? 0u : called_);
    if (used < room_ && (invited || away_ == 0))
        return Verdict::accept;
    if (offer.source == wanted_)
        return Verdict::overflow;
    send_away(offer.source, offer.tag);
    return Verdict::send_away;
}

void Intake::accept(const wire::PacketHeader& offer) {
    Peer& from = peer(offer.source);
    ++unexpected_;
    asks_in_vain_ = 0;
    come(from);
    if (from.last == 0 && started_again_) // those before it may have come in a life before
        from.unsure = 1;
    from.last = offer.message;
    const bool more = (offer.flags & wire::packet_flag::kMore) != 0;
    if (more || from.early != 0) {
        from.early = 0;
        send_away(offer.source, kAnyTag);
    }
}

void Intake::send_overflow_away(const wire::PacketHeader& offer) {
    send_away(offer.source, offer.tag);
}

bool Intake::accept_fragment(const wire::PacketHeader& fragment, Counters& counters) {
    Incoming* const incoming = find(fragment.source, fragment.message);
    if (incoming != nullptr && fragment.position == incoming->arrived) {
        incoming->arrived += fragment.payload_bytes;
        return true;
    }
    const bool again = incoming == nullptr || fragment.position < incoming->arrived;
    ++counters[again ? Counter::drop_duplicate : Counter::drop_out_of_order];
    return false;
}

// Senders that were sent away ----------------------------------------------------------------

void Intake::send_away(NodeId source, Tag tag) {
    Peer& from = peer(source);
    come(from);
    from.tag = tag;
    from.away = 1;
    ++away_;
}

// The sender does not wait to be called any more, and no place is kept for its next offer.
void Intake::come(Peer& from) {
    away_ -= from.away;
    called_ -= from.called;
    from.away = 0;
    from.called = 0;
    if (wanted_ != kNoNode && &peer(wanted_) == &from)
        wanted_ = kNoNode;
}

void Intake::repeat_call(NodeId node) {
    if (peer(node).called != 0)
        send_away(node, kAnyTag);
}

void Intake::want(const Match& match) const {
    if (wanted_ != kNoNode)
        return;
    const auto waits_here = [&](const Peer& one) {
        const bool fits = match.tag == kAnyTag ? one.tag <= kProgramTagMax : one.tag == match.tag;
        return one.away != 0 && (fits || one.tag == kAnyTag);
    };
    const bool any = match.source == kAnySource;
    const std::uint32_t first = any ? 0 : index(match.source);
    const auto all = static_cast<std::uint32_t>(peers_.size());
    const std::uint32_t end = any ? all : std::min(first + 1, all);
    for (std::uint32_t node = first; node < end; ++node)
        if (waits_here(peers_[node])) {
            wanted_ = node_at(node);
            return;
        }
}

[[gnu::noinline]] NodeId Intake::next_call() {
    if (away_ == 0)
        return kNoNode;
    if (wanted_ != kNoNode && peer(wanted_).away != 0)
        return wanted_;
    if (unexpected_ + called_ >= room_)
        return kNoNode;
    do
        turn_ = turn_ + 1 < peers_.size() ? turn_ + 1 : 0;
    while (peers_[turn_].away == 0);
    return node_at(turn_);
}

void Intake::call(NodeId node) {
    Peer& from = peer(node);
    away_ -= from.away;
    from.away = 0;
    if (from.called == 0)
        ++called_;
    from.called = 1;
}

void Intake::check_calls() {
    if (wanted_ != kNoNode && peer(wanted_).away == 0)
        wanted_ = kNoNode;
    if (++asks_in_vain_ <= peers_.size() * limits::kAsksInVain)
        return;
    asks_in_vain_ = 0;
    wanted_ = kNoNode;
    called_ = 0;
    for (Peer& one : peers_)
        one.called = 0;
}

// Messages that are being taken --------------------------------------------------------------

Incoming* Intake::find(NodeId source, std::uint32_t message) const {
    Incoming* incoming = first_;
    while (incoming != nullptr && (incoming->source != source || incoming->message != message))
        incoming = incoming->next;
    return incoming;
}

void Intake::begin(Incoming& incoming) { incoming.next = std::exchange(first_, &incoming); }

void Intake::end(Incoming& incoming, bool taken) {
    Incoming** link = &first_;
    while (*link != &incoming)
        link = &(*link)->next;
    *link = incoming.next;
    if (!taken)
        forget(incoming.source);
}

void Intake::forget(NodeId source) {
    peer(source).unsure = 1;
    note_wait(source);
}

void Intake::call_who_waits() {
    for (std::uint32_t node = 0; asked_ != 0 && node < peers_.size(); ++node)
        if (peers_[node].waits != 0)
            send_away(node_at(node), kAnyTag);
}

} // namespace mesh
