// The alternative: wait for the first of several things (occam's PRI ALT).
//
//   switch (co_await alt(kernel, on(requests), on(results), after(kernel, timeout))) { ... }
//
// gives the number of the first guard that is ready, in the order in which they are written, and
// takes nothing: the chosen branch reads.
#pragma once

#include "core/base/order.hpp"
#include "hal/check.hpp"
#include "hal/notes.hpp"
#include "kernel/api/channel.hpp"
#include "kernel/node/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh {

/// Ready when the mailbox has a packet or an offered message that matches.
struct MailGuard {
    Match match;
    /// True if its branch may be chosen now. Every guard has these three functions.
    bool ready(Kernel& kernel) const { return kernel.has(match); }
    /// The deadline (Kernel::deadline_in()) by which to ask again even if no event comes;
    /// wire::kNever: there is none.
    std::uint64_t wake() const { return wire::kNever; }
    /// Called once by alt() if this is the guard that it gives.
    void chosen(Kernel&) const {}
};

/// Ready when a writer waits at a channel of this node.
template <class T>
struct ChannelGuard {
    const Channel<T>* channel;
    bool ready(Kernel&) const { return channel->readable(); }
    std::uint64_t wake() const { return wire::kNever; }
    void chosen(Kernel&) const {}
};

/// Ready at a time.
struct TimeGuard {
    std::uint64_t deadline;
    wire::ModelTime clock; // of a process that waited for it
    bool ready(Kernel& kernel) const { return kernel.due(deadline); }
    std::uint64_t wake() const { return deadline; }
    void chosen(Kernel& kernel) const { kernel.advance_clock(clock); }
};

/// Ready when a packet or an offered message that matches is there.
inline MailGuard on(const Match& match) { return {match}; }
/// Ready when the other end of a channel between nodes has written: read() takes it.
template <class T>
MailGuard on(const ChannelIn<T>& channel) {
    return {channel.match()};
}
/// Ready when a writer waits. `channel` must outlive the guard.
template <class T>
ChannelGuard<T> on(const Channel<T>& channel) {
    return {&channel};
}
/// `ticks` of model time from now.
inline TimeGuard after(Kernel& kernel, wire::ModelTime ticks) {
    return {kernel.deadline_in(ticks), kernel.now() + ticks};
}

namespace detail {
/// False for a guard that will never be ready; such a one says so itself.
template <class Guard>
bool counts(const Guard& guard) {
    if constexpr (requires { guard.counts(); })
        return guard.counts();
    else
        return true;
}

/// For what is done to each guard: a call for each would cost more than most guards do.
#define MESH_IN_PLACE __attribute__((always_inline))

/// The guards of an alternative, one behind the other. So whoever reads the node's memory can find
/// each of them, by the names of their classes (kernel/api/waits.hpp).
template <class First, class... Rest>
struct Guards {
    First first;
    Guards<Rest...> rest;

    /// Asks `one` about each guard in turn, until it says true.
    template <class Visit>
    [[gnu::always_inline]] bool visit(Visit& one) const {
        return one(first) || rest.visit(one);
    }
};
template <class Last>
struct Guards<Last> {
    Last first;

    template <class Visit>
    [[gnu::always_inline]] bool visit(Visit& one) const {
        return one(first);
    }
};
template <class First, class... Rest>
[[gnu::always_inline]] inline Guards<First, Rest...> guards_of(const First& first,
                                                               const Rest&... rest) {
    if constexpr (sizeof...(Rest) == 0)
        return {first};
    else
        return {first, guards_of(rest...)};
}

/// The condition of an alternative: one of the guards is ready. first() is the number of the first
/// one that is.
template <class... Kinds>
struct Alternative {
    Guards<Kinds...> guards; // at the start of it: kernel/api/waits.cpp
    Kernel* kernel;

    std::uint32_t first() const {
        std::uint32_t number = 0;
        const auto look = [&](const auto& guard) MESH_IN_PLACE {
            if (guard.ready(*kernel))
                return true;
            ++number;
            return false;
        };
        guards.visit(look);
        return number;
    }
    bool operator()() const { return first() < sizeof...(Kinds); }
};

/// The same of guards of one kind.
template <class Guard>
struct RowAlternative {
    std::span<const Guard> guards; // at the start of it: kernel/api/waits.cpp
    Kernel* kernel;

    std::uint32_t first() const {
        std::uint32_t number = 0;
        while (number < guards.size() && !guards[number].ready(*kernel))
            ++number;
        return number;
    }
    bool operator()() const { return first() < guards.size(); }
};

/// Tells guard `which` that it was chosen.
template <class... Kinds>
void choose(Kernel& kernel, const Guards<Kinds...>& guards, std::uint32_t which) {
    std::uint32_t number = 0;
    const auto tell = [&](const auto& guard) MESH_IN_PLACE {
        if (number++ != which)
            return false;
        guard.chosen(kernel);
        return true;
    };
    guards.visit(tell);
}
} // namespace detail

/// `std::uint32_t which = co_await alt(kernel, guards...)`. Precondition (CHECK): some guard
/// counts.
template <class... Kinds>
MESH_NOTED_INLINE auto alt(Kernel& kernel, Kinds... guards) {
    detail::note_glance(detail::Glance::alt MESH_HERE);
    MESH_CHECK((detail::counts(guards) || ...), no_guard_counts);
    std::uint64_t wake = wire::kNever;
    ((wake = least(wake, guards.wake())), ...);
    const detail::Alternative<Kinds...> all{detail::guards_of(guards...), &kernel};
    return detail::wait(
        kernel, all,
        [all] {
            const std::uint32_t which = all.first();
            detail::choose(*all.kernel, all.guards, which);
            return which;
        },
        wake);
}

/// The same over an array of guards of one kind, as a root that listens to all its workers does.
template <class Guard>
MESH_NOTED_INLINE auto alt(Kernel& kernel, std::span<const Guard> guards) {
    detail::note_glance(detail::Glance::alt MESH_HERE);
    MESH_CHECK(any_of(guards, detail::counts<Guard>), no_guard_counts);
    std::uint64_t wake = wire::kNever;
    for (const Guard& guard : guards)
        wake = least(wake, guard.wake());
    const detail::RowAlternative<Guard> all{guards, &kernel};
    return detail::wait(
        kernel, all,
        [all] {
            const std::uint32_t which = all.first();
            all.guards[which].chosen(*all.kernel);
            return which;
        },
        wake);
}

} // namespace mesh
