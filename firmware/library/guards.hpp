// More guards for alt(), which alone waits for one thing after the other: guards that count on a
// condition only, guards in fairness, and channels that several processes write to.
//
// alt() itself looks at its guards in the order in which they stand: that is their priority.
#pragma once

#include "core/base/order.hpp"
#include "hal/check.hpp"
#include "hal/notes.hpp"
#include "kernel/api/alt.hpp"

#include <array>
#include <cstdint>

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
/// As Alternative, but it looks first at the guard behind number `last`.
template <class... Kinds>
struct FairAlternative {
    Guards<Kinds...> guards; // at the start of it: kernel/api/waits.cpp
    Kernel* kernel;
    std::uint32_t* last;

    /// The number of the guard to take; that of all guards if none is ready.
    std::uint32_t first() const {
        constexpr std::uint32_t kGuards = sizeof...(Kinds);
        std::array<bool, kGuards> ready{};
        std::uint32_t number = 0;
        const auto look = [&](const auto& guard) MESH_IN_PLACE {
            ready[number++] = guard.ready(*kernel);
            return false;
        };
        guards.visit(look);
        for (std::uint32_t step = 1; step <= kGuards; ++step)
            if (ready[(*last + step) % kGuards])
                return (*last + step) % kGuards;
        return kGuards;
    }
    bool operator()() const { return first() < sizeof...(Kinds); }
};
} // namespace detail

/// alt() in fairness: it looks first at the guard behind `last`, and sets `last` to the guard that
/// it gives. So of guards that are always ready each has its turn. `last` stays the caller's, 0 at
/// first.
template <class... Kinds>
MESH_NOTED_INLINE auto fair_alt(Kernel& kernel, std::uint32_t& last, Kinds... guards) {
    detail::note_glance(detail::Glance::alt MESH_HERE);
    MESH_CHECK((detail::counts(guards) || ...), no_guard_counts);
    std::uint64_t wake = wire::kNever;
    ((wake = least(wake, guards.wake())), ...);
    const detail::FairAlternative<Kinds...> all{detail::guards_of(guards...), &kernel, &last};
    return detail::wait(
        kernel, all,
        [all] {
            *all.last = all.first();
            detail::choose(*all.kernel, all.guards, *all.last);
            return *all.last;
        },
        wake);
}

/// The reading end of a channel between nodes that any node writes to: `from_any<int>(node,
/// number)`. The Received of read(value) says which node has written.
template <Plain T>
ChannelIn<T> from_any(Kernel& kernel, ChannelNumber number) {
    return {kernel, kAnySource, number};
}
/// The same without a type.
constexpr ChannelIn<> from_any(ChannelNumber number) { return {kAnySource, number}; }

/// A channel inside a node with several writers, which take turns as they come, and one reader.
template <class T>
class SharedChannel {
public:
    /// A channel of the node of `kernel`, empty. It must outlive all of its users.
    explicit SharedChannel(Kernel& kernel) : kernel_(kernel), channel_(kernel) {}

    /// `T value = co_await channel.read()`.
    auto read() { return channel_.read(); }
    /// For alt().
    friend ChannelGuard<T> on(const SharedChannel& shared) { return on(shared.channel_); }
    /// `Status s = co_await channel.write(value)`: completes when the reader has it. ok; no_memory.
    Task<Status> write(T value) { return write_in_turn(kernel_, *this, value); }

private:
    /// The place of a writer among those that wait, the first of which writes.
    class Place {
    public:
        explicit Place(SharedChannel& shared) : shared_(shared) {
            Place** link = &shared.first_;
            while (*link != nullptr)
                link = &(*link)->next_;
            *link = this;
        }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place() {
            Place** link = &shared_.first_;
            while (*link != this)
                link = &(*link)->next_;
            *link = next_;
        }
        bool is_first() const { return shared_.first_ == this; }

    private:
        SharedChannel& shared_;
        Place* next_ = nullptr;
    };

    static Task<Status> write_in_turn(Kernel& kernel, SharedChannel& shared, T value) {
        const Place place{shared};
        co_await kernel.wait_until([&place] { return place.is_first(); });
        co_await shared.channel_.write(value);
        co_return Status::ok;
    }

    Kernel& kernel_;
    Channel<T> channel_;
    Place* first_ = nullptr;
};

} // namespace mesh
