// Collectives of values: numbers, structs of numbers, and arrays of them, without a cast to bytes.
// Trees are those that are usual for the network, so the same program runs on all.
//
// An operator gives a T for two values of T: Plus, Lower, Upper, or one's own (std::plus<>). An
// object of one's own may hold data beside the two values: it is given last, and copied. It must be
// associative and commutative. Types of any size do, 64 bits as well.
#pragma once

#include "collectives/broadcast.hpp"
#include "collectives/multicast.hpp"
#include "collectives/reduction.hpp"
#include "library/messages.hpp"
#include "wire/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh {

/// The sum.
struct Plus {
    /// `one` + `other`, cut to a T.
    template <class T>
    constexpr T operator()(const T& one, const T& other) const {
        return static_cast<T>(one + other);
    }
};
/// The lesser value, by operator<.
struct Lower {
    /// The lesser of the two; `one` if they are equal.
    template <class T>
    constexpr T operator()(const T& one, const T& other) const {
        return other < one ? other : one;
    }
};
/// The greater value, by operator<.
struct Upper {
    /// The greater of the two; `one` if they are equal.
    template <class T>
    constexpr T operator()(const T& one, const T& other) const {
        return one < other ? other : one;
    }
};

namespace detail {
/// Names an operator on elements of T.
template <class T, class Op>
struct Operation {};
} // namespace detail

/// For the plan of a reduction: combines elements of T by `op`, which must stay until it is done.
/// Nodes that have another T or Op are told by bad_argument.
template <Plain T, class Op>
constexpr Combiner combiner_of(const Op& op) {
    return {[](const void* context, std::span<const std::byte> left,
               std::span<const std::byte> right, std::span<std::byte> result) {
                const Op& with = *static_cast<const Op*>(context);
                for (std::size_t at = 0; at + sizeof(T) <= result.size(); at += sizeof(T))
                    wire::store(result, at,
                                T(with(wire::load<T>(left, at), wire::load<T>(right, at))));
            },
            sizeof(T), &op, detail::type_word<detail::Operation<T, Op>>()};
}

namespace detail {
template <Plain T, class Op>
ReducePlan plan_of(std::span<T> values, const Op& op, NodeId root = NodeId{0}) {
    return {.root = root,
            .total_bytes = static_cast<std::uint32_t>(values.size_bytes()),
            .combiner = combiner_of<T>(op)};
}
} // namespace detail

/// Gives the value of `root` to all nodes; see broadcast(). For an array, give a std::array.
template <Plain T>
MESH_NOTED_INLINE Task<Status> broadcast_value(Kernel& kernel, T& value, NodeId root = NodeId{0}) {
    return broadcast(kernel, {.root = root, .total_bytes = sizeof(T)}, detail::bytes_into(value));
}

/// Gives the value of `root` to the nodes of `members`, a range that stays where it is; see
/// multicast(). All nodes call it.
template <Plain T>
Task<Status> multicast_value(Kernel& kernel, T& value, std::span<const NodeId> members,
                             NodeId root = NodeId{0}) {
    return multicast(kernel, {.members = members, .root = root}, detail::bytes_into(value));
}

namespace detail {
template <class Op, Plain T, std::size_t N>
Task<Status> reduce_elements(Kernel& kernel, std::span<T, N> values, NodeId root,
                             Op op MESH_PLACE) {
    note_place(kernel MESH_THERE);
    const Status status =
        co_await reduce(kernel, plan_of<T>(values, op, root), std::as_writable_bytes(values));
    co_return status;
}
template <class Op, Plain T, std::size_t N>
Task<Status> allreduce_elements(Kernel& kernel, std::span<T, N> values, Op op MESH_PLACE) {
    note_place(kernel MESH_THERE);
    const Status status =
        co_await allreduce(kernel, plan_of<T>(values, op), std::as_writable_bytes(values));
    co_return status;
}
} // namespace detail

/// Combines the elements of all nodes, each with those at the same place, in place; `root` has the
/// result. See reduce().
template <class Op = Plus, Plain T, std::size_t N>
MESH_NOTED_INLINE Task<Status> reduce_values(Kernel& kernel, std::span<T, N> values,
                                             NodeId root = NodeId{0}, Op op = {}) {
    return detail::reduce_elements<Op, T, N>(kernel, values, root, op MESH_HERE);
}
/// The same, and every node has the result. See allreduce().
template <class Op = Plus, Plain T, std::size_t N>
MESH_NOTED_INLINE Task<Status> allreduce_values(Kernel& kernel, std::span<T, N> values,
                                                Op op = {}) {
    return detail::allreduce_elements<Op, T, N>(kernel, values, op MESH_HERE);
}
/// reduce_values() of one value.
template <class Op = Plus, Plain T>
MESH_NOTED_INLINE Task<Status> reduce_value(Kernel& kernel, T& value, NodeId root = NodeId{0},
                                            Op op = {}) {
    return reduce_values(kernel, std::span<T, 1>{&value, 1}, root, op);
}
/// allreduce_values() of one value.
template <class Op = Plus, Plain T>
MESH_NOTED_INLINE Task<Status> allreduce_value(Kernel& kernel, T& value, Op op = {}) {
    return allreduce_values(kernel, std::span<T, 1>{&value, 1}, op);
}

namespace detail {
template <Plain T, class Op>
Task<Status> scan_elements(Kernel& kernel, std::span<T> values, Op op, bool exclusive MESH_PLACE) {
    note_place(kernel MESH_THERE);
    const ScanPlan plan{.total_bytes = static_cast<std::uint32_t>(values.size_bytes()),
                        .combiner = combiner_of<T>(op),
                        .exclusive = exclusive};
    const Status status = co_await scan(kernel, plan, std::as_writable_bytes(values));
    co_return status;
}
} // namespace detail

/// Combines the elements of all nodes up to this one, by their numbers, in place; Op need not be
/// commutative. See scan().
template <class Op = Plus, Plain T, std::size_t N>
MESH_NOTED_INLINE Task<Status> scan_values(Kernel& kernel, std::span<T, N> values, Op op = {}) {
    return detail::scan_elements<T>(kernel, values, op, false MESH_HERE);
}
/// The same for the nodes before this one; node 0 keeps what it has. MPI's exscan.
template <class Op = Plus, Plain T, std::size_t N>
MESH_NOTED_INLINE Task<Status> exscan_values(Kernel& kernel, std::span<T, N> values, Op op = {}) {
    return detail::scan_elements<T>(kernel, values, op, true MESH_HERE);
}
/// scan_values() of one value.
template <class Op = Plus, Plain T>
MESH_NOTED_INLINE Task<Status> scan_value(Kernel& kernel, T& value, Op op = {}) {
    return scan_values(kernel, std::span<T, 1>{&value, 1}, op);
}
/// exscan_values() of one value.
template <class Op = Plus, Plain T>
MESH_NOTED_INLINE Task<Status> exscan_value(Kernel& kernel, T& value, Op op = {}) {
    return exscan_values(kernel, std::span<T, 1>{&value, 1}, op);
}

} // namespace mesh
