// Coroutines without a heap: Task<T> is a call that can wait, Process a task that runs by itself.
//
// The first parameter of every such function is `Kernel&`: its arena gives the frame. Frames of a
// few dozen bytes come and go in O(1). When the arena is exhausted, awaiting the task gives
// Status::no_memory, or a T that says so, instead of running it; where T has no such value the
// program ends with no_memory.
//
// Code that forgets one of these does not compile: co_await before a call, or a look at the Status,
// Received or the like that it gives. On purpose: `std::ignore = co_await f(kernel)`.
//
// GCC 12 to 14 miscompile waits in a branch, such as `co_return c ? co_await f() : g` (write an if;
// `mesh build` tells them), and GCC 12 an aggregate made in place, `co_await f(Id{1, 2})` (give it
// a name). GCC 12.2 lays out the frame of a coroutine without any variable wrongly if it waits in a
// condition, `if (co_await f() != Status::ok)`, and it jumps nowhere (give it one; `mesh build`
// refuses it); GCC 12.3 is right there (its PR 106188, PR 106713).
#pragma once

#include "hal/check.hpp"
#include "hal/notes.hpp"
#include "kernel/base/status.hpp"
#include "kernel/processes/arena.hpp"

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mesh {

class Kernel;

/// The arena that coroutine frames of this node come from.
Arena& arena_of(Kernel& kernel);

/// For types that `co_await` is for: a value of such a type that is not awaited is a mistake.
#define MESH_AWAITED                                                                               \
    [[nodiscard("nothing happens before it is awaited: write co_await in front of it"),            \
      gnu::warn_unused]]

namespace detail {

#if MESH_NOTES
/// The coroutine that is being made has a reference to a temporary value of its caller.
inline bool next_borrows = false;
#endif

/// The part that all promises share; not a template, so that it is in the image once.
struct PromiseBase {
    std::coroutine_handle<> continuation = std::noop_coroutine();
#if MESH_NOTES
    bool borrows = std::exchange(next_borrows, false); // see next_borrows
#endif

    std::suspend_always initial_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { std::terminate(); }

    struct FinalAwaiter {
        bool await_ready() noexcept { return false; }
        template <class P>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<P> done) noexcept {
            return done.promise().continuation;
        }
        void await_resume() noexcept {}
    };
    FinalAwaiter final_suspend() noexcept { return {}; }

    static void operator delete(void* frame) noexcept { Arena::release(frame); }
};

template <class T>
concept HasStatus = requires(T value) {
    { value.status } -> std::convertible_to<Status>;
};
template <class T>
concept CanBeNothing = std::is_class_v<T> && std::is_constructible_v<bool, const T&>;

/// Types that can say that there was no memory: a Status, a type that has one, one that can be
/// empty.
template <class T>
concept SaysFailure = std::is_same_v<T, Status> || HasStatus<T> || CanBeNothing<T>;

/// The T that says `failure`, or that is nothing if it has no Status.
template <class T>
constexpr T value_that_says(Status failure) {
    T value{};
    if constexpr (std::is_same_v<T, Status>)
        value = failure;
    else if constexpr (requires { value.status = failure; })
        value.status = failure;
    return value;
}

/// GCC warns of a dropped value of co_await only where the value fits a register. So a larger value
/// is given by reference, to an object in the coroutine frame of the awaiting process. Copy it.
template <class T>
concept GivenByReference = std::is_class_v<T> && std::is_trivially_copyable_v<T> && SaysFailure<T>;
template <class T>
using Given = std::conditional_t<GivenByReference<T>, const T&, T>;

struct Nothing {};

/// Programs of `mesh build` are checked while they run. Functions with such checks are part of
/// their callers there: one copy of each for a program and the kernel would be one without checks,
/// and could not name the program's line.
#ifdef _GLIBCXX_ASSERTIONS
inline constexpr bool kChecksTasks = true;
#define MESH_CHECKED_INLINE [[gnu::always_inline]]
#else
inline constexpr bool kChecksTasks = false;
#define MESH_CHECKED_INLINE
#endif

template <class...>
inline constexpr bool kNever = false;

} // namespace detail

/// A lazily started coroutine that gives a T. Owns its frame; move-only.
/// Use: `Status s = co_await send(kernel, ...)`.
template <class T>
class MESH_AWAITED Task {
    static_assert(!std::is_void_v<T>, "a Task has a value, so that it can fail: Task<Status>");

public:
    struct promise_type : detail::PromiseBase {
        T value = detail::value_that_says<T>(Status::no_verdict); // unless it co_returns
        Task get_return_object() noexcept {
            return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        static Task get_return_object_on_allocation_failure() noexcept { return Task{nullptr}; }
        void return_value(T result) noexcept { value = std::move(result); }

        template <class... Args>
        static void* operator new(std::size_t bytes, Kernel& kernel, Args&&...) noexcept {
            void* const frame = arena_of(kernel).allocate(bytes);
            if (frame == nullptr && !detail::SaysFailure<T>)
                arena_of(kernel).fail();
            return frame;
        }
        template <class... Args>
        static void* operator new(std::size_t, Args&&...) noexcept {
            static_assert(detail::kNever<Args...>,
                          "what can wait is a function whose first parameter is mesh::Kernel&; "
                          "no lambda, no member function");
            return nullptr;
        }
    };
    /// The coroutine behind a Task.
    using Handle = std::coroutine_handle<promise_type>;

    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (handle_)
            handle_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    /// Awaiting it twice is a bug (CHECK, in programs of `mesh build`).
    MESH_CHECKED_INLINE std::coroutine_handle<>
    await_suspend(std::coroutine_handle<> caller) noexcept {
        if constexpr (detail::kChecksTasks)
            MESH_CHECK(!handle_ || !handle_.done(), task_awaited_twice);
        if (!handle_ && detail::SaysFailure<T>)
            return caller;
        if (!handle_)
            return std::noop_coroutine(); // the program ends
        handle_.promise().continuation = caller;
        return handle_;
    }
    [[gnu::warn_unused_result]] detail::Given<T> await_resume() {
        if constexpr (detail::GivenByReference<T>) {
            given_ =
                handle_ ? handle_.promise().value : detail::value_that_says<T>(Status::no_memory);
            return given_;
        } else {
            return handle_ ? std::move(handle_.promise().value)
                           : detail::value_that_says<T>(Status::no_memory);
        }
    }

    /// Gives up the frame to the scheduler (nullptr: there was no memory for it).
    Handle release() noexcept { return std::exchange(handle_, nullptr); }
    /// False if there was no memory for its frame, or it was moved from.
    bool has_frame() const noexcept { return handle_ != nullptr; }
    /// CHECK, where a process of its own is made of it: it has not been moved from (`refused`:
    /// there was no memory for some frame), and refers to no temporary value.
    MESH_CHECKED_INLINE void check_spawned(bool refused) const {
        if constexpr (detail::kChecksTasks)
            MESH_CHECK(has_frame() || refused, task_moved_from);
#if MESH_NOTES
        if (has_frame() && handle_.promise().borrows && detail::notes() != nullptr) [[unlikely]]
            check_failed(Misuse::reference_to_temporary, detail::here());
#endif
    }

private:
    explicit Task(Handle handle) : handle_(handle) {}
    Handle handle_;
    [[no_unique_address]] std::conditional_t<detail::GivenByReference<T>, T, detail::Nothing>
        given_;
};

/// The type that a spawned function returns: its own verdict, which join() hands on.
using Process = Task<Status>;

#if MESH_NOTES
namespace detail {

/// The object lies on the stack, where no variable of a coroutine is: it goes when the function
/// does that runs.
[[gnu::noinline]] inline bool is_on_stack(const void* object) {
    constexpr std::uintptr_t kReach = 1u << 20;
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return reinterpret_cast<std::uintptr_t>(object) - here < kReach;
}

/// An argument of a coroutine for a parameter of this type, which alone says what is a reference.
template <class Parameter, class Argument>
bool is_borrowed(const Argument& argument) {
    using Object = std::remove_reference_t<Parameter>;
    constexpr bool kTakesTemporaries =
        std::is_rvalue_reference_v<Parameter> ||
        (std::is_lvalue_reference_v<Parameter> && std::is_const_v<Object>);
    return kTakesTemporaries && is_on_stack(__builtin_addressof(argument));
}

/// The promise of a coroutine with these parameters behind Kernel&.
template <class T, class... Parameters>
struct NotedPromise : Task<T>::promise_type {
    using Base = typename Task<T>::promise_type;
    template <class... Arguments>
    static void* operator new(std::size_t bytes, Kernel& kernel, Arguments&... arguments) noexcept {
        next_borrows = (is_borrowed<Parameters>(arguments) || ...);
        return Base::operator new(bytes, kernel, arguments...);
    }
};

} // namespace detail
#endif

} // namespace mesh

#if MESH_NOTES
template <class T, class... Parameters>
struct std::coroutine_traits<mesh::Task<T>, mesh::Kernel&, Parameters...> {
    using promise_type = mesh::detail::NotedPromise<T, Parameters...>;
};
#endif
