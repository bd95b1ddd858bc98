#include "collectives/copies.hpp"

#include "collectives/call.hpp"
#include "core/schedules/timetable.hpp"
#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

#include <algorithm>

namespace mesh {

namespace {

// The message as it travels: copy k of packet p is packet p * copies + k, so that copies of one
// packet take consecutive trees and the timetables of msbt hold. (broadcast_subtree())
BroadcastPlan repeated(const BroadcastPlan& plan, unsigned copies) {
    BroadcastPlan travelling = plan;
    const std::uint32_t last = plan.packets() - 1;
    travelling.total_bytes = (last * copies + copies - 1) * plan.packet_bytes + plan.bytes_of(last);
    return travelling;
}

// Sends packet `number` of the message as it travels.
[[gnu::noinline]] Kernel::Posting send_copy(Kernel& kernel, const BroadcastPlan& travelling,
                                            std::uint32_t number, unsigned copies,
                                            const BroadcastPlan& plan,
                                            std::span<const std::byte> buffer) {
    const Segmentation::Fragment fragment =
        travelling.segmentation().at(number * plan.packet_bytes);
    const std::uint32_t original = number / copies;
    wire::PacketHeader header =
        header_of(kernel, travelling, kernel.calls().label(plan.tag), fragment);
    header.payload_bytes = static_cast<std::uint16_t>(plan.bytes_of(original));
    header.unit_bytes = 0;
    return kernel.post(header, bytes_in(buffer), original * plan.packet_bytes);
}

// Majority among the copies of one packet (Boyer and Moore): the payload that is kept, by checksum,
// and how many more copies spoke for it than against it.
struct Vote {
    std::uint32_t crc;
    std::int16_t lead;
    std::uint8_t copies;
    std::uint8_t disputed;
};
static_assert(sizeof(Vote) == 8);

class Ballot {
public:
    Ballot(const BroadcastPlan& plan, unsigned copies, std::span<std::byte> buffer,
           std::span<std::byte> votes, CopyReport& report)
        : plan_(plan),
          copies_(copies),
          buffer_(buffer),
          votes_(votes.first(vote_bytes(plan))),
          report_(report) {
        std::fill(votes_.begin(), votes_.end(), std::byte{0});
    }

    bool complete() const { return report_.packets == plan_.packets(); }
    bool finished() const { return report_.copies == plan_.packets() * copies_; }
    const BroadcastPlan& plan() const { return plan_; }

    // Any bytes are safe; a packet that does not belong to the message is ignored.
    void take(const Packet& packet, wire::ModelTime now) {
        const std::uint32_t number = packet.header().message / copies_;
        if (number >= plan_.packets() || packet.payload().size() != plan_.bytes_of(number))
            return;
        ++report_.copies;
        report_.last = std::max(report_.last, packet.ready());
        auto vote = wire::load<Vote>(votes_, std::size_t{number} * sizeof(Vote));
        const std::uint32_t crc = wire::crc32(packet.payload());
        if (vote.copies == 0) {
            ++report_.packets;
            keep(number, packet);
            vote = {crc, 0, 0, 0};
        }
        if (crc != vote.crc && vote.disputed == 0) {
            vote.disputed = 1;
            ++report_.disputed;
        }
        if (crc != vote.crc && vote.lead == 0) {
            keep(number, packet);
            vote.crc = crc;
            ++report_.revision;
        }
        vote.lead = static_cast<std::int16_t>(vote.lead + (crc == vote.crc ? 1 : -1));
        ++vote.copies;
        wire::store(votes_, std::size_t{number} * sizeof(Vote), vote);
        if (complete() && report_.complete_at == wire::kNever)
            report_.complete_at = now;
    }

private:
    void keep(std::uint32_t number, const Packet& packet) {
        std::copy(packet.payload().begin(), packet.payload().end(),
                  buffer_.begin() + number * plan_.packet_bytes);
    }

    BroadcastPlan plan_;
    unsigned copies_;
    std::span<std::byte> buffer_;
    std::span<std::byte> votes_;
    CopyReport& report_;
};

// Takes copies until all have come, or the next call of this tag begins.
Process count_votes(Kernel& kernel, Ballot ballot, CallLabel label) {
    const Match any = label.match(kAnyMessage, ballot.plan().root);
    while (!ballot.finished()) {
        co_await kernel.wait_until(
            [&kernel, any, label] { return kernel.has(any) || !kernel.calls().is_last(label); });
        if (!kernel.calls().is_last(label))
            break;
        const Packet packet = kernel.take(any); // which moves the clock
        ballot.take(packet, kernel.now());
    }
    co_return Status::ok;
}

// The first packet of which no copy has come.
std::uint32_t first_missing(std::span<const std::byte> votes) {
    std::uint32_t number = 0;
    while (wire::load<Vote>(votes, std::size_t{number} * sizeof(Vote)).copies != 0)
        ++number;
    return number;
}

// Waits at a node until a copy of each packet has come. When nothing has come for long, it looks
// for the root by the ways of the first packet of which no copy has come.
class CopySearch final : public Search {
public:
    CopySearch(Kernel& kernel, const BroadcastPlan& travelling, unsigned copies,
               std::span<const std::byte> votes, const CopyReport& report)
        : Search(kernel, kernel.calls().label(travelling.tag)),
          travelling_(travelling),
          copies_(copies),
          votes_(votes),
          report_(report) {}
    [[gnu::warn_unused_result]] Status await_resume() const { return status_; }

private:
    bool is_over() const override {
        return report_.complete_at != wire::kNever || status_ != Status::ok;
    }
    bool choose(bool first, Subject& subject) override {
        if (first && is_over())
            return false;
        if (first) {
            left_ = copies_;
            number_ = first_missing(votes_);
        }
        if (left_ == 0)
            return false;
        const std::uint32_t copy = copies_ - left_--;
        subject = {travelling_.root, path_of(kernel_, travelling_, number_ * copies_ + copy)};
        return true;
    }
    void found(Status there) override {
        if (there == Status::ok)
            left_ = 0;
        else if (left_ == 0 && !is_over() && first_missing(votes_) == number_)
            status_ = there;
    }

    const BroadcastPlan& travelling_;
    unsigned copies_;
    std::span<const std::byte> votes_;
    const CopyReport& report_;
    Status status_ = Status::ok;
    std::uint32_t number_ = 0; // the first packet that has not come
    unsigned left_ = 0;        // copies of it that are still to be looked for
};

Task<Status> copies_now(Kernel& kernel, BroadcastPlan plan, unsigned copies,
                        std::span<std::byte> buffer, std::span<std::byte> votes,
                        CopyReport& report) {
    if (!has_disjoint_trees(plan.tree) || copies == 0 ||
        copies > tree_rules(kernel.network().topology).subtree_count(kernel.network(), plan.tree) ||
        index(plan.root) >= kernel.nodes() || plan.packet_bytes == 0 ||
        plan.packet_bytes > wire::payload_bytes_max() || buffer.size() < plan.total_bytes ||
        votes.size() < vote_bytes(plan))
        co_return Status::bad_argument;
    if (!kernel.can_carry(plan.tree))
        co_return Status::no_memory;
    const BroadcastPlan travelling = repeated(plan, copies);
    CallRecord& record = *kernel.calls().find(plan.tag);
    const CallLabel label = kernel.calls().label(plan.tag);
    const Gate gate{plan.root, label, true, false, travelling.packets()};
    const bool is_root = kernel.id() == plan.root;
    if (!is_root) {
        const Ballot ballot{plan, copies, buffer, votes, report};
        if (!kernel.spawn_alone(count_votes(kernel, ballot, label)))
            co_return Status::no_memory;
        record.lasting = true;
    }
    const Status begun = co_await pass(kernel, gate);
    if (begun == Status::no_memory)
        co_return begun; // else it is unknown which nodes have begun: the living get it
    if (is_root) {
        for (std::uint32_t number = 0; number < travelling.packets(); ++number)
            co_await send_copy(kernel, travelling, number, copies, plan, buffer);
        co_return Status::ok;
    }
    const Status found = co_await CopySearch{kernel, travelling, copies, votes, report};
    if (found != Status::ok)
        co_return found;
    kernel.advance_clock(report.complete_at);
    co_return Status::ok;
}

} // namespace

Task<Status> broadcast_copies(Kernel& kernel, const BroadcastPlan& plan, unsigned copies,
                              std::span<std::byte> buffer, std::span<std::byte> votes,
                              CopyReport& report) {
    return as_call(detail::noted(kernel, {"broadcast", " from node ", index(plan.root)}), plan.tag,
                   copies_now(kernel, plan, copies, buffer, votes, report),
                   Gate::share(kernel, repeated(plan, copies).share()));
}

} // namespace mesh
