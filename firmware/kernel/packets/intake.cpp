#include "kernel/packets/intake.hpp"

#include "hal/check.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

// Offers -----------------------------------------------------------------------------------------

Intake::Fate Intake::fate(NodeId source, std::uint32_t message) const {
    const Peer& from = peer(source);
    const MessageName name = MessageName::of_word(message);
    if (find(source, message) != nullptr)
        return Fate::being_taken;
    if (mailbox_.find({.service = Service::message, .source = source, .message = message}))
        return Fate::waits;
    if (name.life == 0 || name.life != from.life || is_behind(name.number, from.last))
        return Fate::not_here;
    return from.unsure != 0 ? Fate::unknown : Fate::taken;
}

Intake::Verdict Intake::judge(const wire::PacketHeader& offer, bool for_us, unsigned round) {
    Peer& from = peer(offer.source);
    const MessageName name = MessageName::of_word(offer.message);
    if (for_us && round != 0 && from.called != 0 && from.round == round)
        return offer.source != pulled_ || unexpected_ + called_ < room_ ? Verdict::accept
                                                                        : Verdict::overflow;
    const bool next =
        name.number == number_after(from.last) && (from.life == 0 || from.life == name.life);
    if (for_us && round == 0 && from.lost == 0 && next && from.called == 0 && more_ == 0 &&
        unexpected_ + called_ < room_)
        return Verdict::accept;
    note(from);
    return Verdict::drop;
}

void Intake::accept(const wire::PacketHeader& offer) {
    Peer& from = peer(offer.source);
    const MessageName name = MessageName::of_word(offer.message);
    ++unexpected_;
    asks_in_vain_ = 0;
    end_call(from);
    meet(from, name.life);
    from.last = name.number;
    if ((offer.flags & wire::packet_flag::kMore) != 0)
        note(from);
}

bool Intake::may_go_back(const wire::PacketHeader& offer) const {
    const Peer& from = peer(offer.source);
    return from.called == 0 && MessageName{from.last, from.life}.word() == offer.message;
}

void Intake::send_away(const wire::PacketHeader& offer, bool overflows) {
    Peer& from = peer(offer.source);
    if (overflows) {
        end_call(from);
    } else {
        from.last = number_before(from.last);
        take();
    }
    note(from);
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

// Nodes that hold messages -----------------------------------------------------------------------

void Intake::note(Peer& from) {
    more_ += from.more == 0 ? 1 : 0;
    from.more = 1;
    from.unasked = 1;
    news_ = true;
}

// The place that was kept for its offer is free.
void Intake::end_call(Peer& from) {
    if (from.called == 0)
        return;
    from.called = 0;
    if (node_of(from) == pulled_)
        pulled_ = kNoNode;
    else
        --called_;
}

[[gnu::noinline]] NodeId Intake::next_call() {
    if (more_ == 0 || unexpected_ + called_ >= room_)
        return kNoNode;
    for (std::size_t looked = 0; looked < peers_.size(); ++looked) {
        turn_ = turn_ + 1 < peers_.size() ? turn_ + 1 : 0;
        if (peers_[turn_].more != 0 && peers_[turn_].called == 0)
            return node_at(turn_);
    }
    return kNoNode;
}

void Intake::begin_waits() {
    if (more_ == 0)
        return;
    for (Peer& one : peers_)
        one.unasked = one.more;
}

NodeId Intake::next_pull(std::span<const Want> wants) {
    for (std::size_t looked = 0; looked < peers_.size(); ++looked) {
        pull_turn_ = pull_turn_ + 1 < peers_.size() ? pull_turn_ + 1 : 0;
        const Peer& one = peers_[pull_turn_];
        const NodeId node = node_at(pull_turn_);
        if (one.unasked != 0 && one.called == 0 && std::ranges::any_of(wants, [node](Want want) {
                return want.source == kAnySource || want.source == node;
            }))
            return node;
    }
    return kNoNode;
}

std::uint8_t Intake::call(NodeId node, bool pull) {
    Peer& from = peer(node);
    more_ -= from.more;
    from.more = 0;
    from.unasked = 0;
    from.lost = 0;
    if (from.called == 0 && pull)
        pulled_ = node;
    else if (from.called == 0)
        ++called_;
    from.called = 1;
    const std::uint8_t round = round_after(from.round);
    from.round = round & kRoundMask;
    return round;
}

void Intake::meet(Peer& from, std::uint16_t life) {
    if (from.life == life)
        return;
    if (from.life != 0) // what lives before were told is no password any more
        from.row = number_after(from.row);
    from.life = life;
    from.last = 0;
    from.heard = 0;
    from.owes = 0;
}

std::uint32_t Intake::password(NodeId node, std::uint16_t life, std::uint32_t said,
                               std::uint16_t own_life) const {
    const Peer& from = peer(node);
    const std::uint32_t password = MessageName{from.row, own_life}.word();
    return from.life == 0 || from.life == life || said == password ? 0 : password;
}

bool Intake::hear_call(NodeId node, std::uint16_t life, unsigned round) {
    Peer& from = peer(node);
    if (from.life != 0 && from.life != life) // whichever life has heard this node's call
        on_lost_call(node, from.round);
    meet(from, life);
    if (!is_later_round(round, from.heard))
        return false;
    from.heard = round & kRoundMask;
    return true;
}

void Intake::on_nothing(NodeId node, unsigned round, bool more) {
    Peer& from = peer(node);
    if (from.called == 0 || from.round != round)
        return;
    end_call(from);
    if (!more || from.more != 0)
        return;
    from.more = 1; // of what it was not asked for
    ++more_;
}

void Intake::on_lost_call(NodeId node, unsigned round) {
    Peer& from = peer(node);
    if (from.called == 0 || from.round != round)
        return;
    end_call(from);
    from.lost = 1;
}

void Intake::on_ask(NodeId node, unsigned path) {
    peer(node).path_out = path & 31u;
    end_call(peer(node));
    note(peer(node));
    if (++asks_in_vain_ % limits::kAsksInVain == 0 && pulled_ != kNoNode) { // nobody else can be
        Peer& silent = peer(pulled_);
        end_call(silent);
        note(silent);
    }
    if (asks_in_vain_ <= peers_.size() * limits::kAsksInVain)
        return;
    asks_in_vain_ = 0;
    for (Peer& one : peers_)
        end_call(one);
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
            note(node_at(node));
}

} // namespace mesh
