// Collectives among neighbours in a grid or a graph: all receives are posted, then all is sent.
#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/nonblocking.hpp"
#include "mpi/topologies/graphs.hpp"

namespace mesh::mpi {

namespace {

/// Checks a block for each neighbour that is there. `is_one`: the same for all. With types of their
/// own, blocks may count from MPI_BOTTOM.
void check(Checks& checks, const Blocks& blocks, std::span<const int> neighbors, bool is_one) {
    if (blocks.types == nullptr)
        checks.type(blocks.type);
    int number = 0;
    for (const int neighbor : neighbors) {
        const int block = is_one ? 0 : number++;
        if (neighbor != MPI_PROC_NULL && blocks.types != nullptr && !checks.bad())
            checks.elements(blocks.count_of(block), blocks.types[block]);
        if (neighbor != MPI_PROC_NULL && blocks.types == nullptr && !checks.bad())
            checks.data(blocks.data, blocks.count_of(block), blocks.type);
    }
}

/// Exchanges blocks with all neighbours. `is_one`: the same block goes to all.
int exchange(AroundChecks& checks, bool is_one, const Blocks& out, const Blocks& in) {
    const Around around(checks.comm());
    const auto from = around.sources(), to = around.destinations();
    check(checks, out, to, is_one);
    check(checks, in, from, false);
    if (checks.bad())
        return checks.code();
    Parts parts(checks.comm(), {checks.call(), part_tag::kNeighbors}, from.size() + to.size());
    for (std::size_t at = 0; at < from.size(); ++at)
        parts.add(Request::Kind::receive, in, static_cast<int>(at), from[at], around.tag_in(at));
    for (std::size_t at = 0; at < to.size(); ++at)
        parts.add(Request::Kind::send, out, is_one ? 0 : static_cast<int>(at), to[at],
                  around.tag_out(at));
    return parts.end();
}

Held held_around(const Comm& comm, const MPI_Datatype* out_types, const MPI_Datatype* in_types) {
    const Around around(comm);
    return {.ones = out_types,
            .others = in_types,
            .ones_count = static_cast<int>(around.destinations().size()),
            .others_count = static_cast<int>(around.sources().size())};
}

} // namespace

} // namespace mesh::mpi

#include "doors/neighbors.inc"
