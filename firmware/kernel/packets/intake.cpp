#include "kernel/packets/intake.hpp"

#include <algorithm>

namespace mesh {

namespace {
/// Numbers go round.
bool is_behind(std::uint32_t number, std::uint32_t last) {
    return static_cast<std::int32_t>(number - last) > 0;
}
} // namespace

Intake::Intake(std::span<Sender> senders, const Mailbox& mailbox, bool begun_anew)
    : senders_(senders),
      mailbox_(mailbox),
      begun_anew_(begun_anew) {
    std::ranges::fill(senders_, Sender{.node = Sender::kNobody, .shared = 0, .last = 0});
}

Intake::Memory Intake::remember(NodeId source, std::uint32_t message) const {
    const Sender& sender = place(source);
    const bool known = knows(source);
    if (known && message == sender.last)
        return Memory::had;
    if (known ? is_behind(message, sender.last) : sender.node == Sender::kNobody && !sender.shared)
        return Memory::never;
    return known && !sender.shared ? Memory::had : Memory::unsure;
}

bool Intake::waits(NodeId source, std::uint32_t message) const {
    return mailbox_.find({.service = Service::message, .source = source, .message = message}) !=
           nullptr;
}

Intake::Fate Intake::fate(NodeId source, std::uint32_t message) const {
    if (find(source, message) != nullptr)
        return Fate::being_taken;
    if (waits(source, message))
        return Fate::waits;
    switch (remember(source, message)) {
    case Memory::never: return Fate::never_came;
    case Memory::had: return Fate::taken;
    case Memory::unsure: break;
    }
    return Fate::unknown;
}

bool Intake::is_early(const wire::PacketHeader& offer) const {
    const std::uint32_t before = offer.position;
    if (before == 0)
        return false;
    const Fate earlier = fate(offer.source, before);
    return earlier == Fate::never_came || earlier == Fate::unknown;
}

void Intake::accept(NodeId source, std::uint32_t message) {
    Sender& sender = place(source);
    if (sender.node != index(source)) {
        if (begun_anew_ || sender.node != Sender::kNobody)
            sender.shared = 1;
        sender.node = index(source) & Sender::kNobody;
    }
    sender.last = message;
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

Incoming* Intake::find(NodeId source, std::uint32_t message) const {
    Incoming* incoming = first_;
    while (incoming != nullptr && (incoming->source != source || incoming->message != message))
        incoming = incoming->next;
    return incoming;
}

void Intake::begin(Incoming& incoming) {
    incoming.next = first_;
    first_ = &incoming;
}

void Intake::end(Incoming& incoming, bool taken) {
    Incoming** link = &first_;
    while (*link != &incoming)
        link = &(*link)->next;
    *link = incoming.next;
    if (!taken)
        forget(incoming.source);
}

void Intake::forget(NodeId source) {
    Sender& sender = place(source);
    if (sender.node == index(source))
        sender.node = Sender::kNobody;
    sender.shared = 1;
}

} // namespace mesh
