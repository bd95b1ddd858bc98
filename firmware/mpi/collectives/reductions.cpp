// Reductions and scans. Operations of the standard over the whole network go by the kernel's trees;
// all others by messages, in the order of the ranks, on the program's own stack.
#include "collectives/reduction.hpp"
#include "fiber/fiber.hpp"
#include "kernel/base/limits.hpp"
#include "mpi/collectives/nonblocking.hpp"
#include "mpi/collectives/operands.hpp"
#include "mpi/collectives/operations.hpp"
#include "mpi/collectives/parts.hpp"
#include "mpi/collectives/rank_tree.hpp"
#include "mpi/engine/meaning.hpp"

#include <algorithm>
#include <climits>

namespace mesh::mpi {

namespace {

int receive_operands(Comm& comm, const Operands& operands, Rank from, const PartKind& part) {
    Unpacked bytes = operands.to_fill();
    const int code = receive_part(comm, bytes.bytes(), from, part);
    bytes.keep();
    return code;
}

/// Combines operands up a tree to its root: each rank takes the values of the ranks behind it, then
/// gives the result on. A rank that is told of an error goes on, since others wait for it; there is
/// no result then.
int reduce_by_messages(Comm& comm, const RankTree& tree, Operands& mine, int count,
                       const Type& type, const Operation& operation, const PartKind& part) {
    int code = MPI_SUCCESS;
    tree.each_child([&](Rank child, bool is_first) {
        Operands theirs(type, count);
        if (const int its = receive_operands(comm, theirs, child, part); its != MPI_SUCCESS) {
            code = its;
            return;
        }
        const Operands& first = is_first ? mine : theirs;
        const Operands& second = is_first ? theirs : mine;
        operation.combine(first.data(), second.data(), count);
        if (is_first)
            mine.copy(theirs.data());
    });
    if (tree.parent() != MPI_PROC_NULL)
        send_part(comm, mine.packed().bytes(), tree.parent(), part);
    return code;
}

/// Combines in `ours` the operands of all ranks to this one, and in `before` those of the ranks
/// before it, of which there is one if `has_before`. After round r a rank has those of 2^r ranks.
int scan_by_messages(Comm& comm, Operands& ours, Operands& before, bool& has_before, int count,
                     const Type& type, const Operation& operation, const PartKind& part) {
    const Rank rank = comm.rank();
    int code = MPI_SUCCESS;
    Operands theirs(type, count);
    for (Rank distance = 1; distance < comm.size(); distance *= 2) {
        const Packed out = ours.packed();
        Unpacked in = theirs.to_fill();
        const int its = exchange_parts(
            comm, out.bytes(), rank + distance < comm.size() ? rank + distance : MPI_PROC_NULL,
            in.bytes(), rank >= distance ? rank - distance : MPI_PROC_NULL, part);
        if (its != MPI_SUCCESS)
            code = its;
        if (rank < distance || its != MPI_SUCCESS)
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
    return code;
}

/// Reduces over the whole network by the kernel. `work`: the operands, at last the result.
Status reduce_by_tree(const Comm& comm, std::span<std::byte> work, const Operation& operation,
                      NodeId root, bool all) {
    const Combiner combiner = operation.combiner(comm.number);
    const std::size_t most =
        limits::kMessageBytesMax / combiner.element_bytes * combiner.element_bytes;
    Status status = Status::ok;
    while (!work.empty() && status == Status::ok) {
        const auto now = work.first(std::min(work.size(), most));
        const ReducePlan plan{.root = root,
                              .total_bytes = static_cast<std::uint32_t>(now.size()),
                              .tag = kTreeTag,
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

PartKind part_of(const char* call, int tag, MPI_Op op, const Type& type, Rank root = 0) {
    return {call, tag, Agreed::all(root, op_of(op)->number, type.element)};
}

/// The standard has the operation for this type, too, which is that of a letter or a truth value
/// (MPI 4.1, 6.9.2): as numbers of one byte they are taken where nobody asks.
bool is_in_table(MPI_Op op, MPI_Datatype type) {
    if (!is_fixed(op))
        return true;
    if (type == MPI_C_BOOL)
        return op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
    return type != MPI_CHAR && type != MPI_WCHAR;
}

/// Checks the operands of a rank, and the place of the result if it has one (`takes`).
int check(Checks& checks, const void* mine, const void* all, bool takes, int count,
          MPI_Datatype type, MPI_Op op) {
    const Op* const its = operation(checks, op);
    if (mine != MPI_IN_PLACE)
        checks.data(mine, count, type);
    if (takes || mine == MPI_IN_PLACE)
        checks.data(all, count, type);
    if (!checks.bad() && (!Operation(*its, *type_of(type), type).is_known() ||
                          (is_strict() && !is_in_table(op, type))))
        checks.refuse(MPI_ERR_OP, nullptr);
    if (takes)
        checks.apart(mine, all, count, type);
    return checks.code();
}

int reduce(Checks& checks, const void* mine, void* all, int count, MPI_Datatype handle, MPI_Op op,
           int root) {
    Comm& comm = checks.comm();
    if (root == MPI_PROC_NULL)
        return MPI_SUCCESS;
    const bool gives = root != MPI_ROOT;
    if (check(checks, gives ? mine : all, all, gives && comm.is_root(root), count, handle, op) !=
        MPI_SUCCESS)
        return checks.code();
    if (comm.across != nullptr)
        return comm.across->reduce(comm, mine, all, count, handle, op, root);
    const Type& type = *type_of(handle);
    const Operation operation(*op_of(op), type, handle);
    const bool is_root = comm.rank() == root;
    Operands work(type, count, mine == MPI_IN_PLACE ? all : mine);
    if (comm.is_whole && operation.suits_trees()) {
        const mesh::Status status = reduce_by_tree(comm, bytes_at(work.data(), count, type),
                                                   operation, comm.group->node(root), false);
        if (is_root)
            work.copy_to(all);
        return code_of(comm, status, checks.call());
    }
    const PartKind part = part_of(checks.call(), part_tag::kReduce, op, type, root);
    const RankTree tree = RankTree::in_order(comm, root);
    int code = reduce_by_messages(comm, tree, work, count, type, operation, part);
    if (tree.root() != root && comm.rank() == tree.root())
        send_part(comm, work.packed().bytes(), root, part);
    if (tree.root() != root && is_root) {
        const int its = receive_operands(comm, work, tree.root(), part);
        code = code == MPI_SUCCESS ? its : code;
    }
    if (is_root)
        work.copy_to(all);
    return code;
}

int allreduce(Checks& checks, const void* mine, void* all, int count, MPI_Datatype handle,
              MPI_Op op) {
    if (check(checks, mine, all, true, count, handle, op) != MPI_SUCCESS)
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
                       reduce_by_tree(comm, bytes_at(work.data(), count, type), operation,
                                      comm.group->node(0), true),
                       checks.call());
    } else {
        code = reduce_by_messages(comm, RankTree(comm, 0), work, count, type, operation,
                                  part_of(checks.call(), part_tag::kReduce, op, type));
        Unpacked bytes(work.data(), count, type, true);
        const int told = broadcast_bytes(comm, bytes.bytes(), 0, checks.call());
        bytes.keep();
        if (code == MPI_SUCCESS)
            code = told;
    }
    work.copy_to(all);
    return code;
}

void reduce_local(Checks& checks, const void* left, void* right, int count, MPI_Datatype handle,
                  MPI_Op op) {
    if (check(checks, left, right, true, count, handle, op) != MPI_SUCCESS)
        return;
    Operation(*op_of(op), *type_of(handle), handle).combine(const_cast<void*>(left), right, count);
}

/// `with_own`: what this rank gave is a part of its result.
int scan(Checks& checks, bool with_own, const void* mine, void* all, int count, MPI_Datatype handle,
         MPI_Op op) {
    if (check(checks, mine, all, true, count, handle, op) != MPI_SUCCESS)
        return checks.code();
    const Type& type = *type_of(handle);
    Operands ours(type, count, mine == MPI_IN_PLACE ? all : mine);
    Operands before(type, count);
    bool has_before = false;
    const int code = scan_by_messages(checks.comm(), ours, before, has_before, count, type,
                                      Operation(*op_of(op), type, handle),
                                      part_of(checks.call(), part_tag::kScan, op, type));
    if (with_own)
        ours.copy_to(all);
    else if (has_before)
        before.copy_to(all);
    return code;
}

// All operands are reduced at all ranks, and each rank takes its part of the result.
int reduce_scatter(Checks& checks, const void* mine, void* part, const int* counts,
                   MPI_Datatype handle, MPI_Op op) {
    const Comm& comm = checks.comm();
    std::int64_t count = 0;
    int before = 0;
    for (Rank rank = 0; rank < comm.size() && !checks.count(counts[rank]).bad(); ++rank) {
        if (rank == comm.rank())
            before = static_cast<int>(count);
        count += counts[rank];
        checks.require(count <= INT_MAX, MPI_ERR_COUNT, "2 GiB or more of data");
    }
    const void* const ours_first = mine == MPI_IN_PLACE ? part : mine;
    if (checks.bad() ||
        check(checks, ours_first, part, false, static_cast<int>(count), handle, op) !=
            MPI_SUCCESS ||
        checks.apart(mine, part, counts[comm.rank()], handle).bad())
        return checks.code();
    const Type& type = *type_of(handle);
    Operands all(type, static_cast<int>(count), ours_first);
    const int code =
        allreduce(checks, MPI_IN_PLACE, all.data(), static_cast<int>(count), handle, op);
    Operands ours(type, counts[comm.rank()], at(all.data(), before, type));
    ours.copy_to(part);
    return code;
}

int reduce_scatter_block(Checks& checks, const void* mine, void* part, int count,
                         MPI_Datatype handle, MPI_Op op) {
    if (checks.count(count).bad())
        return checks.code();
    const Room room(static_cast<std::size_t>(checks.comm().size()) * sizeof(int));
    int* const counts = reinterpret_cast<int*>(room.data());
    std::fill_n(counts, checks.comm().size(), count);
    return reduce_scatter(checks, mine, part, counts, handle, op);
}

int op_create(Checks& checks, MPI_User_function* function, int commutes, MPI_Op* handle) {
    if (function == nullptr)
        return checks.refuse(MPI_ERR_ARG, "no function: a null pointer");
    Op* const op = make<Op>();
    if (op == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    op->function = function;
    op->commutes = commutes != 0;
    *handle = give_handle(*op);
    return MPI_SUCCESS;
}

void op_free(Checks& checks, MPI_Op* handle) {
    Op* const op = operation(checks, *handle);
    checks.require(!is_fixed(*handle), MPI_ERR_OP, "the operations of the standard stay");
    if (checks.bad())
        return;
    take_handle(op);
    *handle = MPI_OP_NULL;
}

void op_commutative(Checks& checks, MPI_Op handle, int* commutes) {
    if (const Op* const op = operation(checks, handle); op != nullptr)
        *commutes = op->commutes;
}

} // namespace

} // namespace mesh::mpi

#include "doors/reductions.inc"
