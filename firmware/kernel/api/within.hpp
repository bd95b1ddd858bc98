// Giving up: whatever waits, within a time or until something else is ready.
//
//   const Status sent = co_await within(node, 5 * wire::kTicksPerUnit, send(node, data, to));
//   const std::optional<int> value = co_await unless(node, on(stop), channel.read());
//   const Status met = co_await within(node, ticks, barrier(node));
//
// An operation that is given up ends there: its coroutines are destroyed at the point at which they
// wait, and so are the processes that it has begun and that somebody was to join. What they have,
// packets, places in tables, calls, is given back by their destructors, as it is at any end. Others
// learn of it as they learn of the end of a process: who waits for a message or a packet of it
// asks, and hears that nobody knows of that. An offer that its receiver has not taken is withdrawn.
//
// The verdict says what is known of it. An operation that gives a Status, or a struct with a
// `status`, gives the same here; one that gives nothing gives a Status; any other gives a
// std::optional of its value, empty if it was given up.
//
//   timed_out  it was given up, and nothing that it was about to send or to receive had begun
//   in_doubt   it was given up in the midst: a message that it was sending may be taken or not, one
//              that it was receiving is lost, or a process of it had ended already
//
// An operation that ends at the same moment has ended: it gives its own verdict. A time-out may be
// late by as long as the pool has no buffer in which to withdraw an offer.
#pragma once

#include "core/base/order.hpp"
#include "kernel/api/alt.hpp"
#include "kernel/api/message.hpp"
#include "kernel/node/kernel.hpp"

#include <concepts>
#include <coroutine>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace mesh {

/// The end of waits by a word of another process, or of an interrupt: `unless(node, on(stop), ...)`
/// gives its operation up when somebody pulls `stop`; so do any number of them, one inside the
/// other or beside each other. It must outlive them.
class Stop {
public:
    /// Not pulled. `kernel` must outlive it.
    explicit Stop(Kernel& kernel) : kernel_(kernel) {}
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;

    /// From now on, until reset(). May be called from an interrupt.
    void pull() {
        pulled_ = true;
        kernel_.wake();
    }
    /// As if it had never been pulled: waits that have not noticed it go on. For processes.
    void reset() { pulled_ = false; }
    /// True from pull() until reset(). May be called from an interrupt.
    bool pulled() const { return pulled_; }

private:
    Kernel& kernel_;
    volatile bool pulled_ = false;
};

/// Ready when it has been pulled.
struct StopGuard {
    const Stop* stop;
    bool ready(Kernel&) const { return stop->pulled(); }
    std::uint64_t wake() const { return wire::kNever; }
    void chosen(Kernel&) const {}
};
/// Ready from stop.pull() until stop.reset(). `stop` must outlive the guard.
inline StopGuard on(const Stop& stop) { return {&stop}; }

/// Words about offers that were given up have this tag, which is the library's.
inline constexpr Tag kWithdrawTag = 0x7FFF;

/// A wait that may be given up: it asks what it waits for, then the guard.
class Attempt : public Waiting {
public:
    bool await_suspend(std::coroutine_handle<> caller);

protected:
    using Ready = bool (*)(const Attempt& attempt);
    /// `inner`: what it waits for; `scope`: of the operation that waits for it, nullptr if it is
    /// the operation itself. `ready`: the guard's; `limit`: when the guard is ready at the latest.
    Attempt(Kernel& kernel, Waiting& inner, const Scope* scope, Ready ready, std::uint64_t limit)
        : Waiting(kernel.scheduler(), ask, limit),
          kernel_(kernel),
          inner_(inner),
          scope_(scope),
          ready_(ready),
          limit_(limit) {}
    ~Attempt() = default;

    /// ok: it has not been given up; else timed_out or in_doubt.
    Status verdict() const { return verdict_; }

    Kernel& kernel_;

private:
    friend struct WaitPlaces;

    static bool ask(Waiting& self) { return static_cast<Attempt&>(self).go_on(); }
    bool go_on();
    bool leave();
    static Waiting* innermost(Waiting* wait);
    static Outgoing* outgoing_of(Waiting& wait);
    static bool is_begun(Waiting& wait);
    static bool withdraw(Kernel& kernel, Waiting& wait);
    static bool leave_channel(Waiting& wait);
    template <class Visit>
    bool all_of(Visit visit) const;

    Waiting& inner_;
    const Scope* const scope_;
    const Ready ready_;
    const std::uint64_t limit_;
    bool leaves_ = false; // the guard was ready
    Status verdict_ = Status::ok;
};

namespace detail {

template <class T>
concept SaysStatus = std::is_same_v<T, Status> || HasStatus<T>;
template <class T>
struct InTime {
    using Value = std::optional<T>;
};
template <SaysStatus T>
struct InTime<T> {
    using Value = T;
};
template <>
struct InTime<void> {
    using Value = Status;
};
/// The result of an operation that gives a T if it may be given up.
template <class T>
using IfInTime = typename InTime<std::remove_cvref_t<T>>::Value;

/// A coroutine that goes on in the running process, step by step; ended, it or what it waits for
/// and has begun is given back with this object.
class AttemptedTask : public Scope {
public:
    AttemptedTask(Kernel& kernel, std::coroutine_handle<> begin)
        : scheduler_(kernel.scheduler()),
          whole_(begin),
          next_(begin) {}
    AttemptedTask(const AttemptedTask&) = delete;
    AttemptedTask& operator=(const AttemptedTask&) = delete;
    ~AttemptedTask() {
        scheduler_.end_scope(*this, !whole_.done());
        whole_.destroy();
    }

    /// Runs it until it waits: gives for what. nullptr: it has ended.
    Waiting* go_on() { return scheduler_.run_part(*this, next_); }

private:
    Scheduler& scheduler_;
    std::coroutine_handle<> whole_;
    std::coroutine_handle<> next_;
};

/// A wait of such a coroutine.
template <class Guard>
class MESH_AWAITED TaskWait : public Attempt {
public:
    TaskWait(Kernel& kernel, Waiting& inner, const AttemptedTask& task, const Guard& guard)
        : Attempt(kernel, inner, &task, ready, guard.wake()),
          guard_(guard) {}
    [[gnu::warn_unused_result]] Status await_resume() const {
        if (verdict() != Status::ok)
            guard_.chosen(kernel_);
        return verdict();
    }

private:
    static bool ready(const Attempt& self) {
        const auto& wait = static_cast<const TaskWait&>(self);
        return wait.guard_.ready(wait.kernel_);
    }

    const Guard& guard_;
};

/// A wait that is no coroutine.
template <class Guard, class Wait>
class MESH_AWAITED WaitUnless : public Attempt {
    using Value = decltype(std::declval<Wait&>().await_resume());

public:
    WaitUnless(Kernel& kernel, const Guard& guard, Wait& wait)
        : Attempt(kernel, wait, nullptr, ready, guard.wake()),
          guard_(guard),
          wait_(wait) {}
    [[gnu::warn_unused_result]] IfInTime<Value> await_resume() {
        if (verdict() != Status::ok) {
            guard_.chosen(kernel_);
            if constexpr (requires { wait_.given_up(verdict()); })
                return wait_.given_up(verdict());
            else
                return value_that_says<IfInTime<Value>>(verdict());
        }
        if constexpr (std::same_as<Value, void>) {
            wait_.await_resume();
            return Status::ok;
        } else {
            return wait_.await_resume();
        }
    }

private:
    static bool ready(const Attempt& self) {
        const auto& wait = static_cast<const WaitUnless&>(self);
        return wait.guard_.ready(wait.kernel_);
    }

    const Guard guard_;
    Wait& wait_;
};

} // namespace detail

/// `co_await unless(kernel, guard, wait)`: gives up what it waits for when the guard, one of
/// alt()'s, is ready before that. The verdict: see above. To be awaited where it is called, with
/// the wait as its argument. Costs no memory. Not from an interrupt, as all that waits.
template <class Guard, std::derived_from<Waiting> Wait>
detail::WaitUnless<Guard, Wait> unless(Kernel& kernel, const Guard& guard, Wait&& wait) {
    return {kernel, guard, wait};
}

/// The same of an operation that is a coroutine. no_memory: of the arena, from which it takes a
/// frame for as long.
template <class Guard, class T>
Task<detail::IfInTime<T>> unless(Kernel& kernel, Guard guard, Task<T> operation) {
    const typename Task<T>::Handle whole = operation.release();
    if (!whole)
        co_return detail::value_that_says<detail::IfInTime<T>>(Status::no_memory);
    detail::AttemptedTask task{kernel, whole};
    while (Waiting* const wait = task.go_on()) {
        const Status verdict = co_await detail::TaskWait<Guard>{kernel, *wait, task, guard};
        if (verdict != Status::ok)
            co_return detail::value_that_says<detail::IfInTime<T>>(verdict);
    }
    co_return std::move(whole.promise().value);
}

/// The same, given up when `ticks` of model time from now have passed.
template <std::derived_from<Waiting> Wait>
auto within(Kernel& kernel, wire::ModelTime ticks, Wait&& wait) {
    return unless(kernel, after(kernel, ticks), std::forward<Wait>(wait));
}
/// The same of an operation that is a coroutine; no_memory as of unless().
template <class T>
Task<detail::IfInTime<T>> within(Kernel& kernel, wire::ModelTime ticks, Task<T> operation) {
    return unless(kernel, after(kernel, ticks), std::move(operation));
}

} // namespace mesh
