// One-sided operations: a node opens a Window, which is an array of its own; any node reads it, or
// changes it, while the program of the window's node computes, sends or waits for something else.
//
//   std::array<std::uint32_t, 64> counts{};
//   mesh::Window window{node, kCounts, std::span{counts}};          // at nodes that have one
//   const auto ticket = co_await mesh::fetch_add(node, 1u, NodeId{0}, kCounts);
//   const mesh::Status end = co_await mesh::close(node, window);    // all nodes, like a barrier
//
// An operation that has been awaited with ok has taken effect, exactly once: MPI's flush is not
// needed. With another status:
//   unreachable   nobody answers by any path, the program of the target has ended, or its window is
//                 closed. It has taken effect at most once: not at all, or wholly; of a put or an
//                 accumulate of more than one packet, the first elements may have.
//   bad_argument  the target has elements of another type under that number, or not so many, or
//                 there is no such node or window, or more than 1023 KiB move. Nothing has changed.
//   no_memory     no room at the origin for one process more, or for frames. Nothing has changed.
//   timed_out     given up (kernel/api/within.hpp) before it began. Nothing has changed.
//   in_doubt      given up in the midst: as unreachable.
// An operation waits until its target opens the window for the first time, as a send waits for a
// receive.
//
// The program of the target: elements change only while it waits (co_await), never between two of
// its awaits, and each as a whole. What fits one packet (some 1000 bytes) changes at once. Requests
// to a window are served one after the other, whole; so what is fetched is not changed by another
// node meanwhile. But a program that does not wait for long keeps its requests waiting.
//
// Order: an operation that has been awaited comes before all that its process does later. Of two
// that are under way at a time (Request), no order is promised. The program of the target knows
// that others have finished when they tell it: after a barrier(), or by a message.
//
// Costs: a put that fits a packet takes two packets, all else four or more. The origin has a
// process more for as long as an operation is under way, so at most 16 at a time (else no_memory);
// a window has one. None of this is in programs that have no window.
#pragma once

#include "collectives/barrier.hpp"
#include "collectives/window_access.hpp"
#include "kernel/api/channel.hpp"
#include "library/parallel.hpp"
#include "library/values.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace mesh {

/// Types that fetch_add() and accumulate() add.
template <class T>
concept Addable =
    Plain<T> && std::constructible_from<T, decltype(std::declval<T>() + std::declval<T>())>;
/// Types of the one element that is fetched and changed at once.
template <class T>
concept PlainWord = Plain<T> && sizeof(T) <= detail::kWordBytesMax;

namespace detail {
template <class T>
concept AddableWord = Addable<T> && PlainWord<T>;

/// Names a type. Integers of one size and sign are one type: std::uint32_t is unsigned int on some
/// machines and unsigned long on others. Of all else the compiler's words count.
template <class T>
constexpr std::uint32_t type_name() {
    if constexpr (std::is_integral_v<T>)
        return 2 * sizeof(T) + (std::is_signed_v<T> ? 1 : 0);
    else
        return type_word<T>() ^ static_cast<std::uint32_t>(sizeof(T));
}

template <Plain T>
constexpr ElementType element_type() {
    static_assert(sizeof(T) <= wire::kPayloadBytesMax, "an element fits one packet");
    ElementType type{.name = type_name<T>(), .bytes = sizeof(T)};
    if constexpr (Addable<T>)
        type.add = [](std::span<std::byte> element, std::span<const std::byte> operand) {
            wire::store(element, 0, T(wire::load<T>(element, 0) + wire::load<T>(operand, 0)));
        };
    return type;
}

template <class T, std::size_t N>
Access access_to(AccessKind kind, std::span<T, N> values, NodeId target, WindowNumber window,
                 std::uint32_t first) {
    return {.kind = kind,
            .target = target,
            .window = window,
            .type = element_type<std::remove_const_t<T>>(),
            .first = first,
            .count = static_cast<std::uint32_t>(values.size()),
            .data = std::as_bytes(values)};
}

} // namespace detail

/// An array of this node that all nodes may read and change, for as long as the object lives.
template <Plain T>
class [[nodiscard]] Window {
public:
    /// Opens `memory`, which stays the caller's, as window `number` (0 .. kWindowsMax - 1). It
    /// costs the node a process.
    template <std::size_t N>
    Window(Kernel& kernel, WindowNumber number, std::span<T, N> memory)
        : open_(kernel, number, detail::element_type<T>(), std::as_writable_bytes(memory)) {}

    /// ok; bad_argument: no such number; tag_in_use: this node has an open window of that number;
    /// no_memory: no process or memory for it.
    Status status() const { return open_.status(); }
    /// Ends it at once: `memory` changes no more. Operations that are still to come, or have not
    /// got to their end, are unreachable at their nodes. Opened again, it serves as before.
    void end() { open_.close(); }

private:
    detail::OpenWindow open_;
};
template <class T, std::size_t N>
Window(Kernel&, WindowNumber, std::span<T, N>) -> Window<T>;

/// Waits until all nodes have come here, and ends the window: MPI's Win_free. All nodes call it;
/// those without a window call barrier() in its place. Status of that barrier. The window has ended
/// whatever it is: if it is not ok, operations of nodes that were not waited for are unreachable.
template <Plain T>
Task<Status> close(Kernel& kernel, Window<T>& window) {
    const Status status = co_await barrier(kernel);
    window.end();
    co_return status;
}

/// Writes `values` to the elements from `first` on of that window of `target`. `values` stay until
/// it completes. Statuses above.
template <Plain T, std::size_t N>
Task<Status> put(Kernel& kernel, std::span<T, N> values, NodeId target, WindowNumber window,
                 std::uint32_t first = 0) {
    return detail::access(
        kernel, detail::access_to(detail::AccessKind::put, values, target, window, first));
}
/// The same for one value, which is kept.
template <Plain T>
Task<Status> put(Kernel& kernel, T value, NodeId target, WindowNumber window,
                 std::uint32_t first = 0) {
    const Status status = co_await put(kernel, std::span<T, 1>{&value, 1}, target, window, first);
    co_return status;
}

/// Adds `values` to the elements from `first` on: MPI's accumulate, with +. `values` stay until it
/// completes. Statuses above.
template <Addable T, std::size_t N>
Task<Status> accumulate(Kernel& kernel, std::span<T, N> values, NodeId target, WindowNumber window,
                        std::uint32_t first = 0) {
    return detail::access(
        kernel, detail::access_to(detail::AccessKind::add, values, target, window, first));
}
/// The same for one value, which is kept.
template <Addable T>
Task<Status> accumulate(Kernel& kernel, T value, NodeId target, WindowNumber window,
                        std::uint32_t first = 0) {
    const Status status =
        co_await accumulate(kernel, std::span<T, 1>{&value, 1}, target, window, first);
    co_return status;
}

/// Reads the elements from `first` on into `values`, which are not defined if the status is not ok.
/// Each packet of them is of one moment. Statuses above.
template <Plain T, std::size_t N>
Task<Status> get(Kernel& kernel, std::span<T, N> values, NodeId target, WindowNumber window,
                 std::uint32_t first = 0) {
    detail::Access wanted =
        detail::access_to(detail::AccessKind::get, values, target, window, first);
    wanted.data = {};
    wanted.room = std::as_writable_bytes(values);
    return detail::access(kernel, wanted);
}

/// The value of an element before it was changed.
template <class T>
struct [[nodiscard]] Fetched {
    Status status = Status::ok;
    T value{}; // if the status is ok
};

/// `Fetched<T> f = co_await get_value<T>(kernel, target, window, element)`: reads one element.
template <Plain T>
Task<Fetched<T>> get_value(Kernel& kernel, NodeId target, WindowNumber window,
                           std::uint32_t element = 0) {
    Fetched<T> read;
    read.status = co_await get(kernel, std::span<T, 1>{&read.value, 1}, target, window, element);
    co_return read;
}

namespace detail {
template <PlainWord T, std::size_t N>
Task<Fetched<T>> fetch(Kernel& kernel, AccessKind kind, std::array<T, N> operands, NodeId target,
                       WindowNumber window, std::uint32_t element) {
    Fetched<T> before;
    Access wanted = access_to(kind, std::span{operands}, target, window, element);
    wanted.count = 1;
    wanted.room = std::as_writable_bytes(std::span{&before.value, 1});
    before.status = co_await access(kernel, wanted);
    co_return before;
}
} // namespace detail

/// `Fetched<T> f = co_await fetch_add(kernel, value, target, window, element)`: adds to an element,
/// and gives what it was before: MPI's Fetch_and_op. So N nodes that add 1 get N different numbers.
/// Statuses above.
template <detail::AddableWord T>
Task<Fetched<T>> fetch_add(Kernel& kernel, T value, NodeId target, WindowNumber window,
                           std::uint32_t element = 0) {
    return detail::fetch(kernel, detail::AccessKind::fetch_add, std::array{value}, target, window,
                         element);
}

/// Sets an element to `desired` if its bytes are those of `expected`, and gives what it was before:
/// MPI's Compare_and_swap. Statuses above.
template <PlainWord T>
Task<Fetched<T>> compare_swap(Kernel& kernel, T expected, T desired, NodeId target,
                              WindowNumber window, std::uint32_t element = 0) {
    return detail::fetch(kernel, detail::AccessKind::compare_swap, std::array{expected, desired},
                         target, window, element);
}

} // namespace mesh
