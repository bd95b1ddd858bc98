// Collectives of blocks: of one value a node (scatter_value, gather_value, allgather_value,
// alltoall_value), and of sizes of their own, MPI's scatterv, gatherv, allgatherv, alltoallv.
//
// Blocks lie one behind the other in the order of the nodes' numbers; `counts` says how many
// elements each of them has. They go as messages under kBlocksTag, on every network alike. The
// schedules of the papers are in collectives/personalised.hpp.
#pragma once

#include "collectives/broadcast.hpp"
#include "collectives/call.hpp"
#include "core/base/order.hpp"
#include "library/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace mesh {

inline constexpr Tag kBlocksTag = 0x7D00;
static_assert(kBlocksTag > kProgramTagMax);

/// Elements of the block of each node; of one for each node.
using Counts = std::span<const std::uint32_t>;

namespace detail {

/// How blocks lie.
struct Layout {
    Counts counts;
    std::size_t element_bytes;
    std::size_t each = 0; // elements of each block, if all are alike; then there are no counts

    std::size_t bytes_of(std::uint32_t node) const {
        return element_bytes * (each != 0 ? each : counts[node]);
    }
    /// Bytes of the first `count` blocks.
    std::size_t bytes_before(std::uint32_t count) const {
        if (each != 0)
            return element_bytes * each * count;
        std::size_t elements = 0;
        for (const std::uint32_t one : counts.first(count))
            elements += one;
        return element_bytes * elements;
    }
    /// The block of a node in `all`.
    template <class Byte>
    std::span<Byte> of(std::span<Byte> all, std::uint32_t node) const {
        return all.subspan(bytes_before(node), bytes_of(node));
    }
    /// It says a block of each node.
    bool is_whole(const Kernel& kernel) const {
        return each != 0 || counts.size() == kernel.nodes();
    }
    bool fits(const Kernel& kernel, std::span<const std::byte> all) const {
        return is_whole(kernel) && bytes_before(kernel.nodes()) <= all.size();
    }
};

/// The verdict on a block that was to fill its place: whoever sends more or less has other counts.
inline Status whole(const Received& received, std::span<const std::byte> place) {
    const bool other = received.status == Status::truncated ||
                       (received.status == Status::ok && received.bytes != place.size());
    return other ? Status::bad_argument : received.status;
}

inline void copy_block(std::span<const std::byte> from, std::span<std::byte> to) {
    copy_row(from.begin(), least(from.size(), to.size()), to.begin());
}

// Each is one call under kBlocksTag.

inline Task<Status> scatter_blocks(Kernel& kernel, std::span<const std::byte> all, Layout layout,
                                   std::span<std::byte> mine, NodeId root) {
    const CallLabel label = kernel.calls().label(kBlocksTag);
    const std::uint32_t self = index(kernel.id());
    if (!layout.is_whole(kernel) || layout.bytes_of(self) > mine.size())
        co_return Status::bad_argument;
    mine = mine.first(layout.bytes_of(self));
    if (kernel.id() != root) {
        const Received got = co_await receive(kernel, mine, root, label);
        co_return whole(got, mine);
    }
    if (!layout.fits(kernel, all))
        co_return Status::bad_argument;
    const SendOptions options{.tag = label.tag, .call = label.call};
    Status status = Status::ok;
    for (std::uint32_t node = 0; node < kernel.nodes(); ++node)
        if (node != self) {
            const Status sent = co_await send(kernel, node_at(node), options, layout.of(all, node));
            status = first_failure(status, sent);
        }
    copy_block(layout.of(all, self), mine);
    co_return status;
}

inline Task<Status> gather_blocks(Kernel& kernel, std::span<const std::byte> mine, Layout layout,
                                  std::span<std::byte> all, NodeId root) {
    const CallLabel label = kernel.calls().label(kBlocksTag);
    const std::uint32_t self = index(kernel.id());
    if (kernel.id() != root) {
        const SendOptions options{.tag = label.tag, .call = label.call};
        const Status sent = co_await send(kernel, root, options, mine);
        co_return sent;
    }
    if (!layout.fits(kernel, all))
        co_return Status::bad_argument;
    Status status = Status::ok;
    for (std::uint32_t node = 0; node < kernel.nodes(); ++node) {
        const auto place = layout.of(all, node);
        if (node == self) {
            copy_block(mine, place);
            continue;
        }
        const Received got = co_await receive(kernel, place, node_at(node), label);
        status = first_failure(status, whole(got, place));
    }
    co_return status;
}

/// All blocks as the root gives them to all.
inline BroadcastPlan plan_of_all(const Kernel& kernel, const Layout& layout) {
    const std::size_t bytes = layout.is_whole(kernel) ? layout.bytes_before(kernel.nodes()) : 0;
    return {.total_bytes = static_cast<std::uint32_t>(bytes), .tag = kBlocksTag};
}

inline Task<Status> allgather_blocks(Kernel& kernel, std::span<const std::byte> mine, Layout layout,
                                     std::span<std::byte> all) {
    if (!layout.fits(kernel, all))
        co_return Status::bad_argument;
    const Status gathered = co_await gather_blocks(kernel, mine, layout, all, NodeId{0});
    const BroadcastPlan plan = plan_of_all(kernel, layout);
    const CallLabel results = kernel.calls().label(kBlocksTag).beside();
    const Status given = co_await broadcast_within(kernel, results, plan, all, gathered);
    co_return given;
}

/// In step s a node sends to the node whose number is greater by s, around the end.
inline Task<Status> exchange_blocks(Kernel& kernel, std::span<const std::byte> out, Layout to,
                                    std::span<std::byte> in, Layout from) {
    if (!to.fits(kernel, out) || !from.fits(kernel, in))
        co_return Status::bad_argument;
    const CallLabel label = kernel.calls().label(kBlocksTag);
    const std::uint32_t self = index(kernel.id());
    copy_block(to.of(out, self), from.of(in, self));
    Status status = Status::ok;
    for (std::uint32_t step = 1; step < kernel.nodes(); ++step) {
        const std::uint32_t next = (self + step) % kernel.nodes();
        const std::uint32_t before = (self + kernel.nodes() - step) % kernel.nodes();
        const auto place = from.of(in, before);
        const Received got = co_await sendrecv(kernel, to.of(out, next), node_at(next), place,
                                               node_at(before), label);
        status = first_failure(status, whole(got, place));
    }
    co_return status;
}

template <class T>
using Const = std::span<const std::type_identity_t<T>>;

/// An array, or a span of one, which a call fills.
template <class All>
using ValueOf = std::ranges::range_value_t<All>;
template <class All>
concept Row = std::ranges::contiguous_range<All> && Plain<ValueOf<All>>;
/// A block of one value for each node.
template <Row All>
Layout one_each() {
    return {{}, sizeof(ValueOf<All>), 1};
}

} // namespace detail

/// Gives each node its value of those that the root has in `all`, one for each node (which the
/// others leave empty). Statuses as of scatterv(). Costs the root a message to each node.
template <Plain T>
MESH_NOTED_INLINE Task<Status> scatter_value(Kernel& kernel, detail::Const<T> all, T& mine,
                                             NodeId root = NodeId{0}) {
    return as_call(detail::noted(kernel, {"scatter", " from node ", index(root)}), kBlocksTag,
                   detail::scatter_blocks(kernel, std::as_bytes(all), {{}, sizeof(T), 1},
                                          detail::bytes_into(mine), root));
}
/// The other way round: the root gets the value of each node, which must stay until it completes,
/// into its place in `all`, an array or a span. Statuses as of scatterv(). Costs the root a message
/// of each node.
template <detail::Row All>
MESH_NOTED_INLINE Task<Status> gather_value(Kernel& kernel, const detail::ValueOf<All>& mine,
                                            All&& all, NodeId root = NodeId{0}) {
    return as_call(detail::noted(kernel, {"gather", " to node ", index(root)}), kBlocksTag,
                   detail::gather_blocks(kernel, detail::bytes_from(mine), detail::one_each<All>(),
                                         std::as_writable_bytes(std::span{all}), root));
}
/// The same, and every node gets all values into `all`. It is a gather_value to node 0 and a
/// broadcast from there.
template <detail::Row All>
MESH_NOTED_INLINE Task<Status> allgather_value(Kernel& kernel, const detail::ValueOf<All>& mine,
                                               All&& all) {
    return as_call(detail::noted(kernel, {"allgather"}), kBlocksTag,
                   detail::allgather_blocks(kernel, detail::bytes_from(mine),
                                            detail::one_each<All>(),
                                            std::as_writable_bytes(std::span{all})),
                   detail::plan_of_all(kernel, detail::one_each<All>()).share());
}
/// Sends value c of `out` to node c, and takes the one from node c to place c of `in`, for each
/// node. Statuses as of scatterv(). Each node sends nodes - 1 messages, one after the other.
template <detail::Row In>
MESH_NOTED_INLINE Task<Status> alltoall_value(Kernel& kernel,
                                              detail::Const<detail::ValueOf<In>> out, In&& in) {
    return as_call(detail::noted(kernel, {"alltoall"}), kBlocksTag,
                   detail::exchange_blocks(kernel, std::as_bytes(out), detail::one_each<In>(),
                                           std::as_writable_bytes(std::span{in}),
                                           detail::one_each<In>()));
}

/// Gives each node its block of the data that the root has in `all` (which the others leave empty).
/// ok; bad_argument: the counts are not one for each node, or say more than there is room for, or
/// other nodes have other counts; else as send() and receive().
template <Plain T, std::size_t N>
MESH_NOTED_INLINE Task<Status> scatterv(Kernel& kernel, detail::Const<T> all, Counts counts,
                                        std::span<T, N> mine, NodeId root = NodeId{0}) {
    return as_call(detail::noted(kernel, {"scatter", " from node ", index(root)}), kBlocksTag,
                   detail::scatter_blocks(kernel, std::as_bytes(all), {counts, sizeof(T)},
                                          std::as_writable_bytes(mine), root));
}

/// The other way round: the root gets the block of each node, `mine`, into its place in `all`
/// (which the others leave empty). Statuses as of scatterv(). Costs the root a message of each
/// node.
template <Plain T, std::size_t N>
MESH_NOTED_INLINE Task<Status> gatherv(Kernel& kernel, detail::Const<T> mine, Counts counts,
                                       std::span<T, N> all, NodeId root = NodeId{0}) {
    return as_call(detail::noted(kernel, {"gather", " to node ", index(root)}), kBlocksTag,
                   detail::gather_blocks(kernel, std::as_bytes(mine), {counts, sizeof(T)},
                                         std::as_writable_bytes(all), root));
}

/// The same, and every node gets all blocks into `all`. Statuses as of scatterv(). It is a gatherv
/// to node 0 and a broadcast from there.
template <Plain T, std::size_t N>
MESH_NOTED_INLINE Task<Status> allgatherv(Kernel& kernel, detail::Const<T> mine, Counts counts,
                                          std::span<T, N> all) {
    return as_call(detail::noted(kernel, {"allgather"}), kBlocksTag,
                   detail::allgather_blocks(kernel, std::as_bytes(mine), {counts, sizeof(T)},
                                            std::as_writable_bytes(all)),
                   detail::plan_of_all(kernel, {counts, sizeof(T)}).share());
}

/// Sends block c of `out` to node c, and takes the one from node c to place c of `in`: `to[c]` and
/// `from[c]` elements. Statuses as of scatterv(); bad_argument too if a node sends another number
/// of elements than `from` says of it. Each node sends nodes - 1 messages, one after the other.
template <Plain T, std::size_t N>
MESH_NOTED_INLINE Task<Status> alltoallv(Kernel& kernel, detail::Const<T> out, Counts to,
                                         std::span<T, N> in, Counts from) {
    return as_call(detail::noted(kernel, {"alltoall"}), kBlocksTag,
                   detail::exchange_blocks(kernel, std::as_bytes(out), {to, sizeof(T)},
                                           std::as_writable_bytes(in), {from, sizeof(T)}));
}

} // namespace mesh
