// The time of a node, and the deadlines of its timers.
//
// A node that runs free has the board's microseconds, and waits as long as its cables have taken so
// far. In lockstep a node has model time, which moves only with the frames and grants that come in:
// it waits until a frame should have arrived, so a run is the same each time. No other part of the
// kernel depends on which of the two it is, but for messages to the loom.
//
// A deadline is a time or, in lockstep, one of two orders behind all times: the next turn of
// processes that gave way, and the next time that the mesh is at rest. Both are counted here, so a
// deadline that is set when one of them has come is for the next one.
#pragma once

#include "kernel/base/limits.hpp"
#include "wire/frame.hpp"

#include <cstdint>

namespace mesh {

/// The time of one node, microseconds or ticks. No function waits; each costs O(1).
class Timebase {
public:
    /// Microseconds since reset, or ticks of model time since the job began.
    std::uint64_t now() const { return now_; }
    /// True if the node has model time, false if it runs free.
    bool lockstep() const { return lockstep_; }

    /// The node has the board's time: set_clock() counts.
    void run_free() { lockstep_ = false; }
    /// The node has model time, from 0 on: come_to() counts.
    void begin_lockstep() {
        lockstep_ = true;
        now_ = 0;
    }

    /// The board's clock shows `now_us`; it means nothing in lockstep.
    void set_clock(std::uint64_t now_us) {
        if (!lockstep_)
            now_ = now_us;
    }
    /// A frame says that model time has come to `time`, or a grant that it is the next turn
    /// (wire::kNextTurn) or that the mesh is at rest (wire::kAtRest), which is a turn as well. It
    /// means nothing to a node that runs free.
    [[gnu::noinline]] void come_to(wire::ModelTime time);
    /// `deadline` has come; kNever never does.
    [[gnu::noinline]] bool due(std::uint64_t deadline) const;
    /// A deadline as the loom is told it.
    static wire::ModelTime told(std::uint64_t deadline) {
        switch (order_of(deadline)) {
        case kTurns: return wire::kNextTurn;
        case kRests: return wire::kAtRest;
        default: return deadline;
        }
    }

    /// When a process that gives way goes on. In lockstep: when the others have done all that they
    /// can.
    std::uint64_t next_turn() const {
        return lockstep_ ? behind_all_times(kTurns, turns_ + 1) : now_ + 1;
    }
    /// When `ticks` of model time from now have passed; kNever if that is no time any more.
    std::uint64_t after(wire::ModelTime ticks) const {
        if (!lockstep_)
            return now_ + ticks / limits::kTicksPerUs;
        return ticks < behind_all_times(kTurns, 0) - now_ ? now_ + ticks : wire::kNever;
    }
    /// A packet that is to start at model time `start` has to be held until then.
    bool must_hold(wire::ModelTime start) const { return lockstep_ && start > now_; }

    /// When a frame is sent again: running free after `wait_us`, in lockstep when it should be at
    /// the peer (`arrival`). In lockstep time goes on from try to try: a node may have been granted
    /// a much later time than that of the frame.
    std::uint64_t retry_at(wire::ModelTime arrival, std::uint32_t wait_us) const {
        if (!lockstep_)
            return now_ + wait_us;
        return arrival >= now_ ? arrival : now_ + 1;
    }
    /// That frame may be missing by now.
    bool may_be_missing(wire::ModelTime arrival) const { return !lockstep_ || arrival <= now_; }
    /// When a peer that has no buffers or does not answer is asked again, after `asked` times in
    /// vain: the pauses double. In lockstep they end (kNever), so that a mesh in which no node
    /// takes a packet comes to rest.
    std::uint64_t ask_at(unsigned asked, std::uint32_t wait_us) const {
        if (!lockstep_)
            return in_pause(wait_us, asked, limits::kPauseDoublings);
        return asked < limits::kRetriesMax
                   ? in_pause(wire::kTicksPerUnit, asked, limits::kProbeDoublings)
                   : wire::kNever;
    }
    /// When the sender of a message, having `asked` as often, asks again whether its receiver is
    /// there. In lockstep it asks when the mesh is next at rest, kAsksMax times, then never
    /// (kNever), so that a mesh in which all nodes wait for each other stays at rest.
    std::uint64_t ask_receiver_at(unsigned asked, std::uint32_t rto_us) const {
        if (!lockstep_)
            return in_pause(std::uint64_t{limits::kAskRtos} * rto_us, asked, limits::kAskDoublings);
        return asked < limits::kAsksMax ? behind_all_times(kRests, rests_ + 1) : wire::kNever;
    }
    /// When a chunk of data that the host has not sent is asked for again; kNever: the loom loses
    /// none.
    std::uint64_t pull_again_at() const {
        return lockstep_ ? wire::kNever : now_ + limits::kPullUs;
    }

private:
    /// After a pause that doubles with each time that was in vain, up to `most` times.
    [[gnu::noinline]] std::uint64_t in_pause(std::uint64_t pause, unsigned in_vain,
                                             unsigned most) const;

    // The high words of deadlines that are no times; below them is a number, modulo 2^32.
    static constexpr std::uint32_t kTurns = 0xFFFF'FFFD;
    static constexpr std::uint32_t kRests = 0xFFFF'FFFE;
    static constexpr std::uint32_t order_of(std::uint64_t deadline) {
        return static_cast<std::uint32_t>(deadline >> 32);
    }
    static constexpr std::uint64_t behind_all_times(std::uint32_t order, std::uint32_t number) {
        return std::uint64_t{order} << 32 | number;
    }

    std::uint64_t now_ = 0;
    std::uint32_t turns_ = 0;
    std::uint32_t rests_ = 0;
    bool lockstep_ = false;
};

} // namespace mesh
