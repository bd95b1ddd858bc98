// Messages and collectives of values: numbers, structs of numbers, and arrays of them, without a
// cast to bytes. Trees are those that are usual for the network, so the same program runs on all.
//
// An operator is a type that gives a T for two of them: std::plus<>, Lower, Upper, or one's own.
// It must be associative and commutative. Types of any size do, 64 bits as well.
#pragma once

#include "collectives/broadcast.hpp"
#include "collectives/reduction.hpp"
#include "kernel/message.hpp"
#include "wire/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

namespace mesh {

/// What moves as it lies in memory.
template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

/// The tree that a broadcast or a reduction takes if nobody says another: the shallowest.
constexpr Rule usual_tree(Network network) {
    switch (network.topology) {
    case Topology::uhc: return Rule::bts;
    case Topology::star: return Rule::spt;
    case Topology::cube: break;
    }
    return Rule::sbt;
}

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

/// For the plan of a reduction: combines elements of T by Op.
template <Plain T, class Op>
constexpr Combiner combiner_of() {
    return {[](std::span<const std::byte> left, std::span<const std::byte> right,
               std::span<std::byte> result) {
                for (std::size_t at = 0; at + sizeof(T) <= result.size(); at += sizeof(T))
                    wire::store(result, at,
                                T(Op{}(wire::load<T>(left, at), wire::load<T>(right, at))));
            },
            sizeof(T)};
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
ReducePlan plan_of(const Kernel& kernel, NodeId root, std::size_t bytes) {
    return {.tree = usual_tree(kernel.network()),
            .root = root,
            .total_bytes = static_cast<std::uint32_t>(bytes),
            .combiner = combiner_of<T, Op>()};
}
} // namespace detail

/// Sends one value, which must stay until it completes; see send().
template <Plain T>
Task<Status> send_value(Kernel& kernel, NodeId to, const T& value, Tag tag = 0) {
    return send(kernel, to, {.tag = tag}, detail::bytes_from(value));
}
template <Plain T>
Task<Status> send_value(Kernel& kernel, NodeId to, const T&& value, Tag tag = 0) = delete;

/// Receives one value; see receive(). bad_argument: the message was shorter than one.
template <Plain T>
Task<Received> receive_value(Kernel& kernel, T& value, Tag tag = kAnyTag,
                             NodeId source = kAnySource) {
    Received received = co_await receive(kernel, detail::bytes_into(value), tag, source);
    if (received.status == Status::ok && received.bytes != sizeof(T))
        received.status = Status::bad_argument;
    co_return received;
}

/// Gives the value of `root` to all nodes; see broadcast(). For an array, give a std::array.
template <Plain T>
Task<Status> broadcast_value(Kernel& kernel, T& value, NodeId root = NodeId{0}) {
    return broadcast(kernel,
                     {.tree = usual_tree(kernel.network()), .root = root, .total_bytes = sizeof(T)},
                     detail::bytes_into(value));
}

/// Combines the elements of all nodes, each with those at the same place, in place: at `root`,
/// or at all. See reduce().
template <class Op = std::plus<>, Plain T>
Task<Status> reduce_values(Kernel& kernel, std::span<T> values, NodeId root = NodeId{0}) {
    const ReducePlan plan = detail::plan_of<T, Op>(kernel, root, values.size_bytes());
    const Status status = co_await reduce(kernel, plan, std::as_writable_bytes(values));
    co_return status;
}
template <class Op = std::plus<>, Plain T>
Task<Status> allreduce_values(Kernel& kernel, std::span<T> values) {
    const ReducePlan plan = detail::plan_of<T, Op>(kernel, NodeId{0}, values.size_bytes());
    const Status status = co_await allreduce(kernel, plan, std::as_writable_bytes(values));
    co_return status;
}
template <class Op = std::plus<>, Plain T>
Task<Status> reduce_value(Kernel& kernel, T& value, NodeId root = NodeId{0}) {
    return reduce_values<Op>(kernel, std::span<T>{&value, 1}, root);
}
template <class Op = std::plus<>, Plain T>
Task<Status> allreduce_value(Kernel& kernel, T& value) {
    return allreduce_values<Op>(kernel, std::span<T>{&value, 1});
}

} // namespace mesh
