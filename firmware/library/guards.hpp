// More guards for alt(), which alone waits for one thing after the other: guards that count on a
// condition only, guards in fairness, and channels that several processes write to.
//
// alt() itself looks at its guards in the order in which they stand: that is their priority.
#pragma once

#include "hal/check.hpp"
#include "kernel/api/alt.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace mesh {

/// See when().
template <class Guard>
struct ConditionalGuard {
    Guard guard;
    bool holds;
    bool ready(Kernel& kernel) const { return holds && guard.ready(kernel); }
    std::uint64_t wake() const { return holds ? guard.wake() : wire::kNever; }
    void chosen(Kernel& kernel) const { guard.chosen(kernel); }
    bool counts() const { return holds; }
};

/// `alt(node, when(room > 0, on(requests)), on(results))`: the guard counts only if `condition`
/// holds when alt() is called. Precondition of alt(): some guard counts.
template <class Guard>
ConditionalGuard<Guard> when(bool condition, Guard guard) {
    return {guard, condition};
}

namespace detail {
/// The first of the guards that is ready, beginning behind number `last`; their number if none is.
template <class... Guards>
std::uint32_t next_ready(Kernel& kernel, const std::tuple<Guards...>& guards, std::uint32_t last) {
    constexpr std::uint32_t kGuards = sizeof...(Guards);
    const auto ready = std::apply(
        [&](const Guards&... guard) { return std::array{guard.ready(kernel)...}; }, guards);
    for (std::uint32_t step = 1; step <= kGuards; ++step)
        if (ready[(last + step) % kGuards])
            return (last + step) % kGuards;
    return kGuards;
}
} // namespace detail

/// alt() in fairness: it looks first at the guard behind `last`, and sets `last` to the guard that
/// it gives. So of guards that are always ready each has its turn. `last` stays the caller's, 0 at
/// first.
template <class... Guards>
auto fair_alt(Kernel& kernel, std::uint32_t& last, Guards... guards) {
    MESH_CHECK((detail::counts(guards) || ...), waits_for_nothing);
    const std::tuple<Guards...> all{guards...};
    return detail::wait(
        kernel,
        [&kernel, &last, all] { return detail::next_ready(kernel, all, last) < sizeof...(Guards); },
        [&kernel, &last, all] {
            last = detail::next_ready(kernel, all, last);
            std::uint32_t number = 0;
            std::apply(
                [&](const Guards&... guard) {
                    ((number++ == last ? guard.chosen(kernel) : void()), ...);
                },
                all);
            return last;
        },
        std::min({guards.wake()...}));
}

/// The reading end of a channel between nodes that any node writes to; Received::source says which
/// node has written.
constexpr ChannelIn from_any(ChannelNumber number) { return {kAnySource, number}; }

/// A channel inside a node with several writers, which take turns as they come, and one reader.
template <class T>
class SharedChannel {
public:
    explicit SharedChannel(Kernel& kernel) : channel_(kernel) {}

    /// `T value = co_await channel.read()`.
    auto read() { return channel_.read(); }
    /// For alt().
    friend ChannelGuard<T> on(const SharedChannel& shared) { return on(shared.channel_); }
    /// `Status s = co_await write(kernel, channel, value)`: completes when the reader has it. ok;
    /// no_memory.
    friend Task<Status> write(Kernel& kernel, SharedChannel& shared, T value) {
        const std::uint32_t ticket = shared.tickets_++;
        co_await kernel.wait_until([&shared, ticket] { return shared.turn_ == ticket; });
        co_await shared.channel_.write(value);
        ++shared.turn_;
        co_return Status::ok;
    }

private:
    Channel<T> channel_;
    std::uint32_t tickets_ = 0; // given to writers
    std::uint32_t turn_ = 0;    // the ticket that may write
};

} // namespace mesh
