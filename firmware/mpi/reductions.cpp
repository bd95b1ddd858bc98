// Reductions and scans. Operations of the standard over the whole network go by the kernel's trees;
// all others by messages, in the order of the ranks, on the program's own stack.
#include "collectives/reduction.hpp"
#include "fiber/fiber.hpp"
#include "kernel/base/limits.hpp"
#include "mpi/intercommunicators.hpp"
#include "mpi/operands.hpp"
#include "mpi/operations.hpp"
#include "mpi/parts.hpp"
#include "mpi/rank_tree.hpp"

#include <algorithm>
#include <numeric>

namespace mesh::mpi {

namespace {

void receive_operands(Comm& comm, const Operands& operands, Rank from, int tag) {
    Unpacked bytes = operands.to_fill();
    receive_part(comm, bytes.bytes(), from, tag);
    bytes.keep();
}

/// Up a tree to its root: each rank has what the ranks behind it gave, then gives it on.
void reduce_by_messages(Comm& comm, const RankTree& tree, Operands& mine, int count,
                        const Type& type, const Operation& operation) {
    tree.each_child([&](Rank child, bool is_first) {
        Operands theirs(type, count);
        receive_operands(comm, theirs, child, part_tag::kReduce);
        const Operands& first = is_first ? mine : theirs;
        const Operands& second = is_first ? theirs : mine;
        operation.combine(first.data(), second.data(), count);
        if (is_first)
            mine.copy(theirs.data());
    });
    if (tree.parent() != MPI_PROC_NULL)
        send_part(comm, mine.packed().bytes(), tree.parent(), part_tag::kReduce);
}

/// Each rank ends with what all ranks to itself gave, and `before` with what those before it gave.
/// False: there is none before it. After round r a rank has those of 2^r ranks.
bool scan_by_messages(Comm& comm, Operands& ours, Operands& before, int count, const Type& type,
                      const Operation& operation) {
    const Rank rank = comm.rank();
    bool has_before = false;
    Operands theirs(type, count);
    for (Rank distance = 1; distance < comm.size(); distance *= 2) {
        const Packed out = ours.packed();
        Unpacked in = theirs.to_fill();
        exchange_parts(comm, out.bytes(),
                       rank + distance < comm.size() ? rank + distance : MPI_PROC_NULL, in.bytes(),
                       rank >= distance ? rank - distance : MPI_PROC_NULL, part_tag::kScan);
        if (rank < distance)
            continue;
        in.keep();
        Operands more(type, count, theirs.data());
        operation.combine(theirs.data(), ours.data(), count);
        if (has_before)
            operation.combine(more.data(), before.data(), count);
        else
            before.copy(more.data());
        has_before = true;
    }
    return has_before;
}

/// The whole network, by the kernel. `work`: the operands, at last the result.
Status reduce_by_tree(std::span<std::byte> work, const Operation& operation, NodeId root,
                      bool all) {
    const Combiner combiner = operation.combiner();
    const std::size_t most =
        limits::kMessageBytesMax / combiner.element_bytes * combiner.element_bytes;
    Status status = Status::ok;
    while (!work.empty() && status == Status::ok) {
        const auto now = work.first(std::min(work.size(), most));
        const ReducePlan plan{.root = root,
                              .total_bytes = static_cast<std::uint32_t>(now.size()),
                              .tag = all ? tree_tag::kAllReduce : tree_tag::kReduce,
                              .combiner = combiner};
        status = fiber::await(all ? allreduce(fiber::node(), plan, now)
                                  : reduce(fiber::node(), plan, now));
        work = work.subspan(now.size());
    }
    return status;
}

std::span<std::byte> bytes_at(void* data, int count, const Type& type) {
    return {static_cast<std::byte*>(data),
            static_cast<std::size_t>(count) * static_cast<std::size_t>(type.extent)};
}

int check(Checks& checks, int count, MPI_Datatype type, MPI_Op op) {
    const Op* const its = operation(checks, op);
    if (!checks.elements(count, type).bad() && !Operation(*its, *type_of(type), type).is_known())
        checks.refuse(MPI_ERR_OP, nullptr);
    return checks.code();
}

} // namespace

} // namespace mesh::mpi

using namespace mesh::mpi;

extern "C" {

int MPI_Reduce(const void* mine, void* all, int count, MPI_Datatype handle, MPI_Op op, int root,
               MPI_Comm comm_handle) {
    Checks checks("MPI_Reduce", comm_handle);
    if (checks.root(root).bad() || root == MPI_PROC_NULL ||
        check(checks, count, handle, op) != MPI_SUCCESS)
        return checks.code();
    Comm& comm = checks.comm();
    if (comm.across != nullptr)
        return comm.across->reduce(comm, mine, all, count, handle, op, root);
    const Type& type = *type_of(handle);
    const Operation operation(*op_of(op), type, handle);
    const bool is_root = comm.rank() == root;
    Operands work(type, count, mine == MPI_IN_PLACE ? all : mine);
    if (comm.is_whole && operation.suits_trees()) {
        const mesh::Status status = reduce_by_tree(bytes_at(work.data(), count, type), operation,
                                                   comm.group->node(root), false);
        if (is_root)
            work.copy_to(all);
        return code_of(comm, status, "MPI_Reduce");
    }
    const RankTree tree = RankTree::in_order(comm, root);
    reduce_by_messages(comm, tree, work, count, type, operation);
    if (tree.root() != root && comm.rank() == tree.root())
        send_part(comm, work.packed().bytes(), root, part_tag::kReduce);
    if (tree.root() != root && is_root)
        receive_operands(comm, work, tree.root(), part_tag::kReduce);
    if (is_root)
        work.copy_to(all);
    return MPI_SUCCESS;
}

int MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype handle, MPI_Op op,
                  MPI_Comm comm_handle) {
    Checks checks("MPI_Allreduce", comm_handle);
    if (check(checks, count, handle, op) != MPI_SUCCESS)
        return checks.code();
    Comm& comm = checks.comm();
    if (comm.across != nullptr)
        return comm.across->all_reduce(comm, mine, all, count, handle, op);
    const Type& type = *type_of(handle);
    const Operation operation(*op_of(op), type, handle);
    Operands work(type, count, mine == MPI_IN_PLACE ? all : mine);
    int code = MPI_SUCCESS;
    if (comm.is_whole && operation.suits_trees()) {
        code = code_of(comm,
                       reduce_by_tree(bytes_at(work.data(), count, type), operation,
                                      comm.group->node(0), true),
                       "MPI_Allreduce");
    } else {
        reduce_by_messages(comm, RankTree(comm, 0), work, count, type, operation);
        Unpacked bytes(work.data(), count, type, true);
        code = broadcast_bytes(comm, bytes.bytes(), 0, "MPI_Allreduce");
        bytes.keep();
    }
    work.copy_to(all);
    return code;
}

int MPI_Reduce_local(const void* left, void* right, int count, MPI_Datatype handle, MPI_Op op) {
    Checks checks("MPI_Reduce_local");
    if (check(checks, count, handle, op) != MPI_SUCCESS)
        return checks.code();
    Operation(*op_of(op), *type_of(handle), handle).combine(const_cast<void*>(left), right, count);
    return MPI_SUCCESS;
}

int MPI_Scan(const void* mine, void* all, int count, MPI_Datatype handle, MPI_Op op,
             MPI_Comm comm_handle) {
    Checks checks("MPI_Scan", comm_handle);
    if (check(checks.one_group(), count, handle, op) != MPI_SUCCESS)
        return checks.code();
    const Type& type = *type_of(handle);
    Operands ours(type, count, mine == MPI_IN_PLACE ? all : mine);
    Operands before(type, count);
    scan_by_messages(checks.comm(), ours, before, count, type, Operation(*op_of(op), type, handle));
    ours.copy_to(all);
    return MPI_SUCCESS;
}

int MPI_Exscan(const void* mine, void* all, int count, MPI_Datatype handle, MPI_Op op,
               MPI_Comm comm_handle) {
    Checks checks("MPI_Exscan", comm_handle);
    if (check(checks.one_group(), count, handle, op) != MPI_SUCCESS)
        return checks.code();
    const Type& type = *type_of(handle);
    Operands ours(type, count, mine == MPI_IN_PLACE ? all : mine);
    Operands before(type, count);
    if (scan_by_messages(checks.comm(), ours, before, count, type,
                         Operation(*op_of(op), type, handle)))
        before.copy_to(all);
    return MPI_SUCCESS;
}

// All is reduced everywhere, and each rank takes its part.
int MPI_Reduce_scatter(const void* mine, void* part, const int* counts, MPI_Datatype handle,
                       MPI_Op op, MPI_Comm comm_handle) {
    Checks checks("MPI_Reduce_scatter", comm_handle);
    if (checks.type(handle).bad())
        return checks.code();
    const Comm& comm = checks.comm();
    const int count = std::accumulate(counts, counts + comm.size(), 0);
    const int before = std::accumulate(counts, counts + comm.rank(), 0);
    if (check(checks, count, handle, op) != MPI_SUCCESS)
        return checks.code();
    const Type& type = *type_of(handle);
    Operands all(type, count, mine == MPI_IN_PLACE ? part : mine);
    const int code = MPI_Allreduce(MPI_IN_PLACE, all.data(), count, handle, op, comm_handle);
    Operands ours(type, counts[comm.rank()], at(all.data(), before, type));
    ours.copy_to(part);
    return code;
}

int MPI_Reduce_scatter_block(const void* mine, void* part, int count, MPI_Datatype handle,
                             MPI_Op op, MPI_Comm comm_handle) {
    Checks checks("MPI_Reduce_scatter_block", comm_handle);
    if (check(checks, count, handle, op) != MPI_SUCCESS)
        return checks.code();
    const Room room(static_cast<std::size_t>(checks.comm().size()) * sizeof(int));
    int* const counts = reinterpret_cast<int*>(room.data());
    std::fill_n(counts, checks.comm().size(), count);
    return MPI_Reduce_scatter(mine, part, counts, handle, op, comm_handle);
}

int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* handle) {
    Checks checks("MPI_Op_create");
    Op* const op = make<Op>();
    if (op == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    op->function = function;
    op->commutes = commutes != 0;
    *handle = give_handle(*op);
    return MPI_SUCCESS;
}

int MPI_Op_free(MPI_Op* handle) {
    Checks checks("MPI_Op_free");
    Op* const op = operation(checks, *handle);
    checks.require(!is_fixed(*handle), MPI_ERR_OP, "the operations of the standard stay");
    if (checks.bad())
        return checks.code();
    take_handle(op);
    *handle = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int MPI_Op_commutative(MPI_Op handle, int* commutes) {
    Checks checks("MPI_Op_commutative");
    if (const Op* const op = operation(checks, handle); op != nullptr)
        *commutes = op->commutes;
    return checks.code();
}
}
