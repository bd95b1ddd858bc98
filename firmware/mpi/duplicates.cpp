// Communicators that only some ranks of another one make, and a duplicate that is made beside the
// program.
#include "mpi/attributes.hpp"
#include "mpi/behind.hpp"
#include "mpi/communicators.hpp"
#include "mpi/parts.hpp"

#include <algorithm>

namespace mesh::mpi {

namespace {

/// The least number from kFirstBeside on that no duplicate of this node has tried.
std::uint32_t next_beside = kFirstBeside;

/// A number that no rank of `comm` has used, while other duplicates agree on theirs. A rank takes
/// the number if no other duplicate has tried it there. The number stands if every rank took it.
std::uint32_t agree_beside(Comm& comm) {
    std::uint32_t number = greatest(comm, next_beside);
    for (;;) {
        need_number(number, 1u << kCallShift);
        const bool is_free = number >= next_beside;
        next_beside = std::max(next_beside, number + 1);
        if (greatest(comm, is_free ? 0 : 1) == 0)
            return number;
        // Two duplicates that refused each other must not try the same number next. Both tried
        // `number`, so both look at the same bit of the numbers of their calls, which differ; the
        // next number is odd where that bit is set. If it is the same in both, they meet again, two
        // further on, and look at the next bit.
        const std::uint32_t bit = comm.number >> number / 2 % 30 & 1;
        number = greatest(comm, ((next_beside + 1) & ~1u) | bit);
    }
}

} // namespace

std::uint32_t greatest_among(Comm& comm, const Group& members, std::uint32_t mine) {
    const Rank own = members.own;
    const auto rank_of = [&](Rank member) { return comm.group->rank_of(members.node(member)); };
    const auto word = [](std::uint32_t& value) {
        return std::as_writable_bytes(std::span{&value, 1});
    };
    std::uint32_t theirs = 0;
    Rank bit = 1;
    for (; bit < members.size && (own & bit) == 0; bit <<= 1) {
        if (own + bit >= members.size)
            continue;
        receive_part(comm, word(theirs), rank_of(own + bit), kNumberPart);
        mine = std::max(mine, theirs);
    }
    if (own != 0) {
        send_part(comm, word(mine), rank_of(own - bit), kNumberPart);
        receive_part(comm, word(mine), rank_of(own - bit), kNumberPart);
    }
    for (bit >>= 1; bit != 0; bit >>= 1)
        if (own + bit < members.size)
            send_part(comm, word(mine), rank_of(own + bit), kNumberPart);
    return mine;
}

namespace {

// Attributes are copied at once; messages go by the copy when its number is known. A rank whose
// attributes refuse takes part all the same, since the others wait for it: copy and request are
// valid there, too, and the copy has no attributes.
int comm_idup(Checks& checks, MPI_Comm* copy, MPI_Request* request) {
    int code = MPI_SUCCESS;
    Comm* const made = copy_without_number(checks.comm(), checks.handle(), &code);
    *copy = give_handle(made);
    if (code != MPI_SUCCESS)
        drop_attributes(&made->attributes, *copy);
    const auto call = [made](MPI_Comm on, MPI_Op) -> int {
        made->number = agree_beside(*comm_of(on));
        return MPI_SUCCESS;
    };
    const int error = begin_behind(checks, {}, later(call), request);
    if (error != MPI_SUCCESS) {
        drop_copy(*made, copy);
        return error;
    }
    return code == MPI_SUCCESS ? code : checks.refuse(code, kAttributeStays);
}

int comm_create_group(Checks& checks, Group& group, int, MPI_Comm* made) {
    Comm& comm = checks.comm();
    *made = MPI_COMM_NULL;
    if (group.own == MPI_UNDEFINED)
        return MPI_SUCCESS;
    for (Rank member = 0; member < group.size; ++member)
        if (comm.group->rank_of(group.node(member)) == MPI_UNDEFINED)
            return checks.refuse(MPI_ERR_GROUP, "a rank of it is not in the communicator");
    const std::uint32_t number = greatest_among(comm, group, next_number);
    use_number(number);
    *made = give_handle(new_communicator(comm, &group, &group, number));
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/duplicates.inc"
