// Running totals: over the dimensions of the cube, elsewhere over the numbers of the nodes.
#include "collectives/agreement.hpp"
#include "collectives/call.hpp"
#include "collectives/segments.hpp"
#include "kernel/api/message.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace mesh {

namespace {

/// Bytes that a scan works in, of the processes' arena: a packet of the pool that does not leave
/// would take a place on which forwarding counts (kernel/base/admission.hpp).
class Scratch {
public:
    Scratch(Kernel& kernel, std::size_t bytes)
        : block_(static_cast<std::byte*>(kernel.arena().allocate(bytes))),
          bytes_(block_ != nullptr ? bytes : 0) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        if (block_ != nullptr)
            Arena::release(block_);
    }
    /// Empty: the arena has no room.
    std::span<std::byte> bytes() const { return {block_, bytes_}; }

private:
    std::byte* block_;
    std::size_t bytes_;
};

// After the round of distance d a node has the combination of the segments of the 2d nodes up to
// itself. In the round it sends a segment to the node whose number is greater by d and takes one of
// the node whose number is less by d, where these nodes exist. Of each pair one node sends first.
Task<Status> scan_numbers(Kernel& kernel, ScanPlan plan, Segmentation segments,
                          std::span<std::byte> buffer, std::span<std::byte> room, Status status) {
    const CallLabel label = kernel.calls().label(plan.tag);
    const std::uint32_t self = index(kernel.id());
    for (std::uint32_t number = 0; number < segments.packets(); ++number) {
        const auto segment =
            buffer.subspan(number * segments.packet_bytes, segments.bytes_of(number));
        const auto theirs = room.first(segment.size());
        const unsigned rounds = static_cast<unsigned>(std::bit_width(kernel.nodes() - 1));
        for (unsigned round = 0; round < rounds + (plan.exclusive ? 1 : 0); ++round) {
            const bool shifts = round == rounds; // each node's result moves to the next node
            const std::uint32_t distance = shifts ? 1 : 1u << round;
            const bool sends_first = (self & distance) == 0;
            for (const bool sends : {sends_first, !sends_first}) {
                if (sends && self + distance < kernel.nodes()) {
                    const SendOptions options{
                        .tag = label.tag, .is_poisoned = status != Status::ok, .call = label.call};
                    const Status sent =
                        co_await send(kernel, node_at(self + distance), options, segment);
                    status = first_failure(status, sent);
                } else if (!sends && self >= distance) {
                    const Received got =
                        co_await receive(kernel, theirs, node_at(self - distance), label);
                    const bool whole = got.bytes == theirs.size();
                    status = first_failure(status, got.status);
                    status = first_failure(status, whole ? Status::ok : Status::bad_argument);
                }
            }
            if (status != Status::ok || self < distance)
                continue;
            if (shifts)
                std::copy(theirs.begin(), theirs.end(), segment.begin());
            else
                plan.combiner(theirs, segment, segment);
        }
    }
    co_return status;
}

/// The failures of a scan so far: the first reason, and the ports by which nothing comes any more.
struct Missed {
    Status status = Status::ok;
    std::uint32_t absent = 0;

    void note(const Awaited& awaited, Port port) {
        status = first_failure(status, awaited.status);
        absent |= awaited.absent() ? 1u << index(port) : 0;
    }
    /// True if no node is waited for, or told anything, across `port`.
    bool skips(Port port) {
        const bool is_absent = (absent >> index(port) & 1u) != 0;
        if (is_absent)
            status = first_failure(status, Status::unreachable);
        return is_absent;
    }
};

/// Combines the neighbour's total with this node's part of a segment: `segment` and `total`, which
/// is of the subcube of the dimensions so far and begins with the nodes of lower addresses.
/// `lower`: this node is among them; `none`: nothing has come before it yet.
void combine_totals(const ScanPlan& plan, std::span<const std::byte> theirs,
                    std::span<std::byte> segment, std::span<std::byte> total, bool lower,
                    bool none) {
    if (lower)
        return plan.combiner(total, theirs, total);
    if (none)
        copy_bytes(theirs, segment);
    else
        plan.combiner(theirs, segment, segment);
    plan.combiner(theirs, total, total);
}

std::uint32_t word_of(const BroadcastPlan& segments, const ScanPlan& plan) {
    return plan_word(
        {segments.total_bytes, segments.packet_bytes, plan.exclusive, plan.combiner.operation});
}

/// The totals of all pairs of this node. With one port neither node of a pair begins before both
/// are there: a packet for a later dimension must not come earlier.
class Doubling {
public:
    /// `room`: where totals are.
    Doubling(const ScanPlan& plan, const BroadcastPlan& segments, std::span<std::byte> buffer,
             std::span<std::byte> room, const Missed& missed)
        : plan_(&plan),
          segments_(&segments),
          buffer_(buffer),
          room_(room),
          missed_(missed) {}

    bool next(Kernel& kernel, Step& step) {
        if (std::exchange(waits_, false))
            hear(kernel, step.taken());
        for (;;) {
            const Port port = port_at(dim_);
            switch (turn_) {
            case Turn::begin:
                if (dim_ == kernel.ports()) {
                    dim_ = 0;
                    ++number_;
                }
                if (number_ == segments_->packets()) {
                    step.fail(missed_.status);
                    return false;
                }
                if (dim_ == 0)
                    begin_segment();
                turn_ = kernel.job().ports == PortModel::all ? Turn::give : Turn::ask;
                if (dim_ == kernel.ports() || missed_.skips(port_at(dim_)))
                    turn_ = Turn::end;
                break;
            case Turn::ask:
                turn_ = Turn::listen;
                ask(step, port);
                return true;
            case Turn::listen:
                turn_ = Turn::give;
                waits_ = true;
                step.take_across(port, kAsk);
                return true;
            case Turn::give: {
                turn_ = Turn::take;
                const bool nothing = missed_.status != Status::ok; // our total is wrong
                step.tell(port, kOperand, nothing ? wire::packet_flag::kPoisoned : std::uint8_t{0},
                          total().first(nothing ? 0 : total().size()));
                return true;
            }
            case Turn::take:
                turn_ = Turn::end;
                if (missed_.skips(port))
                    break;
                waits_ = true;
                step.take_across(port, kOperand);
                return true;
            case Turn::end:
                turn_ = Turn::begin;
                dim_ += dim_ == kernel.ports() ? 0 : 1;
                break;
            }
        }
    }

private:
    enum class Turn : std::uint8_t { begin, ask, listen, give, take, end };

    std::span<std::byte> total() const {
        return room_.first(segment_of(buffer_, *segments_, number_).size());
    }
    void begin_segment() {
        const auto segment = segment_of(buffer_, *segments_, number_);
        copy_bytes(segment, total());
        none_before_ = plan_->exclusive;
    }
    void hear(const Kernel& kernel, const Awaited& theirs) {
        missed_.note(theirs, port_at(dim_));
        if (turn_ != Turn::end)
            return; // a question
        if (missed_.status == Status::ok && theirs.packet.payload().size() != total().size())
            missed_.status = Status::bad_argument;
        if (missed_.status != Status::ok)
            return;
        const bool lower = ((index(kernel.id()) >> dim_) & 1u) == 0;
        combine_totals(*plan_, theirs.packet.payload(), segment_of(buffer_, *segments_, number_),
                       total(), lower, none_before_);
        none_before_ = none_before_ && lower;
    }

    const ScanPlan* plan_;
    const BroadcastPlan* segments_;
    std::span<std::byte> buffer_;
    std::span<std::byte> room_;
    Missed missed_;
    std::uint32_t number_ = 0; // of a segment
    unsigned dim_ = 0;
    Turn turn_ = Turn::begin;
    bool waits_ = false;       // for a question, or an operand
    bool none_before_ = false; // no node of a lower address has come to this segment yet
};

// No coroutine: the object that it makes needs no room in a frame but that of the walk.
[[gnu::noinline]] Task<Status> double_up(Kernel& kernel, const ScanPlan& plan,
                                         const BroadcastPlan& segments, std::span<std::byte> buffer,
                                         std::span<std::byte> room, const Missed& missed) {
    return walk(kernel, plan.tag, Doubling{plan, segments, buffer, room, missed});
}

Task<Status> scan_now(Kernel& kernel, ScanPlan plan, std::span<std::byte> buffer) {
    const BroadcastPlan segments = segments_of(plan.total_bytes, plan.packet_bytes, plan.combiner);
    if (!kernel.can_carry(Rule::unicast))
        co_return Status::no_memory;
    const bool possible = segments.packet_bytes != 0 && buffer.size() >= plan.total_bytes;
    const CallLabel label = kernel.calls().label(plan.tag);
    const Scratch scratch{kernel, segments.packet_bytes};
    const std::span<std::byte> room = scratch.bytes();
    Status able = room.empty() ? Status::no_memory : Status::ok;
    able = possible ? able : Status::bad_argument;
    Agreement agreement{kernel, label, word_of(segments, plan), able};
    Missed missed;
    missed.status = co_await agreement;
    missed.absent = agreement.absent();
    if (able != Status::ok)
        co_return able;
    if (kernel.network().topology != Topology::cube)
        co_return co_await scan_numbers(kernel, plan, segments.segmentation(), buffer, room,
                                        missed.status);
    co_return co_await double_up(kernel, plan, segments, buffer, room, missed);
}

} // namespace

Task<Status> scan(Kernel& kernel, const ScanPlan& plan, std::span<std::byte> buffer) {
    return as_call(detail::noted(kernel, {"scan"}), plan.tag, scan_now(kernel, plan, buffer));
}

} // namespace mesh
