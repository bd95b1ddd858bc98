#include "story.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace mesh::soak {

Sent& Story::begin_send(NodeId from, NodeId to, std::uint32_t bytes, unsigned lane) {
    const auto number = static_cast<std::uint32_t>(sent_.size());
    return sent_.emplace_back(
        Sent{number, index(from), world_.life(index(from)), index(to), bytes, lane});
}

void Story::end_send(Sent& sent, Status status, bool excused) {
    sent.ended = true;
    sent.excused = excused;
    sent.status = status;
}

void Story::note_taken(std::uint32_t number, NodeId by) {
    taken_.push_back({number, index(by), world_.life(index(by))});
}

void Story::note_wrong(std::string what) {
    if (wrong_.empty())
        wrong_ = std::move(what);
}

void Story::expect(NodeId node, unsigned processes) {
    open_.push_back({index(node), world_.life(index(node)), processes});
}

void Story::note_end(NodeId node, Status status) {
    ends_.push_back(status);
    for (Open& open : open_)
        if (open.node == index(node) && !is_gone(open))
            --open.processes;
}

void Story::tell(const std::string& words) const {
    if (trace_)
        fmt::print("{:14} ms: {}\n", world_.now_us() / 1000, words);
}

bool Story::was_dropped(std::uint32_t number) const {
    return std::ranges::find(dropped_, number) != dropped_.end();
}

bool Story::has_ended(NodeId node) const {
    return std::ranges::all_of(open_, [this, node](const Open& open) {
        return open.node != index(node) || open.processes == 0 || is_gone(open);
    });
}

void Story::note_entered(unsigned call) {
    entered_.resize(std::max<std::size_t>(entered_.size(), call + 1));
    ++entered_[call];
}

bool Story::all_entered(unsigned call) const { return entered_[call] >= world_.nodes(); }

std::uint64_t Story::packets_of(unsigned packet_bytes) const {
    std::uint64_t packets = 0;
    for (const Sent& sent : sent_)
        packets += (sent.bytes + packet_bytes - 1) / packet_bytes;
    return packets;
}

bool Story::ended() const {
    return std::ranges::all_of(
        open_, [this](const Open& open) { return open.processes == 0 || is_gone(open); });
}

std::string Story::waits() const {
    for (const Sent& sent : sent_)
        if (!sent.ended && world_.alive(sent.from) && world_.life(sent.from) == sent.from_life)
            return fmt::format("node {} never ends sending message {} to node {}", sent.from,
                               sent.number, sent.to);
    for (const Open& open : open_)
        if (open.processes != 0 && !is_gone(open))
            return fmt::format("the program of node {} never ends", open.node);
    return {};
}

std::string Story::check(bool all_well) const {
    if (!wrong_.empty())
        return wrong_;
    for (const Status status : ends_)
        if (status != Status::ok && (all_well || status != Status::unreachable))
            return fmt::format("a process ended with status {}", static_cast<int>(status));
    if (ledger.disagree())
        return "two nodes have different answers of an agreement";
    std::string wrong = check_sent(all_well);
    return wrong.empty() ? check_order() : wrong;
}

std::string Story::check_sent(bool all_well) const {
    std::map<std::tuple<std::uint32_t, unsigned, unsigned>, unsigned> times;
    std::vector<unsigned> taken(sent_.size());
    for (const Taken& one : taken_) {
        ++taken[one.number];
        if (sent_[one.number].to != one.by)
            return fmt::format("message {} came to node {}, not to {}", one.number, one.by,
                               sent_[one.number].to);
        if (++times[{one.number, one.by, one.by_life}] > 1)
            return fmt::format("node {} took message {} of node {} twice", one.by, one.number,
                               sent_[one.number].from);
    }
    for (const Sent& sent : sent_) {
        if (sent.ended && sent.status == Status::ok && taken[sent.number] == 0)
            return fmt::format("node {} was told that message {} was taken, and node {} has not",
                               sent.from, sent.number, sent.to);
        if (all_well && sent.ended && sent.status != Status::ok && taken[sent.number] != 0)
            return fmt::format("node {} was told that message {} was lost, and node {} has it",
                               sent.from, sent.number, sent.to);
        if (sent.ended && sent.status != Status::ok &&
            ((all_well && !sent.excused) || sent.status != Status::unreachable))
            return fmt::format("message {} of node {} to node {} ended with status {}", sent.number,
                               sent.from, sent.to, static_cast<int>(sent.status));
    }
    return {};
}

// Numbers grow in the order in which send() was called.
std::string Story::check_order() const {
    std::map<std::tuple<unsigned, unsigned, unsigned, unsigned>, std::uint32_t> last;
    for (const Taken& one : taken_) {
        const Sent& sent = sent_[one.number];
        const auto [place, first] =
            last.try_emplace({sent.from, sent.lane, one.by, one.by_life}, one.number);
        if (!first && one.number < place->second)
            return fmt::format("node {} took message {} of node {} after message {}", one.by,
                               one.number, sent.from, place->second);
        place->second = one.number;
    }
    return {};
}

} // namespace mesh::soak
