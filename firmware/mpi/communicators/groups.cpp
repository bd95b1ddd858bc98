// Groups: ranks in an order. All calls are local.
#include "mpi/communicators/communicators.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace mesh::mpi {

namespace {

/// Makes a group of the ranks of `from` that `takes` holds for.
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
    if (group->size != 0) {
        *handle = give_handle(*group);
        return MPI_SUCCESS;
    }
    release(group);
    *handle = MPI_GROUP_EMPTY;
    return MPI_SUCCESS;
}

/// Checks of the calls for a group, which must be one.
class GroupChecks : public Checks {
public:
    GroupChecks(const char* call, MPI_Group handle) : Checks(call), group_(group(handle)) {}
    const Group& first() const { return *group_; }
    int refuse_rank(Rank rank) { return refuse_number(MPI_ERR_RANK, rank, group_->size - 1); }

private:
    Group* group_;
};

constexpr const char* kTwice = "a rank is there twice";

bool is_rank(const Group& group, std::int64_t rank) { return rank >= 0 && rank < group.size; }

constexpr const char* kNoRange = "a range has a rank that the group has not, or no step";

/// Refuses ranks that are not in the group, or there twice.
bool are_ranks(GroupChecks& checks, int count, const int* ranks) {
    checks.count(count);
    for (int at = 0; at < count && !checks.bad(); ++at)
        if (!is_rank(checks.first(), ranks[at]))
            checks.refuse_rank(ranks[at]);
        else
            checks.require(std::find(ranks, ranks + at, ranks[at]) == ranks + at, MPI_ERR_RANK,
                           kTwice);
    return !checks.bad();
}

/// Calls `take` for each rank of ranges, which have a first rank, a last one and a step. False: a
/// rank is not in the group, or a step is 0.
template <class Take>
bool each_in(const Group& group, int count, int ranges[][3], Take take) {
    for (int at = 0; at < count; ++at) {
        const auto [first, last, step] =
            std::array<int, 3>{ranges[at][0], ranges[at][1], ranges[at][2]};
        if (step == 0)
            return false;
        for (std::int64_t rank = first; step > 0 ? rank <= last : rank >= last; rank += step) {
            if (!is_rank(group, rank))
                return false;
            take(static_cast<Rank>(rank));
        }
    }
    return true;
}

void group_size(GroupChecks& checks, int* size) { *size = checks.first().size; }

void group_rank(GroupChecks& checks, int* rank) { *rank = checks.first().own; }

void group_free(GroupChecks&, MPI_Group* handle) {
    if (!is_fixed(*handle))
        take_handle(group_of(*handle));
    *handle = MPI_GROUP_NULL;
}

int group_incl(GroupChecks& checks, int count, const int* ranks, MPI_Group* part) {
    if (!are_ranks(checks, count, ranks))
        return checks.code();
    Group* const made = new_group(count);
    std::transform(ranks, ranks + count, made->nodes,
                   [&](Rank rank) { return checks.first().node(rank); });
    return put(made, part);
}

int group_excl(GroupChecks& checks, int count, const int* ranks, MPI_Group* part) {
    if (!are_ranks(checks, count, ranks))
        return checks.code();
    return put(
        part_of(checks.first(),
                [=](Rank rank) { return std::find(ranks, ranks + count, rank) == ranks + count; }),
        part);
}

/// The ranks of ranges as a list, which `use` makes a group of.
int with_ranks(GroupChecks& checks, int count, int ranges[][3], MPI_Group* part,
               int (*use)(GroupChecks&, int, const int*, MPI_Group*)) {
    if (checks.count(count).bad())
        return checks.code();
    int size = 0;
    if (!each_in(checks.first(), count, ranges, [&size](Rank) { ++size; }))
        return checks.refuse(MPI_ERR_RANK, kNoRange);
    const Room room(static_cast<std::size_t>(size) * sizeof(int) + 1);
    int* const ranks = reinterpret_cast<int*>(room.data());
    int* next = ranks;
    each_in(checks.first(), count, ranges, [&next](Rank rank) { *next++ = rank; });
    return use(checks, size, ranks, part);
}

int group_range_incl(GroupChecks& checks, int count, int ranges[][3], MPI_Group* part) {
    return with_ranks(checks, count, ranges, part, group_incl);
}

int group_range_excl(GroupChecks& checks, int count, int ranges[][3], MPI_Group* part) {
    return with_ranks(checks, count, ranges, part, group_excl);
}

int group_union(GroupChecks& checks, const Group& second, MPI_Group* both) {
    const Group& first = checks.first();
    Group* const made = new_group(first.size + second.size);
    std::copy_n(first.nodes, first.size, made->nodes);
    made->size = first.size;
    for (Rank rank = 0; rank < second.size; ++rank)
        if (!has(first, second.nodes[rank]))
            made->nodes[made->size++] = second.nodes[rank];
    return put(made, both);
}

int group_intersection(GroupChecks& checks, const Group& second, MPI_Group* both) {
    const Group& first = checks.first();
    return put(part_of(first, [&](Rank rank) { return has(second, first.nodes[rank]); }), both);
}

int group_difference(GroupChecks& checks, const Group& second, MPI_Group* rest) {
    const Group& first = checks.first();
    return put(part_of(first, [&](Rank rank) { return !has(second, first.nodes[rank]); }), rest);
}

int group_translate_ranks(GroupChecks& checks, int count, const int* ranks, const Group& second,
                          int* others) {
    if (checks.count(count).bad())
        return checks.code();
    const Group& first = checks.first();
    for (int at = 0; at < count; ++at) {
        if (ranks[at] != MPI_PROC_NULL && !is_rank(first, ranks[at]))
            return checks.refuse_rank(ranks[at]);
        others[at] =
            ranks[at] == MPI_PROC_NULL ? MPI_PROC_NULL : second.rank_of(first.node(ranks[at]));
    }
    return MPI_SUCCESS;
}

void group_compare(GroupChecks& checks, const Group& second, int* result) {
    *result = compare(checks.first(), second);
}

} // namespace

} // namespace mesh::mpi

#include "doors/groups.inc"
