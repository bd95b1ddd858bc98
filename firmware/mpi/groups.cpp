// Groups: sets of ranks, in an order. What is made of them is local.
#include "mpi/communicators.hpp"

#include <algorithm>
#include <array>

namespace mesh::mpi {

namespace {

/// Makes a group of those ranks of `from` that `takes` holds for.
template <class Takes>
Group* part_of(const Group& from, Takes takes) {
    Group* const group = new_group(from.size);
    group->size = 0;
    for (Rank rank = 0; rank < from.size; ++rank)
        if (takes(rank))
            group->nodes[group->size++] = from.nodes[rank];
    return group;
}

bool has(const Group& group, NodeId node) { return group.rank_of(node) != MPI_UNDEFINED; }

int put(Group* group, MPI_Group* handle) {
    find_own(*group);
    *handle = group;
    if (group->size == 0) {
        release(group);
        *handle = MPI_GROUP_EMPTY;
    }
    return MPI_SUCCESS;
}

int bad_group(const char* call) { return fail(nullptr, MPI_ERR_GROUP, call, nullptr); }
int bad_rank(const char* call) { return fail(nullptr, MPI_ERR_RANK, call, nullptr); }

bool is_rank(const Group& group, Rank rank) { return rank >= 0 && rank < group.size; }

/// Ranks from a first to a last one in steps, as calls give them; calls `take` for each.
template <class Take>
bool each_in(const Group& group, int count, int ranges[][3], Take take) {
    for (int at = 0; at < count; ++at) {
        const auto [first, last, step] =
            std::array<int, 3>{ranges[at][0], ranges[at][1], ranges[at][2]};
        if (step == 0)
            return false;
        for (int rank = first; step > 0 ? rank <= last : rank >= last; rank += step) {
            if (!is_rank(group, rank))
                return false;
            take(rank);
        }
    }
    return true;
}

} // namespace

} // namespace mesh::mpi

using namespace mesh::mpi;

extern "C" {

int MPI_Group_size(MPI_Group handle, int* size) {
    const Group* const group = group_of(handle);
    if (group == nullptr)
        return bad_group("MPI_Group_size");
    *size = group->size;
    return MPI_SUCCESS;
}

int MPI_Group_rank(MPI_Group handle, int* rank) {
    const Group* const group = group_of(handle);
    if (group == nullptr)
        return bad_group("MPI_Group_rank");
    *rank = group->own;
    return MPI_SUCCESS;
}

int MPI_Group_free(MPI_Group* handle) {
    if (group_of(*handle) == nullptr)
        return bad_group("MPI_Group_free");
    if (!is_fixed(*handle))
        release(*handle);
    *handle = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

int MPI_Group_incl(MPI_Group handle, int count, const int* ranks, MPI_Group* part) {
    const Group* const group = group_of(handle);
    if (group == nullptr)
        return bad_group("MPI_Group_incl");
    Group* const made = new_group(count);
    for (int at = 0; at < count; ++at) {
        if (!is_rank(*group, ranks[at]))
            return bad_rank("MPI_Group_incl");
        made->nodes[at] = group->nodes[ranks[at]];
    }
    return put(made, part);
}

int MPI_Group_excl(MPI_Group handle, int count, const int* ranks, MPI_Group* part) {
    const Group* const group = group_of(handle);
    if (group == nullptr)
        return bad_group("MPI_Group_excl");
    if (!std::all_of(ranks, ranks + count, [=](Rank rank) { return is_rank(*group, rank); }))
        return bad_rank("MPI_Group_excl");
    return put(
        part_of(*group,
                [=](Rank rank) { return std::find(ranks, ranks + count, rank) == ranks + count; }),
        part);
}

int MPI_Group_range_incl(MPI_Group handle, int count, int ranges[][3], MPI_Group* part) {
    const Group* const group = group_of(handle);
    if (group == nullptr)
        return bad_group("MPI_Group_range_incl");
    Group* const made = new_group(group->size);
    made->size = 0;
    if (!each_in(*group, count, ranges,
                 [=](Rank rank) { made->nodes[made->size++] = group->nodes[rank]; }))
        return bad_rank("MPI_Group_range_incl");
    return put(made, part);
}

int MPI_Group_range_excl(MPI_Group handle, int count, int ranges[][3], MPI_Group* part) {
    const Group* const group = group_of(handle);
    if (group == nullptr)
        return bad_group("MPI_Group_range_excl");
    if (!each_in(*group, count, ranges, [](Rank) {}))
        return bad_rank("MPI_Group_range_excl");
    return put(part_of(*group,
                       [=](Rank rank) {
                           bool is_left_out = false;
                           each_in(*group, count, ranges,
                                   [&](Rank other) { is_left_out |= other == rank; });
                           return !is_left_out;
                       }),
               part);
}

int MPI_Group_union(MPI_Group one, MPI_Group other, MPI_Group* both) {
    const Group* const first = group_of(one);
    const Group* const second = group_of(other);
    if (first == nullptr || second == nullptr)
        return bad_group("MPI_Group_union");
    Group* const made = new_group(first->size + second->size);
    std::copy_n(first->nodes, first->size, made->nodes);
    made->size = first->size;
    for (Rank rank = 0; rank < second->size; ++rank)
        if (!has(*first, second->nodes[rank]))
            made->nodes[made->size++] = second->nodes[rank];
    return put(made, both);
}

int MPI_Group_intersection(MPI_Group one, MPI_Group other, MPI_Group* both) {
    const Group* const first = group_of(one);
    const Group* const second = group_of(other);
    if (first == nullptr || second == nullptr)
        return bad_group("MPI_Group_intersection");
    return put(part_of(*first, [=](Rank rank) { return has(*second, first->nodes[rank]); }), both);
}

int MPI_Group_difference(MPI_Group one, MPI_Group other, MPI_Group* rest) {
    const Group* const first = group_of(one);
    const Group* const second = group_of(other);
    if (first == nullptr || second == nullptr)
        return bad_group("MPI_Group_difference");
    return put(part_of(*first, [=](Rank rank) { return !has(*second, first->nodes[rank]); }), rest);
}

int MPI_Group_translate_ranks(MPI_Group one, int count, const int* ranks, MPI_Group other,
                              int* others) {
    const Group* const first = group_of(one);
    const Group* const second = group_of(other);
    if (first == nullptr || second == nullptr)
        return bad_group("MPI_Group_translate_ranks");
    for (int at = 0; at < count; ++at) {
        if (ranks[at] != MPI_PROC_NULL && !is_rank(*first, ranks[at]))
            return bad_rank("MPI_Group_translate_ranks");
        others[at] =
            ranks[at] == MPI_PROC_NULL ? MPI_PROC_NULL : second->rank_of(first->node(ranks[at]));
    }
    return MPI_SUCCESS;
}

int MPI_Group_compare(MPI_Group one, MPI_Group other, int* result) {
    const Group* const first = group_of(one);
    const Group* const second = group_of(other);
    if (first == nullptr || second == nullptr)
        return bad_group("MPI_Group_compare");
    *result = MPI_UNEQUAL;
    if (first->size != second->size)
        return MPI_SUCCESS;
    if (std::ranges::equal(first->all(), second->all()))
        *result = MPI_IDENT;
    else if (std::ranges::all_of(first->all(),
                                 [=](mesh::NodeId node) { return has(*second, node); }))
        *result = MPI_SIMILAR;
    return MPI_SUCCESS;
}
}
