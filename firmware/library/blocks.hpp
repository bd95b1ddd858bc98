// Collectives of blocks, each of a size of its own: MPI's scatterv, gatherv, allgatherv, alltoallv.
//
// Blocks lie one behind the other in the order of the nodes' numbers, and `counts` says how many
// elements each of them has. They go as messages under kBlocksTag, on every network alike. The
// schedules of the papers are in collectives/personalised.hpp.
#pragma once

#include "collectives/broadcast.hpp"
#include "collectives/call.hpp"
#include "library/parallel.hpp"
#include "library/values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>

namespace mesh {

inline constexpr Tag kBlocksTag = 0x7D00;

/// Elements of the block of each node; of one for each node.
using Counts = std::span<const std::uint32_t>;

namespace detail {

/// How blocks lie.
struct Layout {
    Counts counts;
    std::size_t element_bytes;

    /// Bytes of the first `count` blocks.
    std::size_t bytes_before(std::size_t count) const {
        return element_bytes * std::accumulate(counts.begin(),
                                               counts.begin() + static_cast<std::ptrdiff_t>(count),
                                               std::size_t{0});
    }
    std::size_t bytes() const { return bytes_before(counts.size()); }
    /// The block of a node in `all`.
    template <class Byte>
    std::span<Byte> of(std::span<Byte> all, std::uint32_t node) const {
        return all.subspan(bytes_before(node), counts[node] * element_bytes);
    }
    bool fits(const Kernel& kernel, std::span<const std::byte> all) const {
        return counts.size() == kernel.nodes() && bytes() <= all.size();
    }
};

/// The verdict on a block that was to fill its place.
inline Status whole(const Received& received, std::span<const std::byte> place) {
    const bool short_of = received.status == Status::ok && received.bytes != place.size();
    return short_of ? Status::bad_argument : received.status;
}

inline void copy_block(std::span<const std::byte> from, std::span<std::byte> to) {
    std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
}

// Each is one call under kBlocksTag.

inline Task<Status> scatter_blocks(Kernel& kernel, std::span<const std::byte> all, Layout layout,
                                   std::span<std::byte> mine, NodeId root) {
    const CallLabel label = kernel.calls().label(kBlocksTag);
    const std::uint32_t self = index(kernel.id());
    if (layout.counts.size() != kernel.nodes() ||
        layout.counts[self] * layout.element_bytes > mine.size())
        co_return Status::bad_argument;
    mine = mine.first(layout.counts[self] * layout.element_bytes);
    if (kernel.id() != root) {
        const Received got = co_await receive(kernel, mine, label, root);
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
        const Received got = co_await receive(kernel, place, label, node_at(node));
        status = first_failure(status, whole(got, place));
    }
    co_return status;
}

inline Task<Status> allgather_blocks(Kernel& kernel, std::span<const std::byte> mine, Layout layout,
                                     std::span<std::byte> all) {
    if (!layout.fits(kernel, all))
        co_return Status::bad_argument;
    const Status gathered = co_await gather_blocks(kernel, mine, layout, all, NodeId{0});
    const BroadcastPlan plan{.total_bytes = static_cast<std::uint32_t>(layout.bytes()),
                             .tag = kBlocksTag};
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
        const Received got = co_await sendrecv(kernel, node_at(next), to.of(out, next),
                                               node_at(before), place, label);
        status = first_failure(status, whole(got, place));
    }
    co_return status;
}

template <class T>
using Const = std::span<const std::type_identity_t<T>>;

} // namespace detail

/// Gives each node its block of the data that the root has in `all` (which the others leave empty).
/// ok; bad_argument: the counts are not one for each node, or say more than there is room for, or
/// other nodes have other counts; else as send() and receive().
template <Plain T, std::size_t N>
Task<Status> scatterv(Kernel& kernel, detail::Const<T> all, Counts counts, std::span<T, N> mine,
                      NodeId root = NodeId{0}) {
    return as_call(kernel, kBlocksTag,
                   detail::scatter_blocks(kernel, std::as_bytes(all), {counts, sizeof(T)},
                                          std::as_writable_bytes(mine), root));
}

/// The other way round: the root gets the block of each node, `mine`, into its place in `all`
/// (which the others leave empty). Statuses as of scatterv(). Costs the root a message of each
/// node.
template <Plain T, std::size_t N>
Task<Status> gatherv(Kernel& kernel, detail::Const<T> mine, Counts counts, std::span<T, N> all,
                     NodeId root = NodeId{0}) {
    return as_call(kernel, kBlocksTag,
                   detail::gather_blocks(kernel, std::as_bytes(mine), {counts, sizeof(T)},
                                         std::as_writable_bytes(all), root));
}

/// The same, and every node gets all blocks into `all`. Statuses as of scatterv(). It is a gatherv
/// to node 0 and a broadcast from there.
template <Plain T, std::size_t N>
Task<Status> allgatherv(Kernel& kernel, detail::Const<T> mine, Counts counts, std::span<T, N> all) {
    return as_call(kernel, kBlocksTag,
                   detail::allgather_blocks(kernel, std::as_bytes(mine), {counts, sizeof(T)},
                                            std::as_writable_bytes(all)));
}

/// Sends block c of `out` to node c, and takes the one from node c to place c of `in`: `to[c]` and
/// `from[c]` elements. Statuses as of scatterv(); bad_argument too if a node sends another number
/// of elements than `from` says of it. Each node sends nodes - 1 messages, one after the other.
template <Plain T, std::size_t N>
Task<Status> alltoallv(Kernel& kernel, detail::Const<T> out, Counts to, std::span<T, N> in,
                       Counts from) {
    return as_call(kernel, kBlocksTag,
                   detail::exchange_blocks(kernel, std::as_bytes(out), {to, sizeof(T)},
                                           std::as_writable_bytes(in), {from, sizeof(T)}));
}

} // namespace mesh
