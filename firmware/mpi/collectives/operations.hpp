// Operations of reductions: those of the standard, and functions of the program's own.
#pragma once

#include "collectives/reduction.hpp"
#include "mpi/datatypes/types.hpp"

namespace mesh::mpi {

/// An operation of the standard, of which there is one object each, or of the program.
struct Op : ObjectOf<kOperation, MPI_Op> {
    MPI_User_function* function = nullptr; // of the program's own
    std::uintptr_t number = 0;             // of one of the standard: its handle
    bool commutes = true;
};

/// The operation of a handle; nullptr: it is none.
Op* op_of(MPI_Op handle);
/// One owner less; the last one destroys it.
inline void release(Op* op) {
    if (--op->owners == 0)
        destroy(op);
}

/// The operation that a program gives; nullptr: refused with MPI_ERR_OP.
inline Op* operation(Checks& checks, MPI_Op handle) { return checks.usable(op_of(handle), handle); }

/// An operation with the type of its operands, which both stay the caller's.
class Operation {
public:
    /// `handle`: the type, as a function of the program's own is told it.
    Operation(const Op& op, const Type& type, MPI_Datatype handle)
        : op_(op),
          type_(type),
          handle_(handle) {}

    /// The operation has a meaning for the type: the standard has one, or the program says it.
    bool is_known() const;
    /// The kernel's trees can do it: they take any order, on the node's stack.
    bool suits_trees() const { return op_.function == nullptr; }
    /// The order of the operands makes no difference.
    bool commutes() const { return op_.commutes; }
    /// The combiner of an operation of the standard, over a communicator, about which the ranks
    /// agree, too. This object must stay for as long as the combiner is used.
    Combiner combiner(std::uint32_t communicator) const;
    /// Does right = left op right, for `count` elements as they lie in the program's memory. A
    /// function of the program's own may change both. The operation must be known.
    void combine(void* left, void* right, int count) const;

private:
    const Op& op_;
    const Type& type_;
    MPI_Datatype handle_;
};

} // namespace mesh::mpi
