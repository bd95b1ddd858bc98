// Topologies as a rank sees them: the ranks that it hears from, and the ranks that it tells.
#pragma once

#include "mpi/collectives/rank_tree.hpp"

#include <cstdint>
#include <span>

namespace mesh::mpi {

/// Checks of the calls for neighbours.
class AroundChecks : public Checks {
public:
    /// Refuses a communicator without a topology with MPI_ERR_TOPOLOGY.
    AroundChecks(const char* call, MPI_Comm handle) : Checks(call, handle) {
        if (!bad() && comm().grid == nullptr && comm().graph == nullptr)
            refuse(MPI_ERR_TOPOLOGY, "the communicator has no topology");
    }
};

/// The neighbours of the rank that calls, in the order of the neighbour collectives.
class Around {
public:
    /// The neighbours in a communicator with a topology, which must stay. Ends the run if the heap
    /// has no room for those in a grid.
    explicit Around(const Comm& comm);

    /// The ranks that this one hears from; in a grid MPI_PROC_NULL beyond its end.
    std::span<const int> sources() const { return sources_; }
    /// The ranks that this one tells; in a grid the same.
    std::span<const int> destinations() const { return destinations_; }
    /// The tag of the message to destination `number`. In a grid whose axis has two places both
    /// neighbours are one rank, and tags tell the message that goes up from that which goes down.
    int tag_out(std::size_t number) const { return is_grid_ ? static_cast<int>(number) : 0; }
    /// The tag of the message from source `number`: one that goes up comes from below.
    int tag_in(std::size_t number) const { return is_grid_ ? static_cast<int>(number ^ 1u) : 0; }

private:
    bool is_grid_ = false;
    Room of_grid_;
    std::span<const int> sources_;
    std::span<const int> destinations_;
};

/// The rank of the point that lies `distance` further along a dimension; MPI_PROC_NULL: outside.
Rank neighbor_in(const Grid& grid, Rank rank, int dimension, std::int64_t distance);

/// Puts each rank of `group` on a node of `old` so that neighbours in `guest` (core/embedding.hpp)
/// are neighbours in the cube. False: the nodes are no subcube, or the guest does not fit there.
template <class Guest>
bool embed(const Guest& guest, const Comm& old, Group& group) {
    const RankTree cube(old, 0);
    if (!cube.in_subcube() || 1 << guest.dimension() > old.size())
        return false;
    for (Rank rank = 0; rank < group.size; ++rank)
        group.nodes[rank] =
            cube.node_in_cube(index(guest.node_of(static_cast<std::uint32_t>(rank))));
    return true;
}

} // namespace mesh::mpi
