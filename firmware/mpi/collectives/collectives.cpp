// Collectives that move data, and the barrier.
#include "collectives/barrier.hpp"
#include "collectives/broadcast.hpp"
#include "fiber/fiber.hpp"
#include "kernel/base/limits.hpp"
#include "mpi/collectives/nonblocking.hpp"
#include "mpi/collectives/parts.hpp"
#include "mpi/collectives/rank_tree.hpp"
#include "mpi/engine/meaning.hpp"

#include <algorithm>

namespace mesh::mpi {

int code_of(const Comm& comm, Status status, const char* call) {
    if (status == Status::ok)
        return MPI_SUCCESS;
    if (status == Status::no_memory)
        return fail(&comm, MPI_ERR_NO_MEM, call, nullptr);
    if (status == Status::unreachable)
        return fail(&comm, MPI_ERR_OTHER, call, "a node does not answer");
    if (status == Status::truncated)
        return fail(&comm, MPI_ERR_TRUNCATE, call, "the ranks do not agree about the size");
    return fail(&comm, MPI_ERR_ARG, call, "the ranks do not agree about what is to be done");
}

namespace {

// A rank that is told of an error sends to its children all the same, since they wait for it.
int broadcast_by_messages(Comm& comm, std::span<std::byte> bytes, Rank root, const char* call) {
    const PartKind part{call, part_tag::kBroadcast, Agreed::all(root)};
    const RankTree tree(comm, root);
    int code = MPI_SUCCESS;
    if (tree.parent() != MPI_PROC_NULL)
        code = receive_part(comm, bytes, tree.parent(), part);
    tree.each_child_down([&](Rank child) { send_part(comm, bytes, child, part); });
    return code;
}

/// Waits for all ranks. In a subcube each rank tells its neighbour across one dimension after the
/// other, and hears from it. Elsewhere a rank tells the rank 2^r after it, in round r, that it and
/// the 2^r - 1 ranks before it have come.
int meet_by_messages(Comm& comm, const char* call) {
    int code = MPI_SUCCESS;
    const RankTree tree(comm, 0);
    const Rank size = comm.size();
    for (Rank distance = 1; distance < size; distance *= 2) {
        Rank to = (comm.rank() + distance) % size;
        Rank from = (comm.rank() - distance + size) % size;
        if (tree.in_subcube())
            to = from = tree.across(static_cast<std::uint32_t>(distance));
        const Request met = swap_parts(comm, {}, to, {}, from, {call, part_tag::kBarrier});
        code = std::max(code, met.error);
    }
    return code == MPI_SUCCESS ? code : fail(&comm, code, call, nullptr);
}

/// The tree that `mesh run --tree` names, or the usual one.
Rule chosen_tree() {
    const Rule tree = fiber::parameters().tree;
    return tree == Rule::unicast ? kUsualTree : tree;
}

Status broadcast_by_tree(std::span<std::byte> bytes, NodeId root) {
    Status status = Status::ok;
    while (!bytes.empty() && status == Status::ok) {
        const auto now = bytes.first(std::min<std::size_t>(bytes.size(), limits::kMessageBytesMax));
        const BroadcastPlan plan{.tree = chosen_tree(),
                                 .root = root,
                                 .total_bytes = static_cast<std::uint32_t>(now.size()),
                                 .tag = kTreeTag};
        status = fiber::await(broadcast(fiber::node(), plan, now));
        bytes = bytes.subspan(now.size());
    }
    return status;
}

} // namespace

int broadcast_bytes(Comm& comm, std::span<std::byte> bytes, Rank root, const char* call) {
    if (comm.across != nullptr)
        return comm.across->broadcast(comm, bytes, root, call);
    if (comm.is_whole)
        return code_of(comm, broadcast_by_tree(bytes, comm.group->node(root)), call);
    return broadcast_by_messages(comm, bytes, root, call);
}

int meet_all(Comm& comm, const char* call) {
    if (comm.across != nullptr)
        return comm.across->meet(comm, call);
    if (comm.is_whole)
        return code_of(comm, fiber::await(barrier(fiber::node(), kTreeTag)), call);
    return meet_by_messages(comm, call);
}

namespace {

int barrier(Checks& checks) { return meet_all(checks.comm(), checks.call()); }

int bcast(Checks& checks, void* data, int count, MPI_Datatype type, int root) {
    if (root == MPI_PROC_NULL || checks.data(data, count, type).bad())
        return checks.code();
    Comm& comm = checks.comm();
    const bool is_root = comm.is_root(root);
    Unpacked bytes(data, count, *type_of(type), is_root);
    const int code = broadcast_bytes(comm, bytes.bytes(), root, checks.call());
    if (!is_root)
        bytes.keep();
    return code;
}

} // namespace

} // namespace mesh::mpi

#include "doors/collectives.inc"
