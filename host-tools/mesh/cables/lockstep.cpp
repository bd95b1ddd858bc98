#include "lockstep.hpp"

#include "bounds.hpp"
#include "ordered_frames.hpp"
#include "turns.hpp"

#include <algorithm>
#include <utility>

namespace mesh::host {

Lockstep::Lockstep(std::uint32_t nodes, Outlet outlet)
    : outlet_(std::move(outlet)),
      nodes_(nodes),
      busy_(nodes) {}

void Lockstep::begin() { on_ = true; }

void Lockstep::deliver_now(NodeId to, std::span<const std::byte> frame) {
    Member& member = nodes_[index(to)];
    ++member.delivered;
    recount(member);
    outlet_.deliver(to, frame);
}

Bytes Lockstep::copy_of(std::span<const std::byte> frame) {
    Bytes copy;
    if (!spare_.empty()) {
        copy = std::move(spare_.back());
        spare_.pop_back();
    }
    copy.assign(frame.begin(), frame.end());
    return copy;
}

void Lockstep::enqueue(NodeId to, Bytes&& frame) {
    Member& member = nodes_[index(to)];
    if (member.excluded)
        return;
    std::uint32_t place = free_;
    if (place == kNone) {
        place = static_cast<std::uint32_t>(queued_.size());
        queued_.push_back({});
    } else {
        free_ = queued_[place].next;
    }
    queued_[place] = {std::move(frame), kNone};
    if (member.first == kNone) {
        to_send_.push_back(index(to));
        member.first = place;
    } else {
        queued_[member.last].next = place;
    }
    member.last = place;
    recount(member);
    if (!releasing_)
        send_batches();
}

void Lockstep::hold(std::uint32_t wire, std::uint64_t place, wire::ModelTime time,
                    std::span<const std::byte> frame) {
    Held held{wire, place, arrivals_++, copy_of(frame)};
    if (time == 0)
        control_.push_back(std::move(held));
    else if (ordered_ != nullptr)
        ordered_->hold(std::move(held), time);
    else
        data_[time].push_back(std::move(held));
}

std::string_view Lockstep::idle(NodeId node, std::uint32_t consumed, wire::ModelTime timer) {
    Member& member = nodes_[index(node)];
    if (member.excluded)
        return {};
    const std::string_view wrong = complaint(member, timer);
    if (!wrong.empty())
        return wrong;
    member.reported = true;
    member.consumed = consumed;
    set_timer(node, timer);
    if (member.delivered == consumed && member.first != kNone)
        send_batch(node);
    recount(member);
    return {};
}

/// The error of a report with this timer; "" if there is none.
std::string_view Lockstep::complaint(Member& member, wire::ModelTime timer) const {
    const bool is_time = timer < wire::kNextTurn;
    if (!is_time || timer > member.granted) {
        member.stale_timers = 0;
        return is_time && timer > bounds::kModelTimeMax
                   ? "sets a timer to a model time that cannot be"
                   : std::string_view{};
    }
    // A granted time is due at once; a node that sees the grant late may report it again.
    const bool late = timer == member.granted && ++member.stale_timers <= bounds::kStaleTimersMax;
    return late || !on_ ? std::string_view{} : "sets a timer to a model time that has passed";
}

void Lockstep::set_timer(NodeId node, wire::ModelTime time) {
    Member& member = nodes_[index(node)];
    timers_set_ += (time != wire::kNever ? 1 : 0) - (member.timer != wire::kNever ? 1 : 0);
    member.timer = time;
    if (time >= member.noted)
        return;
    member.noted = time;
    timers_.emplace(time, index(node));
}

void Lockstep::exclude(NodeId node) {
    Member& member = nodes_[index(node)];
    member.excluded = true;
    set_timer(node, wire::kNever);
    drop_queue(member);
    recount(member);
}

void Lockstep::restart(NodeId node) {
    Member& member = nodes_[index(node)];
    set_timer(node, wire::kNever);
    drop_queue(member);
    const bool busy = member.busy;
    member = {};
    member.busy = busy;
    recount(member);
}

/// Keeps the count of busy nodes right after a change to one of them.
void Lockstep::recount(Member& member) {
    const bool busy = !idle(member);
    if (busy == member.busy)
        return;
    member.busy = busy;
    busy_ += busy ? 1 : -1;
}

Bytes Lockstep::take_first(Member& member) {
    const std::uint32_t place = member.first;
    member.first = std::exchange(queued_[place].next, free_);
    free_ = place;
    return std::move(queued_[place].frame);
}

void Lockstep::drop_queue(Member& member) {
    while (member.first != kNone)
        spare_.push_back(take_first(member));
}

/// Sends as many frames as fit the FIFO of an idle node in one go.
void Lockstep::send_batch(NodeId to) {
    Member& member = nodes_[index(to)];
    std::size_t bytes = 0;
    bool first = true;
    while (member.first != kNone) {
        const std::size_t frame_bytes = queued_[member.first].frame.size();
        bytes += std::max(frame_bytes, kShortFrameBytes) + kFifoHeadBytes;
        if (bytes > batch_bytes_max_ && !first)
            break;
        first = false;
        Bytes sent = take_first(member);
        deliver_now(to, sent);
        spare_.push_back(std::move(sent));
    }
}

/// Sends first batches to the nodes that got something and have nothing else to do.
void Lockstep::send_batches() {
    for (const std::uint32_t node : to_send_) {
        const Member& member = nodes_[node];
        if (member.reported && member.delivered == member.consumed && member.first != kNone)
            send_batch(node_at(node));
    }
    to_send_.clear();
}

bool Lockstep::quiescent() const {
    return busy_ == 0 && control_.empty() && data_.empty() && timers_set_ == 0 &&
           (ordered_ == nullptr || ordered_->empty());
}

void Lockstep::advance() {
    if (!on_ || releasing_)
        return;
    releasing_ = true;
    while (busy_ == 0 && release_next())
        ++rounds_;
    releasing_ = false;
    send_batches();
}

/// Releases the next group. False if there is none.
bool Lockstep::release_next() {
    if (!control_.empty()) {
        group_.swap(control_);
        release();
        return true;
    }
    const wire::ModelTime timer = earliest_timer();
    if (!data_.empty() && data_.begin()->first <= timer) {
        group_.swap(data_.begin()->second);
        now_ = std::max(now_, data_.begin()->first);
        data_.erase(data_.begin());
        ++moves_;
        release();
        return true;
    }
    if (ordered_ != nullptr && !ordered_->empty() && ordered_->earliest() <= timer) {
        release_ordered();
        return true;
    }
    if (outlet_.flush() || (by_turns_ != nullptr && data_.empty() && release_turn(timer)))
        return true;
    if (timer == wire::kNever)
        return false;
    if (timer < wire::kNextTurn)
        grant(timer);
    else
        grant_turn(timer);
    return true;
}

// A process that looks whether something has come, and gives way or waits a moment, may look again
// before the others go on.
bool Lockstep::release_turn(wire::ModelTime timer) {
    const NodeId last = by_turns_->take_last();
    const bool looks = timer == wire::kNextTurn || timer <= now_ + kOvertakenTicks;
    if (last != kNoNode && nodes_[index(last)].timer != timer)
        has_looked_ = false;
    if (!looks || last == kNoNode || std::exchange(has_looked_, true))
        return by_turns_->go_on();
    if (timer == wire::kNextTurn)
        grant_turn(timer);
    else
        grant(timer);
    return true;
}

void Lockstep::release_ordered() {
    OrderedFrames::Leaving leaving = ordered_->take();
    now_ = std::max(now_, leaving.due);
    ++moves_;
    group_.push_back(std::move(leaving.frame));
    release();
}

/// Passes on the frames of group_, by their places and the order in which they came, and leaves it
/// empty.
void Lockstep::release() {
    constexpr std::size_t kAhead = 4;
    sort_keys_.clear();
    for (std::size_t number = 0; number < group_.size(); ++number)
        sort_keys_.push_back({group_[number].place, number});
    std::ranges::sort(sort_keys_);
    for (std::size_t at = 0; at < sort_keys_.size(); ++at) {
        if (at + kAhead < sort_keys_.size())
            __builtin_prefetch(group_[sort_keys_[at + kAhead].number].frame.data());
        Held& held = group_[sort_keys_[at].number];
        outlet_.pass(held);
        if (held.frame.capacity() != 0) // not on its way
            spare_.push_back(std::move(held.frame));
    }
    group_.clear();
}

/// The earliest timer of any node, which is then the first one noted.
wire::ModelTime Lockstep::earliest_timer() {
    while (!timers_.empty()) {
        const auto [time, number] = timers_.top();
        Member& member = nodes_[number];
        if (member.timer == time)
            return time;
        timers_.pop();
        if (member.noted == time) {
            member.noted = wire::kNever;
            set_timer(node_at(number), member.timer);
        }
    }
    return wire::kNever;
}

/// Moves model time to the earliest timer.
void Lockstep::grant(wire::ModelTime time) {
    now_ = std::max(now_, time);
    ++moves_;
    tell(time, time);
    if (now_ >= rest_at_)
        grant_rest();
}

/// Lets all nodes ask after silent ones while others still work.
void Lockstep::grant_rest() {
    rest_at_ = now_ + span_of_rest_;
    for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
        if (nodes_[number].excluded || !nodes_[number].reported)
            continue;
        set_timer(node_at(number), wire::kNever); // it reports its timer anew
        outlet_.grant(node_at(number), wire::kAtRest);
    }
}

void Lockstep::on_failure() {
    span_of_rest_ = kSpanOfRest;
    rest_at_ = std::min(rest_at_, now_ + kSpanOfRest);
}

/// Lets nodes go on whose processes gave way, or that wait for the mesh to be at rest.
void Lockstep::grant_turn(wire::ModelTime order) {
    ++turns_;
    const bool for_all = turns_ % kTurnsOfRest == 0;
    if (order == wire::kNextTurn)
        tell(wire::kNextTurn, for_all ? wire::kAtRest : wire::kNextTurn);
    if (order == wire::kAtRest || for_all)
        tell(wire::kAtRest, wire::kAtRest);
}

/// Grants `granted` to each node whose timer is due at `timer`, the earliest.
void Lockstep::tell(wire::ModelTime timer, wire::ModelTime granted) {
    while (earliest_timer() == timer) {
        const NodeId node = node_at(timers_.top().second);
        Member& member = nodes_[index(node)];
        set_timer(node, wire::kNever);
        if (timer < wire::kNextTurn)
            member.granted = granted;
        else if (timer == wire::kNextTurn)
            member.turn = turns_;
        outlet_.grant(node, granted);
    }
}

} // namespace mesh::host
