// Collectives of some of the nodes: the rows and columns of a grid, or any others.
//
// A group is a list of nodes, the same at each of them; a member's rank is its place in it. Values
// go along a binomial tree of ranks as messages under the group's tag, so members need not be
// neighbours, and groups that share no node, or have other tags, do not meet. In a subcube each of
// these messages crosses one link (library/group_tree.hpp). Members count their calls under the
// group's tag, so a node that is in two groups gives them two tags.
#pragma once

#include "collectives/call.hpp"
#include "library/group_tree.hpp"
#include "library/values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace mesh {

class Group {
public:
    /// `members` stay the caller's, for as long as the group is used; this node is one of them.
    Group(const Kernel& kernel, std::span<const NodeId> members, Tag tag)
        : members_(members),
          rank_(static_cast<std::uint32_t>(std::ranges::find(members, kernel.id()) -
                                           members.begin())),
          tag_(tag) {}

    std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
    /// The rank of this node; size() if it is no member.
    std::uint32_t rank() const { return rank_; }
    bool member() const { return rank_ < size(); }
    NodeId operator[](std::uint32_t rank) const { return members_[rank]; }
    std::span<const NodeId> members() const { return members_; }
    Tag tag() const { return tag_; }

private:
    std::span<const NodeId> members_;
    std::uint32_t rank_;
    Tag tag_;
};

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

/// Sends the value of rank 0 to all members, as a part of a call.
template <Plain T>
Task<Status> down_group(Kernel& kernel, GroupTree tree, CallLabel label, T& value) {
    std::uint32_t bit = 1; // the lowest bit of this place: its value comes from there
    while (bit < tree.size() && (tree.place() & bit) == 0)
        bit <<= 1;
    if (tree.place() != 0) {
        const Received got =
            co_await receive_value(kernel, value, label, tree.at(tree.place() - bit));
        if (got.status != Status::ok)
            co_return got.status;
    }
    for (bit >>= 1; bit != 0; bit >>= 1)
        if (tree.place() + bit < tree.size()) {
            const Status sent =
                co_await send_value(kernel, tree.at(tree.place() + bit), value, label);
            if (sent != Status::ok)
                co_return sent;
        }
    co_return Status::ok;
}

/// Combines the values of all members at rank 0.
template <class Op, Plain T>
Task<Status> up_group(Kernel& kernel, GroupTree tree, CallLabel label, T& value) {
    for (std::uint32_t bit = 1; bit < tree.size(); bit <<= 1) {
        if ((tree.place() & bit) != 0) {
            const Status sent =
                co_await send_value(kernel, tree.at(tree.place() - bit), value, label);
            co_return sent;
        }
        if (tree.place() + bit >= tree.size())
            continue;
        T other{};
        const Received got =
            co_await receive_value(kernel, other, label, tree.at(tree.place() + bit));
        if (got.status != Status::ok)
            co_return got.status;
        value = T(tree.is_first(bit) ? Op{}(value, other) : Op{}(other, value));
    }
    co_return Status::ok;
}

/// One call of a group: up and down, or one of both.
template <class Op, Plain T>
Task<Status> group_call(Kernel& kernel, Group group, T& value, bool up, bool down) {
    if (!group.member())
        co_return Status::bad_argument;
    const Call call{kernel, group.tag(), true};
    const GroupTree tree{kernel.network().topology, group.members(), group.rank()};
    Status status = call.status();
    if (up && status == Status::ok)
        status = co_await up_group<Op>(kernel, tree, call.label(), value);
    if (down && status == Status::ok)
        status = co_await down_group(kernel, tree, call.label(), value);
    co_return status;
}

} // namespace detail

/// Gives the value of rank 0 to all members. bad_argument: this node is none of them; tag_in_use:
/// another collective of a group has its tag at this node; else as send() and receive().
template <Plain T>
Task<Status> group_broadcast(Kernel& kernel, Group group, T& value) {
    return detail::group_call<std::plus<>>(kernel, group, value, false, true);
}

/// Combines the values of all members by Op; rank 0 has the result. In the order of ranks, so Op
/// need not be commutative. Statuses as of group_broadcast().
template <class Op = std::plus<>, Plain T>
Task<Status> group_reduce(Kernel& kernel, Group group, T& value) {
    return detail::group_call<Op>(kernel, group, value, true, false);
}

/// The same, and every member has the result. Statuses as of group_broadcast().
template <class Op = std::plus<>, Plain T>
Task<Status> group_allreduce(Kernel& kernel, Group group, T& value) {
    return detail::group_call<Op>(kernel, group, value, true, true);
}

/// Waits until all members have called it. ok; unreachable: a member or the way to it is dead, so
/// that it cannot come; else as group_broadcast(). Costs an allreduce of one byte.
inline Task<Status> group_barrier(Kernel& kernel, Group group) {
    std::uint8_t nothing = 0;
    const Status status = co_await group_allreduce(kernel, group, nothing);
    co_return status;
}

} // namespace mesh
