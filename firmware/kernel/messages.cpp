#include "kernel/messages.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

Outgoing::Outgoing(Messages& table, NodeId destination, Rule rule)
    : messages(table),
      to(destination),
      route(rule),
      next(std::exchange(table.first_, this)) {}

Outgoing::~Outgoing() {
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

void Messages::hear(const News& news) {
    if (news.service < Service::taken)
        return;
    Outgoing* const outgoing = find(news.message);
    if (outgoing == nullptr) {
        ++counters_[Counter::drop_unexpected];
    } else if (news.service == Service::taken) {
        outgoing->taken = true;
        outgoing->taken_bytes = std::max(outgoing->taken_bytes, news.position);
    } else if (news.service == Service::later) {
        outgoing->later = true;
    } else {
        (news.service == Service::alive ? outgoing->alive : outgoing->lost) = true;
    }
}

void Messages::on_dead_links(const Forwarder& forwarder) {
    for (Outgoing* outgoing = first_; outgoing != nullptr; outgoing = outgoing->next)
        outgoing->lost = outgoing->lost || forwarder.cut_off(outgoing->to, outgoing->route);
}

std::uint64_t Messages::next_ask() const {
    std::uint64_t earliest = wire::kNever;
    for (const Outgoing* outgoing = first_; outgoing != nullptr; outgoing = outgoing->next)
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
