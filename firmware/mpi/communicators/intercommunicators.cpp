// Communicators between two groups. In a collective each group acts within itself, and rank 0 of
// each, its leader, with the other leader.
#include "mpi/collectives/operands.hpp"
#include "mpi/collectives/parts.hpp"
#include "mpi/communicators/communicators.hpp"

#include <algorithm>

namespace mesh::mpi {

namespace {

constexpr Rank kLeader = 0;

/// A communicator of the own group alone, for as long as a call takes. Its messages meet no others.
struct Within : Comm {
    explicit Within(const Comm& comm) {
        group = peers = comm.group;
        number = comm.number | kWithin;
        errhandler = comm.errhandler;
        is_within_a_call = true;
        give_handle<Comm>(*this);
    }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;
    ~Within() { unlist(*this); }
};

/// The first error of two codes. A rank that was told of one goes on, since others wait for it.
int first_of(int code, int next) { return code == MPI_SUCCESS ? next : code; }

int meet(Comm& comm, const char* call) {
    Within own(comm);
    int code = meet_all(own, call);
    if (comm.rank() == kLeader)
        code = first_of(code,
                        exchange_parts(comm, {}, kLeader, {}, kLeader, {call, part_tag::kBarrier}));
    return first_of(code, meet_all(own, call));
}

int broadcast(Comm& comm, std::span<std::byte> bytes, Rank root, const char* call) {
    if (root == MPI_ROOT) {
        send_part(comm, bytes, kLeader, {call, part_tag::kBroadcast});
        return MPI_SUCCESS;
    }
    int code = MPI_SUCCESS;
    if (comm.rank() == kLeader)
        code = receive_part(comm, bytes, root, {call, part_tag::kBroadcast});
    Within own(comm);
    return first_of(code, broadcast_bytes(own, bytes, kLeader, call));
}

int reduce(Comm& comm, const void* mine, void* all, int count, MPI_Datatype handle, MPI_Op op,
           Rank root) {
    const Type& type = *type_of(handle);
    if (root == MPI_ROOT) {
        Unpacked bytes(all, count, type);
        const int code =
            receive_part(comm, bytes.bytes(), kLeader, {"MPI_Reduce", part_tag::kReduce});
        bytes.keep();
        return code;
    }
    Operands result(type, count);
    Within own(comm);
    const int code = PMPI_Reduce(mine, result.data(), count, handle, op, kLeader, handle_of(own));
    if (comm.rank() == kLeader)
        send_part(comm, result.packed().bytes(), root, {"MPI_Reduce", part_tag::kReduce});
    return code;
}

int all_reduce(Comm& comm, const void* mine, void* all, int count, MPI_Datatype handle, MPI_Op op) {
    const Type& type = *type_of(handle);
    Operands ours(type, count);
    Within own(comm);
    int code = PMPI_Reduce(mine == MPI_IN_PLACE ? all : mine, ours.data(), count, handle, op,
                           kLeader, handle_of(own));
    Unpacked theirs(all, count, type);
    if (comm.rank() == kLeader)
        code = first_of(code, exchange_parts(comm, ours.packed().bytes(), kLeader, theirs.bytes(),
                                             kLeader, {"MPI_Allreduce", part_tag::kReduce}));
    code = first_of(code, broadcast_bytes(own, theirs.bytes(), kLeader, "MPI_Allreduce"));
    theirs.keep();
    return code;
}

std::uint32_t greatest_of_both(Comm& comm, std::uint32_t mine) {
    Within own(comm);
    std::uint32_t most = greatest(own, mine);
    std::uint32_t theirs = 0;
    if (comm.rank() == kLeader)
        exchange_parts(comm, bytes_of(most), kLeader, bytes_of(theirs), kLeader, kNumberPart);
    most = std::max(most, theirs);
    broadcast_bytes(own, bytes_of(most), kLeader, "MPI_Comm_dup");
    return most;
}

/// The wishes of all ranks of a group, in `room`, where they are gathered over `among`.
std::span<Wish> all_wishes(const Room& room, Rank size, const Wish& mine, MPI_Comm among) {
    auto* const wishes = reinterpret_cast<Wish*>(room.data());
    PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, wishes, sizeof mine, MPI_BYTE, among);
    return {wishes, static_cast<std::size_t>(size)};
}

Comm* new_between(const Comm& old, Group* group, Group* peers, std::uint32_t number);

Comm* split(Comm& comm, int color, int key) {
    Within own(comm);
    const Wish mine{color, key, comm.rank()};
    const Room room(static_cast<std::size_t>(comm.size()) * sizeof(Wish));
    const Room other_room(static_cast<std::size_t>(comm.peers->size) * sizeof(Wish));
    Group* const group =
        choose(*comm.group, all_wishes(room, comm.size(), mine, handle_of(own)), color);
    Group* const peers =
        choose(*comm.peers, all_wishes(other_room, comm.peers->size, mine, handle_of(comm)), color);
    const std::uint32_t number = agree_on_number(comm);
    const bool is_there = group->size != 0 && peers->size != 0;
    Comm* const made = is_there ? new_between(comm, group, peers, number) : nullptr;
    release(group);
    release(peers);
    return made;
}

constexpr Across kAcross{meet, broadcast, reduce, all_reduce, greatest_of_both, split};

Comm* new_between(const Comm& old, Group* group, Group* peers, std::uint32_t number) {
    Comm* const comm = new_communicator(old, group, peers, number);
    comm->across = &kAcross;
    return comm;
}

/// The first message between leaders, before that with the nodes of their groups.
struct Introduction {
    std::uint32_t number;
    Rank size; // 0: the leader has found out that the call is wrong
};

std::span<std::byte> nodes_of(Group& group) {
    return std::as_writable_bytes(std::span{group.nodes, static_cast<std::size_t>(group.size)});
}

bool have_common_node(const Group& one, const Group& other) {
    return std::ranges::any_of(
        one.all(), [&other](NodeId node) { return other.rank_of(node) != MPI_UNDEFINED; });
}

/// Checks of the calls for a communicator between two groups.
class AcrossChecks : public Checks {
public:
    AcrossChecks(const char* call, MPI_Comm handle) : Checks(call, handle) {
        if (!bad() && comm().across == nullptr)
            refuse(MPI_ERR_COMM, "only for a communicator between two groups");
    }
};

// The leaders of both groups speak by way of `peer`. Their tag there is that of all communicators
// that are made, which come in one order.
int intercomm_create(Checks& checks, int leader, MPI_Comm peer, int other_leader, int tag,
                     MPI_Comm* made) {
    const char* const call = checks.call();
    Comm& ours = checks.comm();
    if (leader < 0 || leader >= ours.size())
        return checks.refuse(MPI_ERR_RANK, "the leader is not a rank of the group");
    const bool leads = ours.rank() == leader;
    const Introduction mine{agree_on_number(ours), ours.size()};
    Introduction theirs{};
    const Checks between = leads ? Checks(call, peer).peer(other_leader).tag(tag) : checks;
    if (leads && !between.bad())
        exchange_parts(between.comm(), std::as_bytes(std::span{&mine, 1}), other_leader,
                       bytes_of(theirs), other_leader, kNumberPart);
    broadcast_bytes(ours, bytes_of(theirs), leader, call);
    if (theirs.size == 0)
        return between.bad() ? between.code()
                             : checks.refuse(MPI_ERR_RANK, "there is no other leader");
    Group* const peers = new_group(theirs.size);
    if (leads)
        exchange_parts(between.comm(), nodes_of(*ours.group), other_leader, nodes_of(*peers),
                       other_leader, kNumberPart);
    broadcast_bytes(ours, nodes_of(*peers), leader, call);
    const std::uint32_t number = std::max(mine.number, theirs.number);
    use_number(number);
    const bool is_wrong = have_common_node(*peers, *ours.group);
    if (!is_wrong)
        *made = give_handle(new_between(ours, ours.group, peers, number));
    release(peers);
    return is_wrong ? checks.refuse(MPI_ERR_COMM, "a node is in both groups") : MPI_SUCCESS;
}

// Groups that say the same come in the order of their leaders' nodes.
void intercomm_merge(AcrossChecks& checks, int is_high, MPI_Comm* made) {
    Comm& comm = checks.comm();
    Within own(comm);
    const int ours = is_high != 0;
    int theirs = 0;
    if (comm.rank() == kLeader)
        exchange_parts(comm, std::as_bytes(std::span{&ours, 1}), kLeader, bytes_of(theirs), kLeader,
                       kNumberPart);
    broadcast_bytes(own, bytes_of(theirs), kLeader, checks.call());
    const bool is_first =
        ours != theirs ? ours < theirs : comm.group->nodes[0] < comm.peers->nodes[0];
    const Group& first = is_first ? *comm.group : *comm.peers;
    const Group& second = is_first ? *comm.peers : *comm.group;
    Group* const group = new_group(first.size + second.size);
    mesh::NodeId* const end = std::copy_n(first.nodes, first.size, group->nodes);
    std::copy_n(second.nodes, second.size, end);
    *made = give_handle(make_communicator(comm, group));
}

void comm_remote_size(AcrossChecks& checks, int* size) { *size = checks.comm().peers->size; }

// This rank is not in the other group.
void comm_remote_group(AcrossChecks& checks, MPI_Group* group) {
    *group = give_handle(*hold(checks.comm().peers));
}

} // namespace

} // namespace mesh::mpi

#include "doors/intercommunicators.inc"
