// The waits that functions of Kernel give to `co_await`: included by kernel/node/kernel.hpp.
#pragma once

#include "kernel/node/kernel.hpp"

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace mesh {

namespace detail {

/// Waits for ready(), then gives result().
template <class Ready, class Result>
class MESH_AWAITED Awaiter : public Waiting {
    using Given = std::invoke_result_t<Result>;

public:
    Awaiter(Scheduler& scheduler, Ready ready, Result result, std::uint64_t wake)
        : Waiting(scheduler, ask, wake),
          ready_(ready),
          result_(std::move(result)) {}
    bool await_suspend(std::coroutine_handle<> caller) {
        const bool waits = Waiting::await_suspend(caller);
        if constexpr (requires { ready_.sleep(); })
            if (waits)
                ready_.sleep();
        return waits;
    }
    template <SaysFailure Value = Given>
    [[gnu::warn_unused_result]] Value await_resume() {
        return result_();
    }
    template <class Value = Given>
    Value await_resume() {
        return result_();
    }

private:
    static bool ask(Waiting& self) { return static_cast<Awaiter&>(self).ready_(); }

    Ready ready_; // at the start of it: kernel/api/waits.cpp
    Result result_;
};

// The conditions that processes often wait for are named types, so that a debugger can tell them.

struct MailThere {
    const Kernel& kernel;
    Match match;
    bool operator()() const { return kernel.has(match); }
};
struct ProcessEnded {
    Scheduler& scheduler;
    ProcessId process;
    bool operator()() const { return scheduler.ended(process); }
    void sleep() const { scheduler.sleep_until_an_end(); }
};
struct TimeCome {
    const Kernel& kernel;
    std::uint64_t deadline;
    bool operator()() const { return kernel.due(deadline); }
};

struct TurnCome {
    Kernel& kernel;
    bool begun = false;
    bool operator()() {
        Scheduler& scheduler = kernel.scheduler();
        if (!std::exchange(begun, true))
            scheduler.give_way(kernel.next_turn());
        return !scheduler.gives_way();
    }
    void sleep() const { kernel.scheduler().sleep_until_its_turn(); }
};

/// Awaiter for code outside the kernel (channels, alternatives).
template <class Ready, class Result>
auto wait(Kernel& kernel, Ready ready, Result result, std::uint64_t wake = wire::kNever);

} // namespace detail

/// See allocate().
class MESH_AWAITED Kernel::Allocation : public Waiting {
public:
    Allocation(Kernel& kernel, Rule rule);
    OutgoingPacket await_resume() { return kernel_.new_packet(rule_); }

private:
    static bool ask(Waiting& self);

    Kernel& kernel_;
    Rule rule_;
};

/// See receive().
class MESH_AWAITED Kernel::Arrival : public Waiting {
public:
    Arrival(Kernel& kernel, const Match& match);
    Packet await_resume() { return kernel_.take(match_); }

private:
    friend struct WaitPlaces;
    static bool ask(Waiting& self);

    Kernel& kernel_;
    Match match_;
};

/// See post().
class MESH_AWAITED Kernel::Posting : public Waiting {
public:
    [[gnu::noinline]] Posting(Kernel& kernel, const wire::PacketHeader& header, ByteSource source,
                              std::uint32_t position);
    void await_resume() const {}

private:
    static bool ask(Waiting& self);

    Kernel& kernel_;
    wire::PacketHeader header_;
    ByteSource source_;
    std::uint32_t position_;
};

template <class Ready>
auto Kernel::wait_until(Ready ready, std::uint64_t wake) {
    return detail::Awaiter{scheduler_, ready, [] {}, wake};
}

template <class Ready, class Result>
auto detail::wait(Kernel& kernel, Ready ready, Result result, std::uint64_t wake) {
    return Awaiter{kernel.scheduler(), ready, result, wake};
}

inline auto Kernel::yield() { return wait_until(detail::TurnCome{*this}); }

inline auto Kernel::sleep(wire::ModelTime ticks) {
    const std::uint64_t deadline = deadline_in(ticks);
    const wire::ModelTime clock = now() + ticks;
    return detail::Awaiter{scheduler_, detail::TimeCome{*this, deadline},
                           [this, clock] { advance_clock(clock); }, deadline};
}

inline auto Kernel::end_of(ProcessId id) {
    return detail::Awaiter{scheduler_, detail::ProcessEnded{scheduler_, id},
                           [this, id] {
                               wire::ModelTime end = 0;
                               const Status verdict = scheduler_.join(id, end);
                               advance_clock(end);
                               return verdict;
                           },
                           wire::kNever};
}

MESH_CHECKED_INLINE inline auto Kernel::join(ProcessId id) {
    MESH_CHECK(scheduler_.will_be_joined(id), joins_nothing);
    return end_of(id);
}

inline void Kernel::inject(OutgoingPacket&& packet) { inject(packet.take(), now()); }

inline Kernel::Allocation Kernel::allocate(Rule rule) { return {*this, rule}; }

inline Kernel::Arrival Kernel::receive(const Match& match) { return {*this, match}; }

inline auto Kernel::pull(std::uint32_t position, std::span<std::byte> out) {
    const std::uint64_t again = start_pull(position, out);
    return detail::Awaiter{scheduler_, [this, again] { return host_.pulled() || due(again); },
                           HostPort::Chunk{host_}, again};
}

} // namespace mesh
