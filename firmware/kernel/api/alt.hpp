// The alternative: wait for the first of several things (occam's PRI ALT).
//
//   switch (co_await alt(kernel, on(requests), on(results), after(kernel, timeout))) { ... }
//
// gives the number of the first guard that is ready, in the order in which they are written, and
// takes nothing: the chosen branch reads.
#pragma once

#include "hal/check.hpp"
#include "kernel/api/channel.hpp"
#include "kernel/node/kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace mesh {

/// Ready when the mailbox has a packet or an offered message that matches.
struct MailGuard {
    Match match;
    bool ready(Kernel& kernel) const { return kernel.has(match); }
    std::uint64_t wake() const { return wire::kNever; }
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

inline MailGuard on(const Match& match) { return {match}; }
inline MailGuard on(const ChannelIn& channel) { return {channel.match()}; }
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

template <class... Guards>
std::uint32_t first_ready(Kernel& kernel, const std::tuple<Guards...>& guards) {
    return std::apply(
        [&](const Guards&... guard) {
            std::uint32_t number = 0;
            static_cast<void>(((guard.ready(kernel) || (++number, false)) || ...));
            return number;
        },
        guards);
}

template <class... Guards>
std::uint32_t choose(Kernel& kernel, const std::tuple<Guards...>& guards) {
    const std::uint32_t which = first_ready(kernel, guards);
    std::apply(
        [&](const Guards&... guard) {
            std::uint32_t number = 0;
            static_cast<void>(((number++ == which && (guard.chosen(kernel), true)) || ...));
        },
        guards);
    return which;
}
} // namespace detail

/// `std::uint32_t which = co_await alt(kernel, guards...)`.
template <class... Guards>
auto alt(Kernel& kernel, Guards... guards) {
    MESH_CHECK((detail::counts(guards) || ...), waits_for_nothing);
    const std::uint64_t wake = std::min({guards.wake()...});
    const std::tuple<Guards...> all{guards...};
    return detail::wait(
        kernel, [&kernel, all] { return detail::first_ready(kernel, all) < sizeof...(Guards); },
        [&kernel, all] { return detail::choose(kernel, all); }, wake);
}

/// The same over an array of guards of one kind, as a root that listens to all its workers does.
template <class Guard>
auto alt(Kernel& kernel, std::span<const Guard> guards) {
    const auto first = [&kernel, guards] {
        std::uint32_t number = 0;
        while (number < guards.size() && !guards[number].ready(kernel))
            ++number;
        return number;
    };
    MESH_CHECK(std::ranges::any_of(guards, detail::counts<Guard>), waits_for_nothing);
    std::uint64_t wake = wire::kNever;
    for (const Guard& guard : guards)
        wake = std::min(wake, guard.wake());
    return detail::wait(
        kernel, [first, guards] { return first() < guards.size(); },
        [&kernel, first, guards] {
            const std::uint32_t which = first();
            guards[which].chosen(kernel);
            return which;
        },
        wake);
}

} // namespace mesh
