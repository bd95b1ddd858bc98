// The making of communicators.
#pragma once

#include "mpi/collectives/parts.hpp"

#include <span>

namespace mesh::mpi {

/// The messages by which a communicator is made.
inline constexpr PartKind kNumberPart{"MPI_Comm_dup", part_tag::kNumber};

/// The least number of a communicator that this node has not used, below kFirstBeside.
extern std::uint32_t next_number;
/// Ends the run if `number` is not below `end`: there are no further numbers.
void need_number(std::uint32_t number, std::uint32_t end);

/// The greatest number that any rank of `comm` gives; all ranks call this. 2n steps of messages for
/// 2^n ranks.
std::uint32_t greatest(Comm& comm, std::uint32_t mine);
/// A number that no rank of `comm` has used; all ranks call this. Ends the run if there is none.
/// The cost of greatest().
std::uint32_t agree_on_number(Comm& comm);
/// The same as greatest() of `members`, which are ranks of `comm`, and all of which call this.
std::uint32_t greatest_among(Comm& comm, const Group& members, std::uint32_t mine);
/// Notes that the members have agreed on a number. Ends the run if it is none.
void use_number(std::uint32_t number);

/// Gives a communicator its ranks and its number. It becomes an owner of both groups.
void set_up(Comm& comm, Group* group, Group* peers, std::uint32_t number);

/// A communicator of these ranks, with the error handler of `old`; one owner, without a handle. It
/// becomes an owner of both groups, which are one if it is not between two. Ends the run if the
/// heap has no room.
Comm* new_communicator(const Comm& old, Group* group, Group* peers, std::uint32_t number);

/// A communicator of these ranks of `old`, every rank of which calls this; nullptr where this node
/// is none of them. It becomes the owner of `group` in place of the caller. The cost of
/// agree_on_number().
Comm* make_communicator(Comm& old, Group* group);

/// A communicator like `comm`, with its attributes and topology, under a number that is agreed upon
/// later. `code`: MPI_SUCCESS, or the code of a function of the program's own that refuses.
Comm* copy_without_number(Comm& comm, MPI_Comm handle, int* code);
/// Gives back a copy that is refused, with its attributes, and sets its handle to MPI_COMM_NULL.
void drop_copy(Comm& comm, MPI_Comm* copy);

/// The arguments of one rank in MPI_Comm_split().
struct Wish {
    int color;
    int key;
    Rank rank;
};
/// The ranks of `from` with this color, by key; the caller is the owner. Orders `wishes`, one of
/// each rank. Ends the run if the heap has no room.
Group* choose(const Group& from, std::span<Wish> wishes, int color);

/// The result of MPI_Group_compare() for two groups.
int compare(const Group& one, const Group& other);

/// Names a communicator, or a window, by as much of `name` as fits; it is copied.
void set_name(const Checks& checks, const char* name);
/// Gives the name of a communicator, or of a window, and its length without its end.
void get_name(const Checks& checks, char* name, int* length);

/// A handle for the program; MPI_COMM_NULL for nullptr, which means none for this rank.
inline MPI_Comm give_handle(Comm* comm) {
    return comm == nullptr ? MPI_COMM_NULL : give_handle(*comm);
}

} // namespace mesh::mpi
