#include "ordered_frames.hpp"

#include <utility>

namespace mesh::host {

OrderedFrames::OrderedFrames(Order& order, Ends ends) : order_(order), ends_(std::move(ends)) {}

// A frame that is sent again is due before those behind it, which may be on their way already.
void OrderedFrames::hold(Held&& frame, wire::ModelTime due) {
    Wire& wire = wires_[frame.wire];
    const bool first = wire.waiting.empty() || due < wire.waiting.begin()->first.first;
    if (first && !wire.waiting.empty())
        remove_head(wire);
    wire.waiting.emplace(std::pair{due, frame.arrival}, std::move(frame));
    if (first)
        add_head(wire);
}

void OrderedFrames::add_head(Wire& wire) {
    const auto& [when, frame] = *wire.waiting.begin();
    wire.head = {when.first, frame.place, frame.arrival, frame.wire};
    heads_.insert(wire.head);
    due_.insert(when.first);
}

/// Before the first of the waiting goes.
void OrderedFrames::remove_head(const Wire& wire) {
    heads_.erase(wire.head);
    due_.erase(due_.find(wire.waiting.begin()->first.first));
}

wire::ModelTime OrderedFrames::earliest() const {
    return due_.empty() ? wire::kNever : *due_.begin();
}

/// Puts the first head off behind those that may overtake it, if there are any and the order says
/// so.
bool OrderedFrames::put_off_first() {
    const wire::ModelTime latest = earliest() + kOvertakenTicks;
    const auto behind = heads_.upper_bound({latest, kBehindAll, kBehindAll, ~std::uint32_t{0}});
    const auto first = heads_.begin();
    const auto last = std::prev(behind);
    if (first == last)
        return false;
    const std::uint32_t number = first->wire;
    if (!order_.puts_off({Choice::What::frame, ends_.from(number), ends_.to(number)}))
        return false;
    Head& head = wires_[number].head;
    head = {last->time, kBehindAll, ++put_offs_, number};
    heads_.erase(first);
    heads_.insert(head);
    return true;
}

// Each head is put off once at most in one call, so that an order that puts off whatever it can
// comes to an end.
OrderedFrames::Leaving OrderedFrames::take() {
    for (std::size_t others = heads_.size() - 1; others != 0 && put_off_first(); --others) {
    }
    const auto found = wires_.find(heads_.begin()->wire);
    Wire& wire = found->second;
    remove_head(wire);
    auto first = wire.waiting.extract(wire.waiting.begin());
    Leaving leaving{std::move(first.mapped()), first.key().first};
    if (wire.waiting.empty())
        wires_.erase(found);
    else
        add_head(wire);
    return leaving;
}

} // namespace mesh::host
