// How communicators are made.
#pragma once

#include "mpi/collectives/parts.hpp"

#include <span>

namespace mesh::mpi {

/// Messages by which a communicator is made.
inline constexpr PartKind kNumberPart{"MPI_Comm_dup", part_tag::kNumber};

/// The least number of a communicator that this node has not used, below kFirstBeside.
extern std::uint32_t next_number;
/// Ends the run if there are no further numbers: `number` is not below `end`.
void need_number(std::uint32_t number, std::uint32_t end);

/// The greatest number that any rank of `comm` gives; all ranks call this.
std::uint32_t greatest(Comm& comm, std::uint32_t mine);
/// A number that no rank of `comm` has used; all ranks call this.
std::uint32_t agree_on_number(Comm& comm);
/// The same as greatest() of `members`, who are ranks of `comm` and all call this.
std::uint32_t greatest_among(Comm& comm, const Group& members, std::uint32_t mine);
/// The number has been agreed upon.
void use_number(std::uint32_t number);

/// Gives a communicator its ranks. It is an owner of both groups.
void set_up(Comm& comm, Group* group, Group* peers, std::uint32_t number);

/// A communicator of these ranks, with the error handler of `old`. It is an owner of both groups,
/// which are one if it is not between two.
Comm* new_communicator(const Comm& old, Group* group, Group* peers, std::uint32_t number);

/// A communicator of these ranks, all of `old`, every rank of which calls this; nullptr where this
/// node is none of them. It is the owner of `group` in place of the caller.
Comm* make_communicator(Comm& old, Group* group);

/// A communicator like `comm`, with its attributes and topology, under a number that is agreed upon
/// later. `code`: of a function of the program's own that refuses.
Comm* copy_without_number(Comm& comm, MPI_Comm handle, int* code);
/// Gives back a copy that is refused, with its attributes. The handle stands for none then.
void drop_copy(Comm& comm, MPI_Comm* copy);

/// What a rank says to MPI_Comm_split().
struct Wish {
    int color;
    int key;
    Rank rank;
};
/// The ranks of `from` with this color, by key. Orders `wishes`, one of each rank.
Group* choose(const Group& from, std::span<Wish> wishes, int color);

/// What MPI_Group_compare() says of two groups.
int compare(const Group& one, const Group& other);

/// The name of a communicator, or of a window.
void set_name(const Checks& checks, const char* name);
void get_name(const Checks& checks, char* name, int* length);

/// nullptr: there is none for this rank.
inline MPI_Comm give_handle(Comm* comm) {
    return comm == nullptr ? MPI_COMM_NULL : give_handle(*comm);
}

} // namespace mesh::mpi
