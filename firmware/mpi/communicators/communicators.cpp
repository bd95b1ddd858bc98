// Communicators: which ranks there are, and messages that never meet those of others.
//
// All members agree on the number of a new one by a reduction over the old communicator: each gives
// the least number that it has not used, and the greatest of these counts. Communicators that are
// made at the same time, as by MPI_Comm_split(), may have one number, since none of their ranks is
// in both.
#include "mpi/communicators/communicators.hpp"

#include "mpi/collectives/nonblocking.hpp"
#include "mpi/collectives/parts.hpp"
#include "mpi/collectives/rank_tree.hpp"
#include "mpi/datatypes/attributes.hpp"

#include <algorithm>
#include <cstring>

namespace mesh::mpi {

std::uint32_t next_number = 3; // behind those of the world and of the node alone

std::uint32_t greatest(Comm& comm, std::uint32_t mine) {
    if (comm.across != nullptr)
        return comm.across->greatest(comm, mine);
    return greatest_among(comm, *comm.group, mine);
}

// Up a tree of the members, and down again.
std::uint32_t greatest_among(Comm& comm, const Group& members, std::uint32_t mine) {
    const RankTree tree(members, 0);
    const auto rank_of = [&](Rank member) { return comm.group->rank_of(members.node(member)); };
    tree.each_child([&](Rank child, bool) {
        std::uint32_t theirs = 0;
        receive_part(comm, bytes_of(theirs), rank_of(child), kNumberPart);
        mine = std::max(mine, theirs);
    });
    if (tree.parent() != MPI_PROC_NULL) {
        send_part(comm, bytes_of(mine), rank_of(tree.parent()), kNumberPart);
        receive_part(comm, bytes_of(mine), rank_of(tree.parent()), kNumberPart);
    }
    tree.each_child_down(
        [&](Rank child) { send_part(comm, bytes_of(mine), rank_of(child), kNumberPart); });
    return mine;
}

void need_number(std::uint32_t number, std::uint32_t end) {
    if (number >= end)
        end_run("too many communicators and windows were made", MPI_ERR_OTHER);
}

void use_number(std::uint32_t number) {
    need_number(number, kFirstBeside);
    next_number = std::max(next_number, number + 1);
}

std::uint32_t agree_on_number(Comm& comm) {
    const std::uint32_t number = greatest(comm, next_number);
    use_number(number);
    return number;
}

void set_up(Comm& comm, Group* group, Group* peers, std::uint32_t number) {
    comm.group = hold(group);
    comm.peers = hold(peers);
    comm.number = number;
    comm.is_whole = group == peers && the_world.is_whole && group->size == the_world.size();
}

Comm* new_communicator(const Comm& old, Group* group, Group* peers, std::uint32_t number) {
    auto* const comm = make<Comm>();
    if (comm == nullptr)
        end_run("no memory for a communicator", MPI_ERR_NO_MEM);
    set_up(*comm, group, peers, number);
    comm->errhandler = old.errhandler;
    hold(comm->errhandler);
    return comm;
}

Comm* make_communicator(Comm& old, Group* group) {
    const std::uint32_t number = agree_on_number(old);
    find_own(*group);
    const bool is_in = group->own != MPI_UNDEFINED;
    Comm* const made = is_in ? new_communicator(old, group, group, number) : nullptr;
    release(group);
    return made;
}

void end_communicator(Comm& comm) {
    release(comm.errhandler);
    release(comm.peers);
    release(comm.group);
    mesh_free(comm.grid);
    mesh_free(comm.graph);
    destroy(&comm);
}

namespace {

/// A copy of a topology, which is one block of the heap; nullptr of none.
template <class Topology>
Topology* copy_of(const Topology* topology) {
    if (topology == nullptr)
        return nullptr;
    Room copy(topology->bytes);
    std::memcpy(copy.data(), topology, topology->bytes);
    return reinterpret_cast<Topology*>(copy.release());
}

} // namespace

Comm* copy_without_number(Comm& comm, MPI_Comm handle, int* code) {
    Comm* const copy = new_communicator(comm, comm.group, comm.peers, 0);
    copy->across = comm.across;
    copy->grid = copy_of(comm.grid);
    copy->graph = copy_of(comm.graph);
    *code = copy_attributes(comm.attributes, handle, &copy->attributes);
    return copy;
}

void drop_copy(Comm& comm, MPI_Comm* copy) {
    drop_attributes(&comm.attributes, *copy);
    release(comm);
    *copy = MPI_COMM_NULL;
}

Group* choose(const Group& from, std::span<Wish> wishes, int color) {
    const std::span ours(wishes.begin(),
                         std::partition(wishes.begin(), wishes.end(),
                                        [color](const Wish& wish) { return wish.color == color; }));
    std::ranges::sort(ours, [](const Wish& one, const Wish& other) {
        return one.key != other.key ? one.key < other.key : one.rank < other.rank;
    });
    Group* const group = new_group(color == MPI_UNDEFINED ? 0 : static_cast<Rank>(ours.size()));
    for (Rank rank = 0; rank < group->size; ++rank)
        group->nodes[rank] = from.nodes[ours[static_cast<std::size_t>(rank)].rank];
    find_own(*group);
    return group;
}

int compare(const Group& one, const Group& other) {
    if (one.size != other.size)
        return MPI_UNEQUAL;
    if (std::ranges::equal(one.all(), other.all()))
        return MPI_IDENT;
    const auto has = [&other](NodeId node) { return other.rank_of(node) != MPI_UNDEFINED; };
    return std::ranges::all_of(one.all(), has) ? MPI_SIMILAR : MPI_UNEQUAL;
}

Group* group_of(MPI_Group handle) {
    static Group empty;
    if (handle != MPI_GROUP_EMPTY)
        return find_object<Group>(handle);
    empty.handles = 1;
    empty.owners = kOwnersForever;
    return &empty;
}

Group* Checks::group(MPI_Group handle) { return usable(group_of(handle), handle); }

void set_name(const Checks& checks, const char* name) {
    copy_text(name, checks.comm().name, kNameBytes);
}

void get_name(const Checks& checks, char* name, int* length) {
    const Comm& comm = checks.comm();
    const char* text = comm.name;
    if (*text == '\0' && is_fixed(handle_of(comm)))
        text = handle_of(comm) == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF";
    give_text(text, name, length);
}

namespace {

int comm_dup(Checks& checks, MPI_Comm* copy) {
    int code = MPI_SUCCESS;
    Comm* const comm = copy_without_number(checks.comm(), checks.handle(), &code);
    comm->number = agree_on_number(checks.comm());
    *copy = give_handle(comm);
    if (code == MPI_SUCCESS)
        return code;
    drop_copy(*comm, copy);
    return checks.refuse(code, kAttributeStays);
}

int comm_split(Checks& checks, int color, int key, MPI_Comm* part) {
    if (color < 0 && color != MPI_UNDEFINED)
        return checks.refuse(MPI_ERR_ARG, "a color is not negative");
    Comm& old = checks.comm();
    if (old.across != nullptr) {
        *part = give_handle(old.across->split(old, color, key));
        return MPI_SUCCESS;
    }
    const auto size = static_cast<std::size_t>(old.size());
    const Room room(size * sizeof(Wish));
    const std::span<Wish> wishes{reinterpret_cast<Wish*>(room.data()), size};
    wishes[static_cast<std::size_t>(old.rank())] = {color, key, old.rank()};
    PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, wishes.data(), sizeof(Wish), MPI_BYTE,
                   checks.handle());
    Group* const group = choose(*old.group, wishes, color);
    *part = give_handle(make_communicator(old, group));
    return MPI_SUCCESS;
}

// Each rank gets a communicator of its own, since all nodes have memories of their own.
int comm_split_type(Checks& checks, int kind, int key, MPI_Comm* part) {
    if (kind != MPI_COMM_TYPE_SHARED && kind != MPI_UNDEFINED)
        return checks.refuse(MPI_ERR_ARG, "a kind is MPI_COMM_TYPE_SHARED or MPI_UNDEFINED");
    const int color = kind == MPI_UNDEFINED ? MPI_UNDEFINED : checks.comm().rank();
    return comm_split(checks, color, key, part);
}

/// Refuses a group with a rank that the communicator has not.
bool is_part(Checks& checks, const Group& group) {
    const auto is_in = [&checks](NodeId node) {
        return checks.comm().group->rank_of(node) != MPI_UNDEFINED;
    };
    checks.require(std::ranges::all_of(group.all(), is_in), MPI_ERR_GROUP,
                   "a rank of it is not in the communicator");
    return !checks.bad();
}

int comm_create(Checks& checks, Group& group, MPI_Comm* part) {
    Comm& old = checks.comm();
    if (!is_part(checks, group))
        return checks.code();
    if (old.across != nullptr)
        return comm_split(checks, group.own == MPI_UNDEFINED ? MPI_UNDEFINED : 0, group.own, part);
    *part = give_handle(make_communicator(old, hold(&group)));
    return MPI_SUCCESS;
}

int comm_free(Checks& checks, MPI_Comm* handle) {
    if (is_fixed(*handle))
        return checks.refuse(MPI_ERR_COMM, "the communicators of the standard stay");
    Comm& comm = checks.comm();
    ++comm.owners; // a function of an attribute may free it, too
    const int code = drop_attributes(&comm.attributes, *handle);
    if (code == MPI_SUCCESS && comm.handles != 0)
        --comm.handles, release(comm);
    release(comm);
    if (code != MPI_SUCCESS)
        return checks.refuse(code, kAttributeStays);
    *handle = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

void comm_group(Checks& checks, MPI_Group* group) {
    *group = give_handle(*hold(checks.comm().group));
}

int comm_compare(const Checks& first, MPI_Comm other, int* result) {
    const Checks second(first.call(), other);
    if (second.bad())
        return second.code();
    if (&first.comm() == &second.comm()) {
        *result = MPI_IDENT;
        return MPI_SUCCESS;
    }
    int of_peers = MPI_UNEQUAL;
    if ((first.comm().across != nullptr) == (second.comm().across != nullptr))
        of_peers = compare(*first.comm().peers, *second.comm().peers);
    *result = std::max(
        {compare(*first.comm().group, *second.comm().group), of_peers, int{MPI_CONGRUENT}});
    return MPI_SUCCESS;
}

void comm_test_inter(Checks& checks, int* flag) { *flag = checks.comm().across != nullptr; }

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
    const int error = begin_collective(checks, false, {}, later(call), request);
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
    if (!is_part(checks, group))
        return checks.code();
    const std::uint32_t number = greatest_among(comm, group, next_number);
    use_number(number);
    *made = give_handle(new_communicator(comm, &group, &group, number));
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/communicators.inc"
