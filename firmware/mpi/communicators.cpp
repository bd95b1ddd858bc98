// Communicators: which ranks there are, and messages that never meet those of others.
//
// All members agree on the number of a new one: the greatest that any of them has not used, which
// is found out by a reduction over the old communicator. Communicators that are made at the same
// time, as by MPI_Comm_split(), may have one number, since none of their ranks is in both.
#include "mpi/communicators.hpp"

#include "mpi/attributes.hpp"
#include "mpi/graphs.hpp"
#include "mpi/intercommunicators.hpp"
#include "mpi/parts.hpp"
#include "mpi/rank_tree.hpp"

#include <algorithm>
#include <cstring>

namespace mesh::mpi {

std::uint32_t next_number = 3; // behind those of the world and of the node alone

std::uint32_t greatest(Comm& comm, std::uint32_t mine) {
    if (comm.across != nullptr)
        return comm.across->greatest(comm, mine);
    std::uint32_t most = mine;
    const auto word = [](std::uint32_t& value) {
        return std::as_writable_bytes(std::span{&value, 1});
    };
    const RankTree tree(comm, 0);
    tree.each_child([&](Rank child, bool) {
        std::uint32_t theirs = 0;
        receive_part(comm, word(theirs), child, kNumberPart);
        most = std::max(most, theirs);
    });
    if (tree.parent() != MPI_PROC_NULL)
        send_part(comm, word(most), tree.parent(), kNumberPart);
    broadcast_bytes(comm, word(most), 0, "MPI_Comm_dup");
    return most;
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
    const Comm& world = *comm_of(MPI_COMM_WORLD);
    comm.is_whole = group == peers && world.is_whole && group->size == world.size();
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
    if (group == nullptr || group->own == MPI_UNDEFINED)
        return nullptr;
    return new_communicator(old, group, group, number);
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

/// Of a topology, which is one block of the heap.
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

int set_name(const Checks& checks, const char* name) {
    if (checks.bad())
        return checks.code();
    char* const end = std::copy_n(name, std::min<std::size_t>(std::strlen(name), kNameBytes - 1),
                                  checks.comm().name);
    *end = '\0';
    return MPI_SUCCESS;
}

int get_name(const Checks& checks, char* name, int* length) {
    if (checks.bad())
        return checks.code();
    const Comm& comm = checks.comm();
    const char* text = comm.name;
    if (*text == '\0' && is_fixed(handle_of(comm)))
        text = handle_of(comm) == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF";
    *length = static_cast<int>(std::strlen(text));
    std::memcpy(name, text, static_cast<std::size_t>(*length) + 1);
    return MPI_SUCCESS;
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
    release(group);
    return MPI_SUCCESS;
}

// All nodes have memories of their own.
int comm_split_type(Checks& checks, int kind, int key, MPI_Comm* part) {
    if (kind != MPI_COMM_TYPE_SHARED && kind != MPI_UNDEFINED)
        return checks.refuse(MPI_ERR_ARG, "a kind is MPI_COMM_TYPE_SHARED or MPI_UNDEFINED");
    const int color = kind == MPI_UNDEFINED ? MPI_UNDEFINED : checks.comm().rank();
    return comm_split(checks, color, key, part);
}

int comm_create(Checks& checks, Group& group, MPI_Comm* part) {
    Comm& old = checks.comm();
    if (old.across != nullptr)
        return comm_split(checks, group.own == MPI_UNDEFINED ? MPI_UNDEFINED : 0, group.own, part);
    *part = give_handle(make_communicator(old, &group));
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

int comm_group(Checks& checks, MPI_Group* group) {
    *group = give_handle(*hold(checks.comm().group));
    return MPI_SUCCESS;
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

int comm_test_inter(Checks& checks, int* flag) {
    *flag = checks.comm().across != nullptr;
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/communicators.inc"
