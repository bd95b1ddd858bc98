// Messages and collectives of values: numbers, structs of numbers, and arrays of them, without a
// cast to bytes. Trees are those that are usual for the network, so the same program runs on all.
//
// An operator gives a T for two values of T: std::plus<>, Lower, Upper, or one's own. An object of
// one's own may hold data beside the two values: it is given last, and copied. It must be
// associative and commutative. Types of any size do, 64 bits as well.
#pragma once

#include "collectives/broadcast.hpp"
#include "collectives/reduction.hpp"
#include "kernel/api/channel.hpp"
#include "kernel/api/message.hpp"
#include "library/parallel.hpp"
#include "wire/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <type_traits>

namespace mesh {

/// Types that move as they lie in memory: no pointers or views, which mean nothing on another node.
template <class T>
concept Plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::ranges::view<T>;

struct Lower {
    template <class T>
    constexpr T operator()(const T& one, const T& other) const {
        return other < one ? other : one;
    }
};
struct Upper {
    template <class T>
    constexpr T operator()(const T& one, const T& other) const {
        return one < other ? other : one;
    }
};

/// For the plan of a reduction: combines elements of T by `op`, which must stay until it is done.
template <Plain T, class Op>
constexpr Combiner combiner_of(const Op& op) {
    return {[](const void* context, std::span<const std::byte> left,
               std::span<const std::byte> right, std::span<std::byte> result) {
                const Op& with = *static_cast<const Op*>(context);
                for (std::size_t at = 0; at + sizeof(T) <= result.size(); at += sizeof(T))
                    wire::store(result, at,
                                T(with(wire::load<T>(left, at), wire::load<T>(right, at))));
            },
            sizeof(T), &op};
}

namespace detail {
template <Plain T>
std::span<const std::byte> bytes_from(const T& value) {
    return std::as_bytes(std::span{&value, 1});
}
template <Plain T>
std::span<std::byte> bytes_into(T& value) {
    return std::as_writable_bytes(std::span{&value, 1});
}
template <Plain T, class Op>
ReducePlan plan_of(std::span<T> values, const Op& op, NodeId root = NodeId{0}) {
    return {.root = root,
            .total_bytes = static_cast<std::uint32_t>(values.size_bytes()),
            .combiner = combiner_of<T>(op)};
}
} // namespace detail

/// Sends one value, which must stay until it completes; see send().
template <Plain T>
Task<Status> send_value(Kernel& kernel, NodeId to, const T& value, Tag tag = 0) {
    return send(kernel, to, {.tag = tag}, detail::bytes_from(value));
}
/// The same for a temporary value: the operation's frame, in the node's arena, keeps a copy of it
/// until the send completes. no_memory: there was no room for the frame.
template <Plain T>
Task<Status> send_value(Kernel& kernel, NodeId to, const T&& value, Tag tag = 0) {
    return detail::send_kept(kernel, to, value, tag);
}

/// The same as a part of a collective's call, for code that makes one; see CallLabel.
template <Plain T>
Task<Status> send_value(Kernel& kernel, NodeId to, const T& value, CallLabel label) {
    const SendOptions options{.tag = label.tag, .call = label.call};
    const Status sent = co_await send(kernel, to, options, detail::bytes_from(value));
    co_return sent;
}

/// Receives one value; see receive(). bad_argument: the message was shorter than one.
template <Plain T>
Task<Received> receive_value(Kernel& kernel, T& value, Tag tag = kAnyTag,
                             NodeId source = kAnySource) {
    Received received = co_await receive(kernel, detail::bytes_into(value), tag, source);
    if (received.status == Status::ok && received.bytes != sizeof(T))
        received.status = Status::bad_argument;
    co_return received;
}

/// The same as a part of a collective's call, for code that makes one; see CallLabel.
template <Plain T>
Task<Received> receive_value(Kernel& kernel, T& value, CallLabel label, NodeId source) {
    Received received = co_await receive(kernel, detail::bytes_into(value), label, source);
    if (received.status == Status::ok && received.bytes != sizeof(T))
        received.status = Status::bad_argument;
    co_return received;
}

/// Sends `mine` to `to` and receives `theirs` from `from` at the same time; see sendrecv().
template <Plain T>
Task<Received> sendrecv_value(Kernel& kernel, NodeId to, const T& mine, NodeId from, T& theirs,
                              Tag tag = 0) {
    return sendrecv(kernel, to, detail::bytes_from(mine), from, detail::bytes_into(theirs), tag);
}

/// Gives the value of `root` to all nodes; see broadcast(). For an array, give a std::array.
template <Plain T>
Task<Status> broadcast_value(Kernel& kernel, T& value, NodeId root = NodeId{0}) {
    return broadcast(kernel, {.root = root, .total_bytes = sizeof(T)}, detail::bytes_into(value));
}

/// Combines the elements of all nodes, each with those at the same place, in place; `root` has the
/// result. See reduce().
template <class Op = std::plus<>, Plain T, std::size_t N>
Task<Status> reduce_values(Kernel& kernel, std::span<T, N> values, NodeId root = NodeId{0},
                           Op op = {}) {
    const Status status = co_await reduce(kernel, detail::plan_of<T>(values, op, root),
                                          std::as_writable_bytes(values));
    co_return status;
}
/// Every node has the result. See allreduce().
template <class Op = std::plus<>, Plain T, std::size_t N>
Task<Status> allreduce_values(Kernel& kernel, std::span<T, N> values, Op op = {}) {
    const Status status =
        co_await allreduce(kernel, detail::plan_of<T>(values, op), std::as_writable_bytes(values));
    co_return status;
}
/// The two for one value.
template <class Op = std::plus<>, Plain T>
Task<Status> reduce_value(Kernel& kernel, T& value, NodeId root = NodeId{0}, Op op = {}) {
    return reduce_values(kernel, std::span<T, 1>{&value, 1}, root, op);
}
template <class Op = std::plus<>, Plain T>
Task<Status> allreduce_value(Kernel& kernel, T& value, Op op = {}) {
    return allreduce_values(kernel, std::span<T, 1>{&value, 1}, op);
}
/// Combines the elements of all nodes up to this one, by their numbers, in place; Op need not be
/// commutative. See scan().
template <class Op = std::plus<>, Plain T>
Task<Status> scan_value(Kernel& kernel, T& value, Op op = {}) {
    const ScanPlan plan{.total_bytes = sizeof(T), .combiner = combiner_of<T>(op)};
    const Status status = co_await scan(kernel, plan, detail::bytes_into(value));
    co_return status;
}

} // namespace mesh
