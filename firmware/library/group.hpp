// Collectives of some of the nodes: the rows and columns of a grid, or any others.
//
// A group is a list of nodes, the same at each of them; a member's rank is its place in it. Values
// go along a binomial tree of ranks as messages under the group's tag, so members need not be
// neighbours, and groups that share no node, or have other tags, do not meet. In a subcube each
// message of a broadcast or a reduction crosses one link (library/group_tree.hpp). Members count
// their calls under the group's tag, so a node that is in two groups gives them two tags.
//
// A multicast (collectives/multicast.hpp) brings the bytes of one node to any others over fewer
// links, but all nodes of the network call it.
//
// A root is a rank. An operator is as in library/values.hpp, but need not be commutative: values
// are combined in the order of ranks.
#pragma once

#include "collectives/call.hpp"
#include "library/blocks.hpp"
#include "library/group_tree.hpp"
#include "library/messages.hpp"
#include "library/values.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh {

/// A list of nodes and a tag, as one node sees them: a value that may be copied. It owns neither
/// the list nor any memory of the kernel.
class Group {
public:
    /// `members` stay the caller's, for as long as the group is used; this node is one of them.
    /// `tag`: 0 to kProgramTagMax.
    Group(const Kernel& kernel, std::span<const NodeId> members, Tag tag)
        : members_(members),
          tag_(tag) {
        while (rank_ < size() && members_[rank_] != kernel.id())
            ++rank_;
    }

    /// Number of members.
    std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
    /// The rank of this node; size() if it is no member.
    std::uint32_t rank() const { return rank_; }
    /// True if this node is a member.
    bool member() const { return rank_ < size(); }
    /// The node with this rank, 0 to size() - 1.
    NodeId operator[](std::uint32_t rank) const { return members_[rank]; }
    /// The list of nodes, in the order of their ranks.
    std::span<const NodeId> members() const { return members_; }
    /// The tag under which the group's messages travel.
    Tag tag() const { return tag_; }

private:
    std::span<const NodeId> members_;
    std::uint32_t rank_ = 0;
    Tag tag_;
};

/// Fills `room` with the nodes of a range of NodeIds, or of numbers, in its order; gives those that
/// there was room for: `members_of(room, std::views::iota(4u, 8u))`.
template <std::ranges::input_range Nodes>
std::span<const NodeId> members_of(std::span<NodeId> room, Nodes&& nodes) {
    std::size_t count = 0;
    for (const auto node : nodes)
        if (count < room.size())
            room[count++] = static_cast<NodeId>(node);
    return room.first(count);
}

/// Fills `room` with the nodes for whose number `holds` is true, in their order; gives those that
/// there was room for.
template <class Holds>
std::span<const NodeId> members_if(const Kernel& kernel, std::span<NodeId> room, Holds holds) {
    std::size_t count = 0;
    for (std::uint32_t node = 0; node < kernel.nodes() && count < room.size(); ++node)
        if (holds(node))
            room[count++] = node_at(node);
    return room.first(count);
}

namespace detail {

/// The tree of a group of which this node is a member.
inline GroupTree tree_of(const Kernel& kernel, const Group& group, std::uint32_t root = 0) {
    return {kernel.network().topology, group.members(), group.rank(), root};
}

/// Sends the bytes of the root to all members, as a part of a call.
inline Task<Status> down_group(Kernel& kernel, GroupTree tree, CallLabel label,
                               std::span<std::byte> bytes) {
    const SendOptions options{.tag = label.tag, .call = label.call};
    std::uint32_t bit = 1; // the lowest bit of this place: the bytes come from there
    while (bit < tree.size() && (tree.place() & bit) == 0)
        bit <<= 1;
    if (tree.place() != 0) {
        const NodeId from = tree.at(tree.place() - bit);
        const Received got = co_await receive(kernel, bytes, from, label);
        if (const Status status = whole(got, bytes); status != Status::ok)
            co_return status;
    }
    for (bit >>= 1; bit != 0; bit >>= 1)
        if (tree.place() + bit < tree.size()) {
            const NodeId to = tree.at(tree.place() + bit);
            const Status sent = co_await send(kernel, to, options, bytes);
            if (sent != Status::ok)
                co_return sent;
        }
    co_return Status::ok;
}

/// Combines the values of all members at rank 0, the root of `tree`.
template <Plain T, class Op>
Task<Status> up_group(Kernel& kernel, GroupTree tree, CallLabel label, T& value, Op op) {
    for (std::uint32_t bit = 1; bit < tree.size(); bit <<= 1) {
        if ((tree.place() & bit) != 0) {
            const NodeId to = tree.at(tree.place() - bit);
            const Status sent = co_await send_value(kernel, value, to, label);
            co_return sent;
        }
        if (tree.place() + bit >= tree.size())
            continue;
        T other{};
        const NodeId from = tree.at(tree.place() + bit);
        const Received got = co_await receive_value(kernel, other, from, label);
        if (const Status status = whole(got, bytes_from(other)); status != Status::ok)
            co_return status;
        value = T(tree.is_first(bit) ? op(value, other) : op(other, value));
    }
    co_return Status::ok;
}

/// Moves the value of rank 0 to the root.
template <Plain T>
Task<Status> to_root(Kernel& kernel, Group group, CallLabel label, T& value, std::uint32_t root) {
    if (root == 0 || (group.rank() != 0 && group.rank() != root))
        co_return Status::ok;
    if (group.rank() == 0) {
        const Status sent = co_await send_value(kernel, value, group[root], label);
        co_return sent;
    }
    const Received got = co_await receive_value(kernel, value, group[0], label);
    co_return whole(got, bytes_from(value));
}

/// Combines the values of all members up to this one: in each round a member has those of twice as
/// many, itself and the ones before it.
template <Plain T, class Op>
Task<Status> scan_group(Kernel& kernel, Group group, CallLabel label, T& value, Op op) {
    for (std::uint32_t far = 1; far < group.size(); far <<= 1) {
        const bool sends = group.rank() + far < group.size(), receives = group.rank() >= far;
        const T mine = value;
        T before{};
        Status status = Status::ok;
        if (sends && receives) {
            const Received got = co_await sendrecv_value(kernel, mine, group[group.rank() + far],
                                                         before, group[group.rank() - far], label);
            status = whole(got, bytes_from(before));
        } else if (sends) {
            status = co_await send_value(kernel, mine, group[group.rank() + far], label);
        } else if (receives) {
            const Received got =
                co_await receive_value(kernel, before, group[group.rank() - far], label);
            status = whole(got, bytes_from(before));
        }
        if (status != Status::ok)
            co_return status;
        if (receives)
            value = T(op(before, value));
    }
    co_return Status::ok;
}

/// The root gets the bytes of each member into their place in `all`.
inline Task<Status> gather_group(Kernel& kernel, Group group, CallLabel label,
                                 std::span<const std::byte> mine, std::span<std::byte> all,
                                 std::uint32_t root) {
    const SendOptions options{.tag = label.tag, .call = label.call};
    if (group.rank() != root) {
        const Status sent = co_await send(kernel, group[root], options, mine);
        co_return sent;
    }
    Status status = Status::ok;
    for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
        const auto place = all.subspan(rank * mine.size(), mine.size());
        if (rank == root) {
            copy_block(mine, place);
            continue;
        }
        const Received got = co_await receive(kernel, place, group[rank], label);
        status = first_failure(status, whole(got, place));
    }
    co_return status;
}

/// Why this node cannot take part in a call of the group that has this root.
inline Status part_in(const Group& group, std::uint32_t root) {
    const bool good = group.member() && root < group.size() && group.tag() <= kProgramTagMax;
    return good ? Status::ok : Status::bad_argument;
}

/// One call of a group: up to the root, down to all, or both.
template <Plain T, class Op>
Task<Status> reduce_group(Kernel& kernel, Group group, T& value, std::uint32_t root, bool to_all,
                          Op op) {
    if (part_in(group, root) != Status::ok)
        co_return Status::bad_argument;
    const Call call{kernel, group.tag(), true};
    Status status = call.status();
    if (status == Status::ok)
        status = co_await up_group(kernel, tree_of(kernel, group), call.label(), value, op);
    if (!to_all && status == Status::ok)
        status = co_await to_root(kernel, group, call.label(), value, root);
    if (to_all && status == Status::ok)
        status =
            co_await down_group(kernel, tree_of(kernel, group), call.label(), bytes_into(value));
    co_return status;
}

inline Task<Status> broadcast_group(Kernel& kernel, Group group, std::span<std::byte> bytes,
                                    std::uint32_t root) {
    if (part_in(group, root) != Status::ok)
        co_return Status::bad_argument;
    const Call call{kernel, group.tag(), true};
    Status status = call.status();
    if (status == Status::ok)
        status = co_await down_group(kernel, tree_of(kernel, group, root), call.label(), bytes);
    co_return status;
}

inline Task<Status> gather_of_group(Kernel& kernel, Group group, std::span<const std::byte> mine,
                                    std::span<std::byte> all, std::uint32_t root, bool to_all) {
    const std::size_t bytes = mine.size() * group.size();
    const bool fills = to_all || group.rank() == root;
    if (part_in(group, root) != Status::ok || (fills && all.size() < bytes))
        co_return Status::bad_argument;
    const Call call{kernel, group.tag(), true};
    Status status = call.status();
    if (status == Status::ok)
        status = co_await gather_group(kernel, group, call.label(), mine, all, root);
    if (to_all && status == Status::ok)
        status = co_await down_group(kernel, tree_of(kernel, group, root), call.label(),
                                     all.first(bytes));
    co_return status;
}

template <Plain T, class Op>
Task<Status> scan_of_group(Kernel& kernel, Group group, T& value, Op op) {
    if (part_in(group, 0) != Status::ok)
        co_return Status::bad_argument;
    const Call call{kernel, group.tag(), true};
    Status status = call.status();
    if (status == Status::ok)
        status = co_await scan_group(kernel, group, call.label(), value, op);
    co_return status;
}

} // namespace detail

/// Gives the value of the member whose rank is `root` to all members. bad_argument: this node is
/// none of them, there is no such rank, a member gives another size, or the tag is the library's;
/// tag_in_use: another collective of a group has its tag at this node; else as send() and
/// receive().
template <Plain T>
Task<Status> group_broadcast(Kernel& kernel, Group group, T& value, std::uint32_t root = 0) {
    return detail::broadcast_group(kernel, group, detail::bytes_into(value), root);
}

/// Combines the values of all members; the member whose rank is `root` has the result. Statuses as
/// of group_broadcast(). A root other than rank 0 costs one message more.
template <class Op = Plus, Plain T>
Task<Status> group_reduce(Kernel& kernel, Group group, T& value, std::uint32_t root = 0,
                          Op op = {}) {
    return detail::reduce_group(kernel, group, value, root, false, op);
}

/// The same, and every member has the result. Statuses as of group_broadcast().
template <class Op = Plus, Plain T>
Task<Status> group_allreduce(Kernel& kernel, Group group, T& value, Op op = {}) {
    return detail::reduce_group(kernel, group, value, 0, true, op);
}

/// Combines the values of all members up to this one. Statuses as of group_broadcast().
template <class Op = Plus, Plain T>
Task<Status> group_scan(Kernel& kernel, Group group, T& value, Op op = {}) {
    return detail::scan_of_group(kernel, group, value, op);
}

/// The member whose rank is `root` gets the value of each member, which must stay until it
/// completes, into its place in `all`, an array or a span. Statuses as of group_broadcast();
/// bad_argument too if `all` is too short. Costs the root a message of each member.
template <detail::Row All>
Task<Status> group_gather(Kernel& kernel, Group group, const detail::ValueOf<All>& mine, All&& all,
                          std::uint32_t root = 0) {
    return detail::gather_of_group(kernel, group, detail::bytes_from(mine),
                                   std::as_writable_bytes(std::span{all}), root, false);
}

/// The same, and every member gets all values into `all`. It is a group_gather and a broadcast.
template <detail::Row All>
Task<Status> group_allgather(Kernel& kernel, Group group, const detail::ValueOf<All>& mine,
                             All&& all) {
    return detail::gather_of_group(kernel, group, detail::bytes_from(mine),
                                   std::as_writable_bytes(std::span{all}), 0, true);
}

/// Waits until all members have called it. ok; unreachable: a member or the way to it is dead, so
/// that it cannot come; else as group_broadcast(). Costs an allreduce of one byte.
inline Task<Status> group_barrier(Kernel& kernel, Group group) {
    std::uint8_t nothing = 0;
    const Status status = co_await group_allreduce(kernel, group, nothing);
    co_return status;
}

} // namespace mesh
