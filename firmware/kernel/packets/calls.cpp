#include "kernel/packets/calls.hpp"

#include <algorithm>

namespace mesh {

namespace {

/// Calls have the numbers 1 to this.
constexpr unsigned kNumbers = (1u << (wire::kCallBits - 1)) - 1;

/// How many calls `number` is after `other`; numbers go round.
[[gnu::noinline]] unsigned after(unsigned number, unsigned other) {
    return (number + kNumbers - other) % kNumbers;
}

constexpr std::uint16_t next_of(unsigned number) {
    return static_cast<std::uint16_t>(number < kNumbers ? number + 1 : 1);
}

/// True if a packet with this `call` (CallLabel::call) is of call `number`, or of one not much
/// older.
bool up_to(unsigned number, unsigned call) { return after(number, call / 2) <= Calls::kAhead; }

/// The later one of two calls.
std::uint16_t later(unsigned number, unsigned other) {
    return static_cast<std::uint16_t>(after(number, other) <= kNumbers / 2 ? number : other);
}

/// Nobody asks for call `number` any more when `now` begins.
bool is_long_past(unsigned number, unsigned now) {
    const unsigned since = after(now, number);
    return since > Calls::kAhead && since < kNumbers - Calls::kAhead;
}

/// True if a packet with this `call` (CallLabel::call) comes too late: its call is over. `record`:
/// of its tag, if there is one.
bool over(const CallRecord* record, unsigned call) {
    if (call == 0 || record == nullptr || record->number == 0)
        return false;
    const unsigned ahead = after(call / 2, record->number);
    return ahead > Calls::kAhead || (ahead == 0 && !record->under_way && !record->lasting);
}

} // namespace

bool CallRecord::is_of(const wire::PacketHeader& header) const {
    const bool message = header.service == static_cast<std::uint8_t>(Service::message);
    return header.call != 0 && header.tag == tag &&
           (message || header.service == static_cast<std::uint8_t>(Service::packet)) &&
           of_group == (message && header.call % 2 != 0);
}

void CallRecord::part(NodeId node) {
    if (parted_set != nullptr)
        parted_set[index(node) / 32] |= 1u << index(node) % 32;
    else
        parted = parted == kNobody || parted == node ? node : kAllNodes;
}

bool CallRecord::has_parted(NodeId node) const {
    if (parted_set != nullptr)
        return (parted_set[index(node) / 32] >> index(node) % 32 & 1u) != 0;
    return parted == node || parted == kAllNodes;
}

void CallRecord::set_share(std::uint32_t all) {
    share = static_cast<std::uint16_t>(std::min<std::uint32_t>(all, 0xFFFF));
}

void CallRecord::count() {
    ++calls;
    packets = static_cast<std::uint16_t>(std::min<std::uint32_t>(packets + share, 0xFFFF));
}

CallRecord* Calls::find(Tag tag, bool of_group) const {
    CallRecord* record = first_;
    while (record != nullptr && (record->tag != tag || record->of_group != of_group))
        record = record->next;
    return record;
}

void Calls::add(CallRecord& record) {
    record.next = first_;
    first_ = &record;
}

unsigned Calls::under_way() const {
    unsigned count = 0;
    for (const CallRecord* record = first_; record != nullptr; record = record->next)
        count += record->under_way ? 1 : 0;
    return count;
}

CallLabel Calls::label(Tag tag) const {
    const CallRecord* const record = find(tag);
    const unsigned number = record != nullptr && record->under_way ? record->number : 0u;
    return CallLabel::of(tag, 2 * number);
}

// A node that began anew learns from the others in which call they are: from the packets that they
// have sent to it, or have asked it for.
void Calls::begin(CallRecord& record, unsigned newest) {
    const bool first = record.number == 0;
    record.number = next_of(record.number);
    if (begun_anew_ && first && newest != 0)
        record.number = static_cast<std::uint16_t>(newest);
    record.under_way = true;
    record.lasting = false;
    record.parted = CallRecord::kNobody;
    for (Loss& loss : losses_) {
        if (!loss.is_there || loss.tag != record.tag || loss.number == 0)
            continue;
        if (begun_anew_ && loss.port == kEveryPort &&
            after(loss.number, record.number) <= kNumbers / 2)
            record.number = next_of(loss.number);
        loss.is_there = !is_long_past(loss.number, record.number);
    }
    if (is_long_past(record.lost, record.number))
        record.lost = 0;
}

bool Calls::is_over(const wire::PacketHeader& header) const {
    const CallLabel label = CallLabel::of(header.tag, header.call);
    if (header.service == static_cast<std::uint8_t>(Service::message))
        return is_over(label, header.source);
    return header.service == static_cast<std::uint8_t>(Service::packet) && is_over(label);
}

bool Calls::is_over(CallLabel label) const { return over(find(label.tag), label.call); }

CallRecord* Calls::record_of_messages(CallLabel label) const {
    return label.call != 0 ? find(label.tag, label.call % 2 != 0) : nullptr;
}

bool Calls::is_over(CallLabel label, NodeId node) const {
    return over(record_of_messages(label), label.call) || have_parted(label, node);
}

bool Calls::have_parted(CallLabel label, NodeId node) const {
    const CallRecord* const record = record_of_messages(label);
    return record != nullptr && record->number == label.call / 2 && record->has_parted(node);
}

void Calls::part(CallLabel label, NodeId node) const {
    CallRecord* const record = record_of_messages(label);
    if (record != nullptr && record->under_way && !record->loose &&
        record->number == label.call / 2)
        record->part(node);
}

// Losses ------------------------------------------------------------------------------------------

// Packets of no call are a kind of their own.
Calls::Loss* Calls::find_loss(Port port, CallLabel label) {
    for (Loss& loss : losses_)
        if (loss.is_there && loss.tag == label.tag && loss.port == port &&
            (loss.number == 0) == (label.call == 0))
            return &loss;
    return nullptr;
}

void Calls::note_lost(Port port, CallLabel label) {
    const auto number = static_cast<std::uint16_t>(label.call / 2);
    Loss* loss = find_loss(port, label);
    if (loss == nullptr)
        make_room() = {label.tag, number, port, true};
    else if (number != 0)
        loss->number = later(number, loss->number);
}

// Where no entry is free the oldest loss goes to the record of its tag, if calls of that tag have
// begun.
Calls::Loss& Calls::make_room() {
    if (const auto free = std::ranges::find(losses_, false, &Loss::is_there); free != losses_.end())
        return *free;
    Loss& oldest = losses_[oldest_];
    oldest_ = static_cast<std::uint8_t>((oldest_ + 1) % kLosses);
    if (CallRecord* const record = oldest.number != 0 ? find(oldest.tag) : nullptr) {
        record->lost = record->lost != 0 ? later(oldest.number, record->lost) : oldest.number;
        return oldest;
    }
    unsure_ = true;
    if (Loss* const told = find_loss(kEveryPort, CallLabel::of(oldest.tag, 2u * oldest.number)))
        told->is_there = false; // that entry did not count this loss
    return oldest;
}

bool Calls::lost(Port port, CallLabel label) {
    const Loss* const told = find_loss(kEveryPort, label);
    const auto says_so = [label](const Loss* loss) {
        return loss != nullptr && (label.call == 0 || up_to(loss->number, label.call));
    };
    const CallRecord* const record = label.call != 0 ? find(label.tag) : nullptr;
    if (record != nullptr && record->lost != 0 && up_to(record->lost, label.call))
        return true;
    if (says_so(find_loss(port, label)) || says_so(told))
        return true;
    if (!unsure_ || told != nullptr)
        return false;
    note_lost(kEveryPort, label);
    return true;
}

} // namespace mesh
